import { readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import { bundle } from "../../src/schema/schema-files.ts";
import { ajv, ownKeywords, partsOf, schemas } from "./all-schemas.ts";

describe("what edgewise schema prints", () => {
  it.each(["manifest", "Config", "Fleet", "plan"])("has only keywords that are documented: %s", async (name) => {
    const strict = new Ajv2020({ allowUnionTypes: true, strictTypes: false });
    strict.addVocabulary(ownKeywords);
    expect(() => strict.compile(bundle(name))).not.toThrow();
  });

  it("and they are", () => {
    const page = readFileSync(new URL("../../docs/editor.md", import.meta.url), "utf8");
    for (const keyword of ownKeywords) expect(page).toContain(`\`${keyword}\``);
  });
});

describe.each([...schemas.keys()])("%s", (file) => {
  const schema = schemas.get(file) ?? {};

  it("is a valid schema with its file name as id, and its references exist", () => {
    expect(schema["$id"]).toBe(file);
    expect(schema["$schema"]).toBe("https://json-schema.org/draft/2020-12/schema");
    expect(ajv.validateSchema(schema)).toBe(true);
    expect(ajv.getSchema(file)).toBeDefined();
  });

  it("describes every field", () => {
    const silent = [...partsOf(schema)].filter(([path, part]) => {
      if (path.endsWith("/then") || part["$ref"] !== undefined) return false;
      return typeof part["title"] !== "string" || typeof part["description"] !== "string";
    });
    expect(silent.map(([path]) => path)).toEqual([]);
  });

  it("describes in sentences", () => {
    const words = [...partsOf(schema)].flatMap(([path, part]) =>
      typeof part["description"] === "string" ? [[path, part["description"]] as const] : [],
    );
    expect(words.filter(([, text]) => !/[.)]$/.test(text)).map(([path]) => path)).toEqual([]);
  });

  it("refuses unknown members in every object that names members", () => {
    const open = [...partsOf(schema)].filter(
      ([path, part]) =>
        part["properties"] !== undefined && part["additionalProperties"] === undefined && !path.endsWith("/then"),
    );
    // manifest.schema.json leaves the inside to each kind, journal.schema.json to each event.
    const meant = ["/properties/metadata", "journal.schema.json"];
    expect(
      open.map(([path]) => path).filter((path) => !meant.includes(path) && !(path === "" && meant.includes(file))),
    ).toEqual([]);
  });

  it("accepts its own examples and defaults", () => {
    for (const [path, part] of partsOf(schema)) {
      const values = [
        ...(Array.isArray(part["examples"]) ? part["examples"] : []),
        ...("default" in part ? [part["default"]] : []),
      ];
      if (values.length === 0) continue;
      const validate = ajv.getSchema(`${file}#${path}`);
      for (const value of values) {
        expect(validate?.(value), `${file}#${path} ${JSON.stringify(value)} ${JSON.stringify(validate?.errors)}`).toBe(
          true,
        );
      }
    }
  });
});
