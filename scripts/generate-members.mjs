import { manifestSchemas } from "./manifest-schemas.mjs";

/** The schema that a node stands for: its `$ref` followed, what stands beside it laid over. */
function resolve(node, base, schemas) {
  if (typeof node !== "object" || typeof node.$ref !== "string") return [node, base];
  const [file, pointer = ""] = node.$ref.split("#");
  const id = file === "" ? base : file;
  let target = schemas.get(id);
  for (const step of pointer.split("/").slice(1)) target = target[step];
  const [resolved, resolvedBase] = resolve(target, id, schemas);
  return [{ ...resolved, ...node }, resolvedBase];
}

/**
 * The members that each object of a schema names, by path from the root: `spec.tls_termination` → its members.
 * `*` is any element of a list or any member of a free map; an object that takes anything ends with `*` itself.
 */
function membersOf(schema, id, schemas) {
  const members = {};
  const walk = (node, base, path) => {
    const [resolved, at] = resolve(node, base, schemas);
    if (typeof resolved !== "object") return;
    if (resolved.items !== undefined) walk(resolved.items, at, `${path}.*`);
    const types = [resolved.type].flat();
    if (!types.includes("object")) return;
    const free = resolved.additionalProperties;
    const names = Object.keys(resolved.properties ?? {}).filter((name) => resolved.properties[name] !== false);
    members[path.slice(1)] = free === false ? names : [...names, "*"];
    for (const name of names) walk(resolved.properties[name], at, `${path}.${name}`);
    if (typeof free === "object") walk(free, at, `${path}.*`);
  };
  walk(schema, id, "");
  return members;
}

/** Suggestions for misspelt members, and the check of `lifecycle.ignore`, need to know what there is. */
export function generateMembers(schemas) {
  const type = "{ readonly [path: string]: readonly string[] }";
  const manifests = Object.fromEntries(
    manifestSchemas(schemas).map(({ kind, id }) => [kind, membersOf(schemas.get(id), id, schemas)]),
  );
  const files = {
    "manifest-members.ts": `/** By kind and path. */\nexport const manifestMembers: { readonly [kind: string]: ${type} } = ${JSON.stringify(manifests, null, 2)};\n`,
  };
  const config = schemas.get("config.schema.json");
  if (config !== undefined) {
    files["config-members.ts"] =
      `/** By path. */\nexport const configMembers: ${type} = ${JSON.stringify(membersOf(config, "config.schema.json", schemas), null, 2)};\n`;
  }
  return files;
}
