import { readdirSync, readFileSync } from "node:fs";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { isObject } from "../../src/core/json.ts";

const folder = new URL("../../schemas/", import.meta.url);

export const schemas: ReadonlyMap<string, { readonly [member: string]: unknown }> = new Map(
  readdirSync(folder)
    .toSorted()
    .map((file) => [file, readSchema(file)]),
);

function readSchema(file: string): { readonly [member: string]: unknown } {
  const schema: unknown = JSON.parse(readFileSync(new URL(file, folder), "utf8"));
  if (!isObject(schema)) throw new Error(`${file} is no object`);
  return schema;
}

/** Keywords of our own. Another one would break validators of users that refuse unknown keywords, so there will be no more. */
export const ownKeywords = ["maxBytes", "x-immutable", "x-inherits"];

/** Every schema, compiled on demand, independently of the program. */
function newAjv(): Ajv2020 {
  const ajv = new Ajv2020({ allErrors: true, allowUnionTypes: true, strictTypes: false });
  ajv.addKeyword({
    keyword: "maxBytes",
    type: "string",
    schemaType: "number",
    validate: (limit: number, text: string) => Buffer.byteLength(text) <= limit,
  });
  ajv.addVocabulary(ownKeywords.filter((keyword) => keyword !== "maxBytes"));
  for (const schema of schemas.values()) ajv.addSchema(schema);
  return ajv;
}

export const ajv = newAjv();

export function validatorOf(name: string): ValidateFunction {
  const validate = ajv.getSchema(`${name}.schema.json`);
  if (validate === undefined) throw new Error(`there is no schemas/${name}.schema.json`);
  return validate;
}

export function violations(name: string, document: unknown): readonly string[] {
  const validate = validatorOf(name);
  validate(document);
  return (validate.errors ?? []).map(
    (error) => `${error.instancePath}: ${error.message ?? ""} ${JSON.stringify(error.params)}`,
  );
}

export function* partsOf(
  schema: unknown,
  path = "",
): Generator<readonly [string, { readonly [member: string]: unknown }]> {
  if (!isObject(schema)) return;
  yield [path, schema];
  for (const map of ["properties", "$defs"]) {
    const parts = schema[map];
    if (isObject(parts))
      for (const [name, part] of Object.entries(parts)) yield* partsOf(part, `${path}/${map}/${name}`);
  }
  for (const single of ["items", "additionalProperties", "then"]) yield* partsOf(schema[single], `${path}/${single}`);
}
