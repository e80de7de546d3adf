import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { bundle, readSchemas, schemaNames } from "../../src/schema/schema-files.ts";

const manifest: unknown = parse(
  "{apiVersion: edgewise/v1, kind: TLSEdge, metadata: {name: a}, spec: {hostports: [a:1], backend: {backend: {name: b}}}}",
);
const broken: unknown = parse("{apiVersion: edgewise/v1, kind: TLSEdge, metadata: {name: a}, spec: {hostport: []}}");

describe("bundle", () => {
  it.each(schemaNames)("makes %s one document that any validator takes", async (name) => {
    const schema = bundle(name, await readSchemas(name));
    expect(JSON.stringify(schema)).not.toContain(".schema.json");
    const refs = [...JSON.stringify(schema).matchAll(/"\$ref":"([^"]*)"/g)].map(([, ref]) => ref);
    expect(refs.filter((ref) => !ref?.startsWith("#/$defs/"))).toEqual([]);
  });

  it("says the same as before", async () => {
    const validate = new Ajv2020({ strict: false }).compile(bundle("manifest", await readSchemas("manifest")));
    expect(validate(manifest)).toBe(true);
    expect(validate(broken)).toBe(false);
  });

  it("is the same every time", async () => {
    const [one, two] = await Promise.all([readSchemas("manifest"), readSchemas("manifest")]);
    expect(JSON.stringify(bundle("manifest", one))).toBe(JSON.stringify(bundle("manifest", two)));
  });
});
