import { describe, expect, it } from "vitest";
import { manifestMembers } from "../../src/generated/members.ts";
import { kindNames, listedKinds } from "../../src/kinds/names.ts";
import { kinds } from "../../src/kinds/registry.ts";
import { explain } from "../../src/schema/explain-field.ts";
import { bundle, readSchemas } from "../../src/schema/schema-files.ts";

describe("schemas and kinds", () => {
  it("know the same kinds", () => {
    expect(Object.keys(manifestMembers).toSorted()).toEqual([...kindNames].toSorted());
  });

  it.each(kindNames)("have the same fields: %s", (kind) => {
    const { fields } = kinds[kind];
    const spec = manifestMembers[kind]?.["spec"] ?? [];
    expect(spec.toSorted()).toEqual(Object.keys(fields).toSorted());
    for (const [name, field] of Object.entries(fields)) {
      if (field.module === undefined) continue;
      const inside = manifestMembers[kind]?.[`spec.${name}`] ?? [];
      expect(inside.toSorted(), name).toEqual(Object.keys(field.module.members).toSorted());
    }
  });

  it.each(kindNames)("say the same of what is kept when a manifest leaves it out: %s", async (kind) => {
    const schemas = readSchemas(kind);
    for (const [name, field] of Object.entries(kinds[kind].fields)) {
      const found = explain(kind, ["spec", name], schemas);
      const facts = "missing" in found ? {} : Object.fromEntries(found.facts);
      expect(facts["Default"] === "the live value", name).toBe(field.unset === "inherit");
    }
  });

  it.each(kindNames)("say the same of what a name refers to, and where a traffic policy is: %s", async (kind) => {
    const text = JSON.stringify(bundle(kind, readSchemas(kind)));
    const fields = kinds[kind].specFields.map(({ field }) => field);
    const referred = [...text.matchAll(/"#\/\$defs\/definitions\.nameOf(\w+)"/g)].map(([, name]) => name);
    expect(new Set(referred)).toEqual(new Set(fields.flatMap(({ codec }) => codec.refersTo ?? [])));
    expect(text.includes('"#/$defs/definitions.policy"')).toBe(fields.some(({ content }) => content === "policy"));
  });

  it.each(listedKinds)("say the same of what cannot be changed, and of the default lifecycle: %s", async (kind) => {
    const schemas = readSchemas(kind);
    const facts = (...path: readonly string[]) => {
      const found = explain(kind, path, schemas);
      if ("missing" in found) throw new Error(`${kind} has no ${path.join(".")}`);
      return Object.fromEntries(found.facts);
    };
    for (const [name, field] of Object.entries(kinds[kind].fields)) {
      expect(facts("spec", name)["Set"]?.startsWith("when the resource is created"), name).toBe(
        field.write === "create",
      );
    }
    expect(facts("lifecycle", "deletion")["Default"]).toBe(JSON.stringify(kinds[kind].defaults.deletion));
    expect(facts("lifecycle", "replaced")["Default"]).toBe(JSON.stringify(kinds[kind].defaults.replaced));
  });
});
