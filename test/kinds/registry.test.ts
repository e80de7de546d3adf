import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { kindNames, listedKinds } from "../../src/kinds/names.ts";
import { readWire, specFromManifest } from "../../src/kinds/normal-form.ts";
import { kinds } from "../../src/kinds/registry.ts";
import { resourceModels } from "../../src/model/resources/resource-models.ts";
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
  it("whose path and member are those of the model of the service", () => {
    const { path, member } = resourceModels[name];
    expect(kinds[name].collection).toEqual({ path, member });
    expect(kinds[name].path("id", {})).toBe(`${path}/id`);
  });

  it("has exactly one field that carries the marker", () => {
    expect(
      Object.entries(kinds[name].fields).flatMap(([field, { marker }]) => (marker === true ? [field] : [])),
    ).toEqual(["metadata"]);
  });
});

describe("the defaults", () => {
  it("protect addresses, let replaced certificates go, and delete everything else", () => {
    const defaults = Object.fromEntries(listedKinds.map((name) => [name, kinds[name].defaults]));
    expect(defaults).toEqual({
      IPRestriction: { deletion: "delete", replaced: "delete" },
      TLSEdge: { deletion: "delete", replaced: "delete" },
      ReservedAddress: { deletion: "protect", replaced: "delete" },
      HTTPResponseBackend: { deletion: "delete", replaced: "delete" },
      TLSCertificate: { deletion: "delete", replaced: "orphan" },
    });
  });

  it("let nothing change in place that the specification calls not updatable", () => {
    const immutable = listedKinds.flatMap((name) =>
      Object.entries(kinds[name].fields).flatMap(([field, { write }]) =>
        write === "create" ? [`${name}.${field}`] : [],
      ),
    );
    expect(immutable).toEqual([
      "IPRestriction.type",
      "ReservedAddress.region",
      "TLSCertificate.certificate_pem",
      "TLSCertificate.private_key_pem",
    ]);
  });
});

/** Members of `spec` in the schema of a kind. */
function specMembers(name: string): readonly string[] {
  const schema = JSON.parse(readFileSync(join(root, "schemas", `${fileOf(name)}.schema.json`), "utf8")) as {
    readonly properties: { readonly spec: { readonly properties: object } };
  };
  return Object.keys(schema.properties.spec.properties);
}

/** `TLSEdge` lies in `tls-edge`. */
function fileOf(name: string): string {
  return name.replaceAll(/([A-Z]+)([A-Z][a-z])|([a-z])([A-Z])/gu, "$1$3-$2$4").toLowerCase();
}
