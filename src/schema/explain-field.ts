import { isObject } from "../core/json.js";
import { misuse } from "../core/errors.js";
import { didYouMean } from "../diagnostics/suggest.js";
import type { Field } from "../kinds/kind.js";
import { type KindName, isKindName } from "../kinds/names.js";
import { kinds } from "../kinds/registry.js";
import { readSchema, schemaFile } from "./schema-files.js";
import {
  type Fact,
  type SchemaPart,
  factsOf,
  insideOf,
  memberOf,
  membersOf,
  resolveSchema,
  textOf,
  typeWords,
} from "./schema-part.js";
import { isReadOnly } from "./validate-documents.js";

type MemberLine = Readonly<{
  name: string;
  required: boolean;
  type: string;
  description: string;
}>;

export type Explanation = Readonly<{
  path: string;
  title: string;
  description: string;
  facts: readonly Fact[];
  members: readonly MemberLine[];
  examples: readonly string[];
}>;

type FieldStep = Readonly<{
  part: SchemaPart;
  path: string;
  required: boolean;
}>;

/** Elements of lists need no step. For kinds, `spec` may be left out. */
export function explain(name: string, fields: readonly string[]): Explanation {
  const file = schemaFile(name);
  const root: FieldStep = { part: resolveSchema(readSchema(file), file), path: name, required: true };
  const spec = isKindName(name) ? child(root, "spec") : null;
  let at = root;
  let holder = root;
  for (const [index, field] of fields.entries()) {
    if (/^(\d+|\*)$/.test(field)) continue;
    const below = index === 0 ? spec : null;
    const next = child(at, field) ?? (below === null ? null : child(below, field));
    if (next === null) throw noSuchField(at, field, below);
    holder = at;
    at = next;
  }
  const isInput = spec !== null || name === "Config" || name === "Fleet" || name === "manifest";
  const isSent = spec !== null && at.path.startsWith(`${spec.path}.`) && !isSource(holder);
  const of = isSent ? "spec" : isInput ? "input" : "output";
  const declared = isKindName(name) ? kindFacts(name, at.path.split(".").slice(1)) : [];
  const specLines = at !== root || spec === null ? [] : memberLines(spec.part);
  const { title, description, examples } = at.part.schema;
  const member = at.path.slice(at.path.lastIndexOf(".") + 1);
  return {
    path: at.path,
    title: textOf(title),
    description: textOf(description),
    facts: at === root ? [] : [...factsOf(at.part, at.required, of), ...declared],
    members: [...memberLines(at.part), ...specLines.map((member) => ({ ...member, name: `spec.${member.name}` }))],
    examples: Array.isArray(examples) ? examples.map((example) => `${member}: ${inlineYaml(example)}`) : [],
  };
}

function child(step: FieldStep, name: string): FieldStep | null {
  const holder = elementOf(step.part);
  const part = memberOf(holder, name);
  return part === null ? null : { part, path: `${step.path}.${name}`, required: requiredOf(holder).includes(name) };
}

function elementOf(part: SchemaPart): SchemaPart {
  const element = insideOf(part, "items");
  return element === null ? part : elementOf(element);
}

/** Whether the members of a field only say where its value is read from. */
function isSource({ part }: FieldStep): boolean {
  const names = [...membersOf(part).keys()];
  return names.length > 0 && names.every((name) => name === "file" || name === "env");
}

function requiredOf({ schema }: SchemaPart): readonly unknown[] {
  return Array.isArray(schema["required"]) ? schema["required"] : [];
}

function memberLines(part: SchemaPart): readonly MemberLine[] {
  const holder = elementOf(part);
  const required = requiredOf(holder);
  const member = insideOf(holder, "additionalProperties");
  const members = [...membersOf(holder), ...(member === null ? [] : [["NAME", member] as const])];
  return members.map(([name, inner]) => ({
    name,
    required: required.includes(name),
    type: typeWords(inner),
    description: textOf(inner.schema["description"]),
  }));
}

function inlineYaml(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(inlineYaml).join(", ")}]`;
  if (isObject(value)) {
    const members = Object.entries(value).map(([name, part]) => `${name}: ${inlineYaml(part)}`);
    return `{${members.join(", ")}}`;
  }
  const plain = typeof value === "string" && /^[A-Za-z][A-Za-z0-9_./-]*( [A-Za-z0-9_./-]+)*$/.test(value);
  return plain && !/^(true|false|null)$/i.test(value) ? value : JSON.stringify(value);
}

function noSuchField(at: FieldStep, missing: string, spec: FieldStep | null): Error {
  const [own = [], below = []] = [at, ...(spec === null ? [] : [spec])].map((step) => [
    ...membersOf(elementOf(step.part)).keys(),
  ]);
  const members = spec === null ? own : below;
  const list = members.length === 0 ? "It has no fields." : `Available fields: ${members.join(", ")}.`;
  const near = didYouMean(missing, [...own, ...below]);
  if (near === null && (spec !== null || at.path.endsWith(".spec")) && isReadOnly(["spec", missing]))
    return misuse(`${at.path}.${missing} is read-only: the service sets it`, list);
  return misuse(`${at.path} has no field ${JSON.stringify(missing)}`, near === null ? list : `${near} ${list}`);
}

function kindFacts(kind: KindName, [start, name = "", member = "", ...deeper]: readonly string[]): readonly Fact[] {
  const field = start === "spec" ? kinds[kind].fields[name] : undefined;
  if (field === undefined) return [];
  const named = member === "" ? field : deeper.length === 0 ? field.module?.members[member] : undefined;
  const from = named === undefined ? null : sourcesOf(named);
  return from === null ? [] : [["From", from]];
}

function sourcesOf({ secret, content }: Field): string | null {
  if (secret === true) return "{env: NAME} or {file: path}, not the manifest";
  if (content === "policy") return "the manifest or {file: path}; secrets in it from {env: NAME} or {file: path}";
  return content === "text" ? "the manifest or {file: path}" : null;
}
