import { suggest } from "../diagnostics/suggest.js";
import { isObject } from "../core/json.js";
import { isKindName } from "../kinds/names.js";
import { elementOf, fieldsNamed } from "./find-field.js";
import { isReadOnly, textOf } from "./hints.js";
import { kindFacts } from "./kind-facts.js";
import { type SchemaSet, schemaFile } from "./schema-files.js";
import { type SchemaPart, factsOf, insideOf, membersOf, resolveSchema, typeWords } from "./schema-part.js";

/** The answer for a field that does not exist. */
export interface NoSuchField {
  /** The part of the path that exists. */
  readonly known: string;
  readonly missing: string;
  readonly suggestion: string | null;
  /** Where else the kind has fields of this name: `TLSEdge.tls_termination.min_version`. */
  readonly elsewhere: readonly string[];
  /** The service sets it; manifests can't. */
  readonly readOnly: boolean;
  readonly members: readonly string[];
}

/** A field on the path. */
interface FieldStep {
  readonly part: SchemaPart;
  readonly path: string;
  readonly required: boolean;
}

/**
 * The documentation of a schema (`TLSEdge`) or of a field in it. The path consists of member names; elements of lists
 * need none (numbers and `*` are skipped). For kinds, `spec` may be left out.
 * @param name one of `schemaNames`
 */
export function explain(name: string, fields: readonly string[], schemas: SchemaSet): Explanation | NoSuchField {
  const root: FieldStep = {
    part: resolveSchema(schemas.get(schemaFile(name)), schemaFile(name), schemas),
    path: name,
    required: true,
  };
  const isKind = isKindName(name);
  let at = root;
  let holder = root;
  for (const [index, field] of fields.entries()) {
    if (/^(\d+|\*)$/.test(field)) continue;
    const spec = isKind && index === 0 ? child(root, "spec", schemas) : null;
    const next = child(at, field, schemas) ?? (spec === null ? null : child(spec, field, schemas));
    if (next === null) {
      return { ...noSuchField(at, field, spec, schemas), elsewhere: fieldsNamed(field, name, schemas) };
    }
    holder = at;
    at = next;
  }
  const input = isKind || name === "Config" || name === "Fleet" || name === "manifest";
  const isSent = isKind && at.path.startsWith(`${name}.spec.`) && !isSource(holder, schemas);
  const of = isSent ? "spec" : input ? "input" : "output";
  const declared = isKindName(name) ? kindFacts(name, at.path.split(".").slice(1)) : [];
  return {
    path: at.path,
    title: textOf(at.part.schema["title"]),
    description: textOf(at.part.schema["description"]),
    facts: at === root ? [] : [...factsOf(at.part, { required: at.required, of }, schemas), ...declared],
    members: [...memberLines(at.part, schemas), ...(at === root && isKind ? specLines(root, schemas) : [])],
    examples: examplesOf(at),
  };
}

function child(step: FieldStep, name: string, schemas: SchemaSet): FieldStep | null {
  const part = elementOf(step.part, schemas);
  const path = `${step.path}.${name}`;
  const named = membersOf(part, schemas).get(name);
  if (named !== undefined) return { part: named, path, required: requiredOf(part).includes(name) };
  const { member } = insideOf(part, schemas);
  return member === null ? null : { part: member, path, required: false };
}

/** Whether the members of a field only say where its value is read from: they may change as long as the value doesn't. */
function isSource({ part }: FieldStep, schemas: SchemaSet): boolean {
  const names = [...membersOf(part, schemas).keys()];
  return names.length > 0 && names.every((name) => name === "file" || name === "env");
}

function requiredOf({ schema }: SchemaPart): readonly unknown[] {
  return Array.isArray(schema["required"]) ? schema["required"] : [];
}

function memberLines(part: SchemaPart, schemas: SchemaSet): readonly MemberLine[] {
  const holder = elementOf(part, schemas);
  const required = requiredOf(holder);
  const lines = [...membersOf(holder, schemas)].map(([name, member]) =>
    memberLine(name, required.includes(name), member, schemas),
  );
  const { member } = insideOf(holder, schemas);
  return member === null ? lines : [...lines, memberLine("NAME", false, member, schemas)];
}

/** The fields of a kind's spec, which people look for first. */
function specLines(root: FieldStep, schemas: SchemaSet): readonly MemberLine[] {
  const spec = child(root, "spec", schemas);
  if (spec === null) return [];
  return memberLines(spec.part, schemas).map((member) => ({ ...member, name: `spec.${member.name}` }));
}

function memberLine(name: string, required: boolean, part: SchemaPart, schemas: SchemaSet): MemberLine {
  return { name, required, type: typeWords(part, schemas), description: textOf(part.schema["description"]) };
}

function examplesOf({ part, path }: FieldStep): readonly string[] {
  const { examples } = part.schema;
  const member = path.slice(path.lastIndexOf(".") + 1);
  return Array.isArray(examples) ? examples.map((example) => `${member}: ${inlineYaml(example)}`) : [];
}

/** A value as YAML on one line. */
function inlineYaml(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(inlineYaml).join(", ")}]`;
  if (isObject(value))
    return `{${Object.entries(value)
      .map(([name, part]) => `${name}: ${inlineYaml(part)}`)
      .join(", ")}}`;
  const plain = typeof value === "string" && /^[A-Za-z][A-Za-z0-9_./-]*( [A-Za-z0-9_./-]+)*$/.test(value);
  return plain && !/^(true|false|null)$/i.test(value) ? value : JSON.stringify(value);
}

function noSuchField(
  at: FieldStep,
  missing: string,
  spec: FieldStep | null,
  schemas: SchemaSet,
): Omit<NoSuchField, "elsewhere"> {
  const members = [...membersOf(elementOf(at.part, schemas), schemas).keys()];
  const below = spec === null ? [] : [...membersOf(spec.part, schemas).keys()];
  const inSpec = spec !== null || at.path.endsWith(".spec");
  return {
    known: at.path,
    missing,
    suggestion: suggest(missing, [...members, ...below]),
    readOnly: inSpec && isReadOnly(["spec", missing]),
    members: spec === null ? members : below,
  };
}

/** One member, in words. */
export interface MemberLine {
  readonly name: string;
  readonly required: boolean;
  readonly type: string;
  readonly description: string;
}

/** The documentation of a kind or field. */
export interface Explanation {
  /** In full: `TLSEdge.spec.tls_termination.min_version`. */
  readonly path: string;
  readonly title: string;
  readonly description: string;
  /** Label and text, in display order. */
  readonly facts: readonly (readonly [label: string, text: string])[];
  readonly members: readonly MemberLine[];
  /** Lines of YAML. */
  readonly examples: readonly string[];
}
