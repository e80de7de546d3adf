import { type Value, isObject } from "../core/json.js";
import { jsonEscape } from "../text/safe-json.js";
import { escapeActive, isActive } from "../text/visible.js";
import { parseAny } from "../yaml/parse-any.js";

/** How a document is written. */
export interface WritingStyle {
  /** `\n` or `\r\n`. */
  readonly lineBreak: string;
  /** How many columns a map is indented below its key. */
  readonly step: number;
  /** Whether a list is indented below its key. */
  readonly indentsLists: boolean;
  /** Everything is JSON, as a whole or in the text of a policy. */
  readonly json: boolean;
  /** What stands inside of braces: `{ a: 1 }` or `{a: 1}`. */
  readonly padding: string;
}

type Quotes = "plain" | "single" | "double";

/**
 * A value in brackets, on one line.
 * @param value in its written form: what it holds is written as it stands
 */
export function flowText(value: Value, style: WritingStyle): string {
  if (Array.isArray(value)) return `[${value.map((item: Value) => flowText(item, style)).join(", ")}]`;
  if (!isObject(value)) return scalarText(value, style.json ? "double" : "plain", true);
  const members = Object.entries(value as { [m: string]: Value });
  if (members.length === 0) return "{}";
  const inside = members.map(([name, part]) => `${keyText(name, style, true)}: ${flowText(part, style)}`).join(", ");
  return `{${style.padding}${inside}${style.padding}}`;
}

/** The lines of a map or list in block style, without indentation; null for a value that stands on one line. */
export function blockLines(value: Value, style: WritingStyle): readonly string[] | null {
  if (isCompact(value)) return null;
  if (Array.isArray(value)) return value.flatMap((item: Value) => itemLines(item, style));
  return Object.entries(value as { [m: string]: Value }).flatMap(([name, part]) => memberLines(name, part, style));
}

/** The lines of an item of a list in block style, its dash included. */
export function itemLines(item: Value, style: WritingStyle): readonly string[] {
  const block = blockLines(item, style);
  if (block === null) return hanging("- ", inlineLines(item, style), style);
  return block.map((line, at) => (at === 0 ? `- ${line}` : indented(line, 2)));
}

/** The lines of a member of a map in block style. */
export function memberLines(name: string, value: Value, style: WritingStyle): readonly string[] {
  const key = keyText(name, style, false);
  const block = blockLines(value, style);
  if (block === null) return hanging(`${key}: `, inlineLines(value, style), style);
  const by = Array.isArray(value) && !style.indentsLists ? 0 : style.step;
  return [`${key}:`, ...block.map((line) => indented(line, by))];
}

/** A line moved to the right; a blank one stays blank. */
export function indented(line: string, by: number): string {
  return line === "" ? "" : " ".repeat(by) + line;
}

/** The key of a member, in quotes where it needs them. */
export function keyText(name: string, style: WritingStyle, inFlow: boolean): string {
  return scalarText(name, style.json ? "double" : "plain", inFlow);
}

/** A scalar on one line, in the quotes that are asked for when they will do. */
export function scalarText(value: Value, quotes: Quotes, inFlow: boolean): string {
  if (typeof value !== "string") return JSON.stringify(value);
  if (quotes === "plain" && isPlain(value, inFlow)) return value;
  if (quotes === "single" && !/[\r\n\t]/u.test(value) && !isActive(value)) return `'${value.replaceAll("'", "''")}'`;
  return escapeActive(JSON.stringify(value), jsonEscape).replace(/[\u007f-\u009f\ufeff]/gu, jsonEscape);
}

/** The text of a literal block, without indentation; null when a block can't hold it. */
export function literalLines(text: string): { readonly header: string; readonly lines: readonly string[] } | null {
  const chomped = text.endsWith("\n") ? text.slice(0, -1) : text;
  if (chomped === "" || /^\s|\n$|\r|[^\S\n]$/u.test(chomped) || isActive(chomped)) return null;
  return { header: text.endsWith("\n") ? "|" : "|-", lines: chomped.split("\n") };
}

/** Whether YAML reads the text as itself when it has no quotes. */
function isPlain(text: string, inFlow: boolean): boolean {
  // Other tools read `yes`, `12:30` and dates in their own way.
  if (/^(?:y|n|yes|no|on|off|\d[\d:_-]*)$/iu.test(text)) return false;
  if (text === "" || text === "<<" || /[\r\n\t]|^\s|\s$|^---|^\.\.\./u.test(text) || isActive(text)) return false;
  // As a value, as an item and as a key: `a: b` and `# c` are texts in none of them.
  const [document] = parseAny(inFlow ? `[${text}, {${text}: ${text}}]` : `${text}: ${text}`).documents;
  const expected = inFlow ? JSON.stringify([text, { [text]: text }]) : JSON.stringify({ [text]: text });
  return JSON.stringify(document?.value) === expected;
}

/** Scalars, what is empty, and references: `{id: ipp_1}`. */
function isCompact(value: Value): boolean {
  if (Array.isArray(value)) return value.length === 0;
  if (!isObject(value)) return true;
  const members = Object.values(value as { [m: string]: Value });
  return members.length === 0 || (members.length === 1 && typeof members[0] === "string" && isReference(value));
}

function isReference(value: object): boolean {
  return "id" in value || "name" in value || "address" in value;
}

/** A value beside its key or dash: one line, or the header of a literal block and its lines. */
function inlineLines(value: Value, style: WritingStyle): readonly string[] {
  const literal = typeof value === "string" && value.includes("\n") ? literalLines(value) : null;
  return literal === null ? [flowless(value, style)] : [literal.header, ...literal.lines];
}

function flowless(value: Value, style: WritingStyle): string {
  return typeof value === "object" && value !== null ? flowText(value, style) : scalarText(value, "plain", false);
}

function hanging(lead: string, [first = "", ...rest]: readonly string[], style: WritingStyle): readonly string[] {
  return [lead + first, ...rest.map((line) => indented(line, style.step))];
}
