import { describe, expect, it } from "vitest";
import { kindNames, listedKinds } from "../../src/kinds/names.ts";
import { kinds } from "../../src/kinds/registry.ts";
import { explain } from "../../src/schema/explain-field.ts";
import { membersAt } from "../../src/schema/schema-part.ts";
import { bundle, schemaFile } from "../../src/schema/schema-files.ts";

describe("schemas and kinds", () => {
  it.each(kindNames)("have the same fields: %s", (kind) => {
    const { fields } = kinds[kind];
    const spec = membersAt(schemaFile(kind), ["spec"]);
    expect(spec.toSorted()).toEqual(Object.keys(fields).toSorted());
    for (const [name, field] of Object.entries(fields)) {
      if (field.module === undefined) continue;
      const inside = membersAt(schemaFile(kind), ["spec", name]);
      expect(inside.toSorted(), name).toEqual(Object.keys(field.module.members).toSorted());
    }
  });

  it.each(kindNames)("say the same of what is kept when a manifest leaves it out: %s", async (kind) => {
    for (const [name, field] of Object.entries(kinds[kind].fields)) {
      const found = explain(kind, ["spec", name]);
      const facts = Object.fromEntries(found.facts);
      expect(facts["Default"] === "the live value", name).toBe(field.unset === "inherit");
    }
  });

  it.each(kindNames)("say the same of what a name refers to, and where a traffic policy is: %s", async (kind) => {
    const text = JSON.stringify(bundle(kind));
    const fields = kinds[kind].specFields.map(({ field }) => field);
    const referred = [...text.matchAll(/"#\/\$defs\/definitions\.nameOf(\w+)"/g)].map(([, name]) => name);
    expect(new Set(referred)).toEqual(new Set(fields.flatMap(({ codec }) => codec.refersTo ?? [])));
    expect(text.includes('"#/$defs/definitions.policy"')).toBe(fields.some(({ content }) => content === "policy"));
  });

  it.each(listedKinds)("say the same of what cannot be changed, and of the default lifecycle: %s", async (kind) => {
    const facts = (...path: readonly string[]) => {
      const found = explain(kind, path);
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
