import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { Ajv } from "ajv";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseAllDocuments } from "yaml";
import { type Json, type JsonObject, isObject } from "../../src/core/json.ts";
import { secretMembers } from "../../src/generated/kind-names.ts";
import { editorSchemaTexts } from "../../src/generated/editor-schemas.ts";
import { schemaFile } from "../../src/schema/schema-files.ts";
import { manifestErrors } from "../../src/schema/validate-documents.ts";
import { violationsOf } from "../../src/schema/violations.ts";
import { root } from "../repository/source-files.ts";
import { ajv as byAjv, schemas } from "../schemas/all-schemas.ts";
import { runs } from "../support/runs.ts";

const ajv = new Ajv({ strict: false, allErrors: false });
const inEditor = ajv.compile(JSON.parse(editorSchemaTexts["manifest.schema.json"] ?? ""));

const manifests: readonly JsonObject[] = ["quickstart", "production"].flatMap((example) => {
  const folder = join(root, "examples", example, "edge");
  return readdirSync(folder).flatMap((file) =>
    parseAllDocuments(readFileSync(join(folder, file), "utf8")).flatMap((document): JsonObject[] => {
      const value: Json = document.toJS();
      return isObject(value) ? [value] : [];
    }),
  );
});

type Path = readonly (string | number)[];

function placesIn(value: Json | undefined, path: Path = []): readonly Path[] {
  const inside = Array.isArray(value)
    ? value.flatMap((item: Json, at) => placesIn(item, [...path, at]))
    : isObject(value)
      ? Object.entries(value).flatMap(([name, item]) => placesIn(item, [...path, name]))
      : [];
  return [path, ...inside];
}

function replaced(value: Json | undefined, [step, ...rest]: Path, by: Json | undefined): Json | undefined {
  if (step === undefined) return by;
  if (Array.isArray(value))
    return value.map((item: Json, at) => (at === step ? (replaced(item, rest, by) ?? null) : item));
  if (!isObject(value)) return value;
  const entries = Object.entries(value).flatMap(([name, item]) => {
    const next = name === step ? replaced(item, rest, by) : item;
    return next === undefined ? [] : [[name, next] as const];
  });
  return Object.fromEntries(entries);
}

const somewhere = fc
  .constantFrom(...manifests)
  .chain((document) =>
    fc.record({ document: fc.constant(document), place: fc.constantFrom(...placesIn(document).slice(1)) }),
  );

const expression = "${{ vars.x }}";

describe("the schema of manifests for editors", () => {
  it("accepts every example", () => {
    expect(manifests.length).toBeGreaterThan(15);
    for (const manifest of manifests) expect(inEditor(manifest), JSON.stringify(inEditor.errors)).toBe(true);
  });

  it("accepts an expression in place of any value, but for the kind", () => {
    fc.assert(
      fc.property(somewhere, ({ document, place }) => {
        fc.pre(place.join() !== "kind");
        expect(
          inEditor(replaced(document, place, expression)),
          `${place.join(".")} ${JSON.stringify(inEditor.errors)}`,
        ).toBe(true);
      }),
      runs(100),
    );
  });

  it("says the same as the validator of whatever has no expression", () => {
    const odd: readonly (Json | undefined)[] = [
      undefined,
      null,
      true,
      0,
      1.5,
      "",
      "x",
      "1.2",
      [],
      ["x"],
      {},
      { id: "a" },
      { name: "a" },
      { file: "a" },
      { env: "A" },
      { name: "a", id: "b" },
      { x: 1 },
    ];
    fc.assert(
      fc.property(somewhere, fc.constantFrom(...odd), fc.boolean(), ({ document, place }, value, added) => {
        const at = added ? [...place.slice(0, -1), "unknown"] : place;
        const plain = JSON.parse(JSON.stringify(document).replaceAll(/"\$\{\{[^"]*\}\}"/g, '"x"')) as Json;
        const base = added && at.length > 0 ? addMember(plain, place.slice(0, -1)) : replaced(plain, at, value);
        const text = JSON.stringify(base);
        fc.pre(base !== undefined && !text.includes("${{"));
        const byValidator = manifestErrors(base, { "HTTPSEdge/x": "a" }).filter(
          ({ message }) =>
            // What needs more than a schema.
            !message.includes("metadata.id is missing") && !message.startsWith("lifecycle.ignore"),
        );
        const file = schemaFile(isObject(base) ? String(base["kind"]) : "");
        if (schemas.has(file)) expect(violationsOf(file, base).length === 0, text).toBe(byAjv.validate(file, base));
        // An inline secret is a matter of flags for the validator.
        fc.pre(!secretMembers.some((member) => text.includes(`"${member}":"`)));
        expect(
          inEditor(base),
          `${at.join(".")} = ${JSON.stringify(value)}: ${JSON.stringify([byValidator, inEditor.errors])}`,
        ).toBe(byValidator.length === 0);
      }),
      runs(300),
    );
  });

  it.each(Object.entries(editorSchemaTexts))("is a valid schema: %s", (_file, text) => {
    expect(ajv.validateSchema(JSON.parse(text))).toBe(true);
    const references = [...text.matchAll(/"\$ref": ?"([^"]*)"/g)].map(([, reference]) => reference ?? "");
    expect(references.filter((reference) => !reference.startsWith("#/definitions/"))).toEqual([]);
    expect(() => new Ajv({ strict: false }).compile(JSON.parse(text))).not.toThrow();
  });
});

function addMember(document: Json, path: Path): Json | undefined {
  let parent: Json | undefined = document;
  for (const step of path)
    parent = isObject(parent) ? parent[String(step)] : Array.isArray(parent) ? parent[Number(step)] : undefined;
  return isObject(parent) ? replaced(document, path, { ...parent, unknown: 1 }) : undefined;
}
