import { expect, it } from "vitest";
import { type Json, isObject } from "../../src/core/json.ts";
import { kindNames } from "../../src/kinds/names.ts";
import { resolveSchema } from "../../src/schema/schema-part.ts";
import { schemaFile } from "../../src/schema/schema-files.ts";
import { violationsOf } from "../../src/schema/violations.ts";
import { ajv } from "../schemas/all-schemas.ts";

const states = ["directory", "stack", "account", "source", "outbox"].map((name) => `state.schema.json#/$defs/${name}`);
const refs = [...[...kindNames, "Config", "Fleet", "plan", "history"].map(schemaFile), ...states];

const rules =
  "type const enum minimum maximum minLength maxLength maxBytes pattern minItems maxItems uniqueItems items minProperties maxProperties required dependentRequired dependentSchemas properties additionalProperties propertyNames if then oneOf";
const annotations = "$schema $id $defs title description default examples writeOnly x-immutable x-inherits";
const known = new Set(`${rules} ${annotations}`.split(" "));

function* keywordsIn(part: unknown, file: string, seen: Set<unknown>): Generator<string> {
  const resolved = resolveSchema(part, file);
  if (!isObject(part) || seen.has(resolved.schema)) return;
  seen.add(resolved.schema);
  for (const [keyword, value] of Object.entries(resolved.schema)) {
    yield keyword;
    const inner = /^(?:properties|dependentSchemas)$/u.test(keyword) ? Object.values(Object(value)) : [value].flat();
    const isPart = /^(?:properties|dependentSchemas|items|additionalProperties|propertyNames|if|then|oneOf)$/u;
    if (isPart.test(keyword)) for (const each of inner) yield* keywordsIn(each, resolved.file, seen);
  }
}

it.each(refs)("%s has no keyword that is not checked", (ref) => {
  expect([...new Set(keywordsIn({ $ref: ref }, "", new Set()))].filter((keyword) => !known.has(keyword))).toEqual([]);
});

it.each(states)("%s accepts and refuses what ajv does", (ref) => {
  const samples: readonly Json[] = [null, "", 7, [], true, {}, { format: "edgewise.x/v1" }];
  const validate = ajv.getSchema(ref);
  let document: Json = {};
  for (let turn = 0; turn < 400; turn += 1) {
    const found = violationsOf(ref, document);
    expect(found.length === 0, JSON.stringify(document)).toBe(validate?.(document));
    // The next document has what this one lacked, or something else in its place.
    const { member, path } = found[turn % Math.max(1, found.length)] ?? { path: [] };
    const at = [...path, ...(member === undefined ? [] : [member])];
    if (at.length === 0) document = {};
    else document = setAt(document, at, samples[turn % samples.length] ?? null);
  }
});

function setAt(document: Json, [step = "", ...rest]: readonly (string | number)[], value: Json): Json {
  if (Array.isArray(document))
    return document.map((item, at) =>
      at === step ? (rest.length === 0 ? value : setAt(item as Json, rest, value)) : (item as Json),
    );
  const object = isObject(document) ? (document as { readonly [name: string]: Json }) : {};
  return { ...object, [step]: rest.length === 0 ? value : setAt(object[step] ?? {}, rest, value) };
}
