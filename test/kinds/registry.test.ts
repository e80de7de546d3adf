import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { kindSlugs } from "../../src/generated/kind-names.ts";
import { resourceModels } from "../../src/generated/resource-models.ts";
import type { Field } from "../../src/kinds/kind.ts";
import { type KindName, kindNames, listedKinds } from "../../src/kinds/names.ts";
import { policy } from "../../src/kinds/policy.ts";
import { kinds } from "../../src/kinds/registry.ts";
import { Secret } from "../../src/core/secret.ts";
import { root } from "../repository/source-files.ts";

describe.each(kindNames)("%s", (name) => {
  const kind = kinds[name];

  it("knows every field that its schema allows, and no other", () => {
    expect(Object.keys(kind.fields).toSorted()).toEqual(Object.keys(specSchemas(name)).toSorted());
  });

  it("declares a content form for every field that may name a file with its content, and for no other", () => {
    for (const { path, field, schema } of fieldsWithSchemas(name)) {
      const takesFile = field.secret !== true && mayName("file", schema);
      expect(field.content !== undefined, `spec.${path}: does the schema allow {file: path}?`).toBe(takesFile);
      expect(field.content === "policy", `spec.${path}: is it a policy?`).toBe(field.codec === policy);
    }
  });
});

describe.each(kindNames)("the secrets of %s", (name) => {
  const secrets = fieldsWithSchemas(name).filter(({ field }) => field.secret === true);

  it("are bound, never written into a plan", () => {
    for (const { path, field } of secrets) {
      const wire = field.codec.toWire(Secret.of("SECRET", "env SECRET"));
      expect(JSON.stringify(wire), `spec.${path}: its codec must bind`).not.toContain("SECRET");
      expect(Object.values(wire.bind), `spec.${path}: its codec must bind`).toEqual([{ secret: true }]);
    }
  });

  it("are written and never read back when they would come in a list, which leaves secrets out", () => {
    for (const { path, field } of kinds[name].collection === null ? [] : secrets) {
      expect(field.writeOnly, `spec.${path} is a secret of a kind with a list: declare it as writeOnly`).toBe(true);
      expect(path, "a secret of a kind with a list is a field of its own: modules compare all members").not.toContain(
        ".",
      );
    }
  });
});

describe.each(listedKinds)("%s has a list", (name) => {
  it("and a model that knows the modules of its declaration", () => {
    const modules = Object.entries(kinds[name].fields).filter(([, { module }]) => module !== undefined);
    expect(Object.keys(resourceModels[name].modules ?? {})).toEqual(modules.map(([field]) => field));
  });

  it("and a prefix of ids of its own", () => {
    const { idPrefix = "" } = kinds[name];
    expect(idPrefix).toMatch(/^[a-z]+_$/u);
    const others = listedKinds.filter((other) => other !== name).map((other) => kinds[other].idPrefix);
    expect(others.filter((prefix) => prefix?.startsWith(idPrefix) !== false)).toEqual([]);
  });

  it("and no immutable field beside claims: a replacement could not claim what the old resource still holds", () => {
    // A write-only field is never compared, so it asks for no replacement.
    const immutable = kinds[name].fieldList.filter(({ field }) => field.write === "create" && field.writeOnly !== true);
    expect(kinds[name].without === undefined ? [] : immutable.map((field) => field.name)).toEqual([]);
  });

  it("has exactly one field that carries the marker", () => {
    expect(
      Object.entries(kinds[name].fields).flatMap(([field, { marker }]) => (marker === true ? [field] : [])),
    ).toEqual(["metadata"]);
  });
});

interface Schema {
  readonly $ref?: string;
  readonly properties?: { readonly [name: string]: Schema };
  readonly then?: Schema;
}

function schemaAt(reference: string): Schema {
  const [file = "", place = ""] = reference.split("#");
  const whole = JSON.parse(readFileSync(join(root, "schemas", file || "definitions.schema.json"), "utf8")) as Schema;
  const steps = place.split("/").slice(1);
  return steps.reduce((part, step) => (part as { readonly [step: string]: Schema })[step] ?? {}, whole);
}

function membersOf(schema: Schema): { readonly [name: string]: Schema } {
  const { $ref, properties, then } = schema;
  return { ...($ref === undefined ? {} : membersOf(schemaAt($ref))), ...then?.properties, ...properties };
}

function mayName(member: string, schema: Schema): boolean {
  return Object.hasOwn(membersOf(schema), member);
}

function specSchemas(name: KindName): { readonly [field: string]: Schema } {
  return membersOf(membersOf(schemaAt(`${kindSlugs[name]}.schema.json`))["spec"] ?? {});
}

function fieldsWithSchemas(name: KindName): readonly { path: string; field: Field; schema: Schema }[] {
  const schemas = specSchemas(name);
  return kinds[name].fieldList.flatMap(({ name: field, field: declared }) => [
    { path: field, field: declared, schema: declared.module === undefined ? (schemas[field] ?? {}) : {} },
    ...(declared.module?.memberList ?? []).map(({ name: member, field: inner }) => ({
      path: `${field}.${member}`,
      field: inner,
      schema: membersOf(schemas[field] ?? {})[member] ?? {},
    })),
  ]);
}
