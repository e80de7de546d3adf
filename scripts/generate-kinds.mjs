const list = (values) => JSON.stringify(values);

/** The names of the kinds, for code that must not load their declarations, and the models of the service's resources. */
export function generateKinds(kinds) {
  const listed = kinds.filter(({ collection }) => collection !== null);
  const modules = kinds.filter(({ collection }) => collection === null);
  const names = (some) => list(some.map(({ kind }) => kind));
  const kindNames = `export const kindNames = ${names(kinds)} as const;

export const listedKinds = ${names(listed)} as const;

export const moduleKinds = ${names(modules)} as const;

/** Where each kind is listed, and the member of a response that holds the resources. */
export const collections = ${list(Object.fromEntries(listed.map(({ kind, collection }) => [kind, collection])))} as const;

/** What the files of a kind are named for. */
export const kindSlugs: { readonly [kind: string]: string } = ${list(Object.fromEntries(kinds.map(({ kind, slug }) => [kind, slug])))};

/** Modules without an endpoint in their declaration, which some services serve at a path of their own all the same. */
export const modulesWithoutEndpoint = ${list(modulesWithoutEndpoint(kinds))} as const;

/** The members of requests and responses that hold secrets, whatever object they stand in. */
export const secretMembers: readonly string[] = ${list(secretMembers(kinds))};
`;
  const modelOf = ({ slug }) => `${camelCase(slug)}Model`;
  const imports = kinds.map((kind) => `import { ${modelOf(kind)} } from "../model/resources/${kind.slug}-model.js";\n`);
  const entries = (some) => some.map((kind) => `  ${kind.kind}: ${modelOf(kind)},\n`).join("");
  const resourceModels = `import type { ListedKind, ModuleKind } from "../kinds/names.js";
import type { ModuleModel, ResourceModel } from "../model/resource-model.js";
${imports.toSorted().join("")}
/** The rules of every kind that has a collection. */
export const resourceModels: { readonly [K in ListedKind]: ResourceModel } = {
${entries(listed)}};

/** The modules of every kind that has none. */
export const moduleModels: { readonly [K in ModuleKind]: ModuleModel } = {
${entries(modules)}};
`;
  return { "kind-names.ts": kindNames, "resource-models.ts": resourceModels };
}

function modulesWithoutEndpoint(kinds) {
  const modules = kinds
    .filter(({ collection }) => collection !== null)
    .flatMap(({ fields }) => Object.entries(fields).filter(([, { module }]) => module?.endpoint === false));
  return [...new Set(modules.map(([name]) => name))];
}

/** The names on the wire of all fields, and members of modules, that hold secrets. */
function secretMembers(kinds) {
  const fields = kinds.flatMap((kind) => Object.entries(kind.fields));
  const all = fields.flatMap(([name, field]) => [[name, field], ...Object.entries(field.module?.members ?? {})]);
  const secret = all.filter(([, field]) => field.secret === true);
  return [...new Set(secret.flatMap(([name, { writeAs }]) => [name, writeAs ?? name]))].toSorted((a, b) =>
    a < b ? -1 : 1,
  );
}

function camelCase(slug) {
  return slug.replaceAll(/-([a-z0-9])/g, (_, letter) => letter.toUpperCase());
}

/** The texts of schemas with every list of kinds in them as the registry has it; only those that change. */
export function schemasWithKinds(texts, kinds) {
  const addressPattern = `^(${kinds.map(({ kind }) => kind).join("|")})/`;
  const modules = modulesWithoutEndpoint(kinds).map((module) => JSON.stringify(module));
  const changed = new Map();
  for (const [file, text] of texts) {
    const wanted =
      file === "manifest.schema.json"
        ? manifestSchema(JSON.parse(text), kinds)
        : text
            .replaceAll(/(?<="pattern": ")\^\([A-Za-z0-9|]+\)\//g, addressPattern)
            .replace(/(?<="moduleEndpoints": \{[^[\]]*\[[^\]]*\][^[\]]*"enum": )\[[^\]]*\]/, `[${modules.join(", ")}]`);
    if (wanted !== text) changed.set(file, wanted);
  }
  return changed;
}

/** One branch for each kind: its `kind` decides which schema holds for the whole manifest. */
function manifestSchema(schema, kinds) {
  const allOf = kinds.map(({ kind, slug }) => ({
    if: { type: "object", properties: { kind: { const: kind } }, required: ["kind"] },
    // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
    then: { $ref: `${slug}.schema.json` },
  }));
  schema.properties.kind.enum = kinds.map(({ kind }) => kind);
  return `${JSON.stringify({ ...schema, allOf }, null, 2)}\n`;
}
