import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { kindSlugs } from "../../src/generated/kind-names.ts";
import { moduleModels, resourceModels } from "../../src/generated/resource-models.ts";
import { kindNames, listedKinds, moduleKinds } from "../../src/kinds/names.ts";
import { readWire, specFromManifest } from "../../src/kinds/normal-form.ts";
import { kinds } from "../../src/kinds/registry.ts";
import { applyDefaults } from "../../src/plan/apply-defaults.ts";
import { root } from "../repository/source-files.ts";

describe.each(kindNames)("%s", (name) => {
  const kind = kinds[name];

  it("is registered under its own name, with a title for people", () => {
    expect(kind.kind).toBe(name);
    expect(kind.title).toMatch(/^\S.*\S$/u);
  });

  it("knows every field that its schema allows, and no other", () => {
    const fields = specMembers(name);
    expect(Object.keys(kind.fields).toSorted()).toEqual(fields.toSorted());
  });

  it("settles nothing to a spec that says everything, and the same again", () => {
    const options = { ignore: [], moduleEndpoints: [] };
    const { spec } = applyDefaults(kind, {}, null, options);
    expect(Object.keys(spec)).toEqual(Object.keys(kind.fields));
    expect(applyDefaults(kind, spec, spec, options).spec).toEqual(spec);
  });

  it("takes anything that a service may say, and anything at all", () => {
    for (const wire of [{}, { hostports: null, backend: 7, metadata: [], headers: "x", ip_policies: {} }]) {
      expect(() => readWire(kind, wire)).not.toThrow();
    }
    expect(specFromManifest(kind, { nonsense: 1 })).toEqual({});
  });
});

describe.each(listedKinds)("%s has a list", (name) => {
  it("that its resources lie in", () => {
    expect(kinds[name].path("id", {})).toBe(`${kinds[name].collection?.path}/id`);
  });

  it("and a model that knows the modules of its declaration", () => {
    const modules = Object.entries(kinds[name].fields).filter(([, { module }]) => module !== undefined);
    expect(Object.keys(resourceModels[name].modules ?? {})).toEqual(modules.map(([field]) => field));
  });

  it("and a prefix of ids of its own", () => {
    const others = listedKinds.filter((other) => other !== name).map((other) => resourceModels[other].prefix);
    expect(others.filter((prefix) => prefix.startsWith(resourceModels[name].prefix))).toEqual([]);
  });

  it("has exactly one field that carries the marker", () => {
    expect(
      Object.entries(kinds[name].fields).flatMap(([field, { marker }]) => (marker === true ? [field] : [])),
    ).toEqual(["metadata"]);
  });
});

describe.each(moduleKinds)("%s has no list", (name) => {
  it("but a model that knows the modules of its declaration, where it has them", () => {
    const modules = Object.entries(kinds[name].fields).filter(([, { module }]) => module !== undefined);
    expect(Object.keys(moduleModels[name].modules)).toEqual(modules.map(([field]) => field));
    const path = kinds[name].path("last", { edge: { id: "first" } });
    const template = moduleModels[name].path
      .split("/")
      .map((part) => (part.startsWith("{") ? expect.any(String) : part));
    expect(path.split("/")).toEqual(template);
  });
});

describe("the defaults", () => {
  // Of the kinds named here. Whether a declaration agrees with its schema is tested for every kind: schema/kinds-agree.
  it("protect addresses, let replaced certificates go, and delete everything else", () => {
    const deleted = { deletion: "delete", replaced: "delete" };
    const defaults = listedKinds.map((name) => [name, kinds[name].defaults] as const);
    expect(Object.fromEntries(defaults)).toMatchObject({
      IPRestriction: deleted,
      TLSEdge: deleted,
      ReservedAddress: { deletion: "protect", replaced: "delete" },
      HTTPResponseBackend: deleted,
      TLSCertificate: { deletion: "delete", replaced: "orphan" },
    });
  });

  it("let nothing change in place that the specification calls not updatable", () => {
    const immutable = listedKinds.map((name) => {
      const fields = Object.entries(kinds[name].fields);
      return [name, fields.flatMap(([field, { write }]) => (write === "create" ? [field] : []))] as const;
    });
    expect(Object.fromEntries(immutable)).toMatchObject({
      IPRestriction: ["type"],
      TLSEdge: [],
      ReservedAddress: ["region"],
      HTTPResponseBackend: [],
      TLSCertificate: ["certificate_pem", "private_key_pem"],
    });
  });
});

/** Members of `spec` in the schema of a kind. */
function specMembers(name: string): readonly string[] {
  const schema = JSON.parse(readFileSync(join(root, "schemas", `${kindSlugs[name]}.schema.json`), "utf8")) as {
    readonly properties: { readonly spec: { readonly properties: object } };
  };
  return Object.keys(schema.properties.spec.properties);
}
