import { didYouMean } from "../diagnostics/suggest.js";
import { EdgewiseError } from "../core/errors.js";
import { valueAt } from "../core/document-path.js";
import { kindSlugs } from "../generated/kind-names.js";
import { schemaTexts } from "../generated/schemas.js";
import { type Json, type JsonObject, isObject } from "../core/json.js";

const outputs =
  "plan result drift diagnostics export graph journal list pages ping pull version sandbox configurations serve-stacks " +
  "serve-stack serve-history serve-health serve-error serve-check serve-notification all ci ci-notification serve-log " +
  "code-quality";

const files: { readonly [name: string]: string } = {
  ...kindSlugs,
  Config: "config",
  Fleet: "fleet",
  manifest: "manifest",
  ...Object.fromEntries(outputs.split(" ").map((name) => [name, name === "all" ? "all-stacks" : name])),
};

export const schemaNames: readonly string[] = Object.keys(files);

export function requireSchemaName(asked: string): string {
  const name = schemaNames.find((each) => each.toLowerCase() === asked.toLowerCase());
  if (name !== undefined) return name;
  const near = didYouMean(asked, schemaNames);
  const known = `Available schemas: ${schemaNames.join(", ")}.`;
  throw new EdgewiseError("usage", `there is no schema named ${JSON.stringify(asked)}`, {
    remedy: near === null ? known : `${near} ${known}`,
  });
}

export function schemaFile(name: string): string {
  return `${files[name] ?? name}.schema.json`;
}

const parsed = new Map<string, JsonObject>();

export function readSchema(file: string): JsonObject {
  const known = parsed.get(file);
  if (known !== undefined) return known;
  const text = schemaTexts[file];
  if (text === undefined) throw new RangeError(`there is no schemas/${file}`);
  const schema = JSON.parse(text) as JsonObject;
  parsed.set(file, schema);
  return schema;
}

/** What other files define is under `$defs`, named `file.definition`. */
export function bundle(name: string): JsonObject {
  const root = schemaFile(name);
  const { $id: _id, $defs, ...schema } = readSchema(root);
  const definitions: { [name: string]: Json } = {};
  const queue: string[] = [];
  const localize = (value: Json | undefined, file: string): Json =>
    rewriteRefs(value ?? null, (ref) => {
      const [path = "", pointer = ""] = ref.split("#");
      const target = path === "" ? file : path;
      if (target === root && pointer !== "") return `#${pointer}`;
      const key = `${target.replace(".schema.json", "")}${pointer.replace("/$defs/", ".")}`;
      if (definitions[key] === undefined) {
        definitions[key] = true;
        queue.push(key);
      }
      return `#/$defs/${key}`;
    });
  const whole = localize(schema, root);
  for (const [key, definition] of Object.entries(isObject($defs) ? $defs : {}))
    definitions[key] = localize(definition, root);
  for (let key = queue.shift(); key !== undefined; key = queue.shift()) {
    const [base = "", definition] = key.split(".");
    const file = `${base}.schema.json`;
    const found = definition === undefined ? readSchema(file) : valueAt(readSchema(file), ["$defs", definition]);
    const { $id: _inner, $schema: _schema, ...part } = found as JsonObject;
    definitions[key] = localize(part, file);
  }
  const sorted = Object.fromEntries(Object.entries(definitions).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  const bundled = isObject(whole) ? whole : {};
  return Object.keys(sorted).length === 0 ? bundled : { ...bundled, $defs: sorted };
}

function rewriteRefs(value: Json, change: (ref: string) => string): Json {
  if (Array.isArray(value)) return value.map((item: Json) => rewriteRefs(item, change));
  if (!isObject(value)) return value;
  const members = Object.entries(value).map(([name, part]) => [
    name,
    name === "$ref" && typeof part === "string" ? change(part) : rewriteRefs(part ?? null, change),
  ]);
  return Object.fromEntries(members) as JsonObject;
}
