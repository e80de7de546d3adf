import { manifestSchemas } from "./manifest-schemas.mjs";

/** The schema of a node: its `$ref` is resolved, and the members beside it are merged over. */
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
 * The members of each object of a schema, by path from the root: `spec.tls_termination` → its members.
 * `*` is any element of a list or any member of a free map. An object that takes anything has `*` as its last member.
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

/** For suggestions for misspelt members, and for the check of `lifecycle.ignore`. */
function generateMembers(schemas) {
  const type = "{ readonly [path: string]: readonly string[] }";
  const manifests = Object.fromEntries(
    manifestSchemas(schemas).map(({ kind, id }) => [kind, membersOf(schemas.get(id), id, schemas)]),
  );
  const others = ["config", "fleet", "plan"].map((slug) => {
    const id = `${slug}.schema.json`;
    const members = JSON.stringify(membersOf(schemas.get(id), id, schemas));
    return `/** By path. */\nexport const ${slug}Members: ${type} = ${members};\n`;
  });
  return `/** By kind and path. */\nexport const manifestMembers: { readonly [kind: string]: ${type} } = ${JSON.stringify(manifests)};\n${others.join("")}`;
}

const units = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** What the settings of `api` and `lock` are when the configuration leaves them out: text, or durations in milliseconds. */
function generateDefaults(schemas) {
  const id = "config.schema.json";
  const { api, lock } = schemas.get(id).$defs;
  const defaultsOf = ({ properties }) =>
    Object.entries(properties).flatMap(([name, node]) => {
      if (typeof node.default !== "string") return [];
      const [, number, unit] = /^(\d+)(ms|s|m|h)$/.exec(node.default) ?? [];
      return [[name, unit === undefined ? node.default : Number(number) * units[unit]]];
    });
  const defaults = { api: Object.fromEntries(defaultsOf(api)), lock: Object.fromEntries(defaultsOf(lock)) };
  return `/** What settings are when the configuration leaves them out; durations in milliseconds. */\nexport const configDefaults = ${JSON.stringify(defaults)} as const;\n`;
}

/** The modules that hold facts of the schemas, by file name. */
export function generateFacts(schemas) {
  return { "members.ts": generateMembers(schemas), "config-defaults.ts": generateDefaults(schemas) };
}
