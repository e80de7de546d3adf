import { formOf } from "./forms.js";
import type { SchemaPart } from "./resolve-schema.js";
import type { SchemaSet } from "./schema-files.js";
import { textOf } from "./text-of.js";
import { takesNull, typeWords } from "./type-words.js";

/** Where a field stands: in a resource's `spec`, elsewhere in what people write, or in what commands print. */
export interface FieldStatus {
  readonly required: boolean;
  readonly of: "spec" | "input" | "output";
}

/** What can be said of a field besides its description, as label and text. */
export function factsOf(
  part: SchemaPart,
  standing: FieldStatus | null,
  schemas: SchemaSet,
): readonly (readonly [label: string, text: string])[] {
  const { schema } = part;
  const facts: (readonly [string, string])[] = [
    ["Type", typeWords(part, schemas) + (takesNull(part) ? ", or null" : "")],
  ];
  if (standing !== null) facts.push(["Required", standing.required ? "yes" : "no"]);
  const fallback = defaultOf(schema);
  if (fallback !== null) facts.push(["Default", fallback]);
  const values = Array.isArray(schema["enum"]) ? schema["enum"].filter((value) => value !== null) : [];
  if (values.length > 0) facts.push(["Values", values.join(", ")]);
  if (schema["const"] !== undefined) facts.push(["Value", textOf(schema["const"])]);
  if (typeof schema["pattern"] === "string" && standing?.of !== "output")
    facts.push(["Form", formOf(schema["pattern"])]);
  const limits = limitsOf(schema);
  if (limits !== "") facts.push(["Limits", limits]);
  if (standing?.of === "spec") facts.push(["Set", setBy(schema)]);
  return facts;
}

function defaultOf(schema: SchemaPart["schema"]): string | null {
  if (schema["x-inherits"] === true) return "what is live stays";
  if (!("default" in schema)) return null;
  return schema["default"] === null ? "none" : JSON.stringify(schema["default"]);
}

function limitsOf(schema: SchemaPart["schema"]): string {
  const { minimum, maximum, minLength, maxLength, maxBytes, minProperties, maxProperties, uniqueItems } = schema;
  const limits: string[] = [];
  if (minimum !== undefined && maximum !== undefined) limits.push(`${textOf(minimum)} to ${textOf(maximum)}`);
  else if (minimum !== undefined) limits.push(`at least ${textOf(minimum)}`);
  else if (maximum !== undefined) limits.push(`at most ${textOf(maximum)}`);
  if (maxBytes !== undefined) limits.push(`at most ${textOf(maxBytes)} bytes of UTF-8`);
  else if (maxLength !== undefined) limits.push(`at most ${textOf(maxLength)} characters`);
  if (minLength !== undefined) limits.push("not empty");
  if (minProperties === 1 && maxProperties === 1) limits.push("exactly one member");
  if (uniqueItems === true) limits.push("nothing twice");
  return limits.join("; ");
}

/** Who may set a field, and when. */
function setBy(schema: SchemaPart["schema"]): string {
  const secret = schema["writeOnly"] === true;
  if (schema["x-immutable"] !== true)
    return secret ? "at any time, from outside of the manifest; never shown" : "at any time";
  if (secret) return "when the resource is created, from outside of the manifest; never shown";
  return "when the resource is created; another value makes a new one that takes its place";
}
