import type { Json } from "../json.js";
import { visible } from "./escape.js";
import { formatFlow, isList, isReference, membersOf, formatScalar } from "./flow.js";
import { isPem } from "./pem.js";
import { parseJsonText, policyLines } from "./policy-lines.js";

/** A value as lines of block-style YAML, one thing a line, so that lines can be compared. */
export function blockLines(value: Json): readonly string[] {
  const lines: string[] = [];
  appendBlock(lines, value, "", 0);
  return lines;
}

const deepestBlock = 12;

function appendBlock(lines: string[], value: Json, indent: string, depth: number): void {
  if (depth >= deepestBlock || isLeaf(value)) {
    lines.push(indent + (typeof value === "object" ? formatFlow(value) : formatScalar(value)));
  } else if (isList(value)) {
    for (const item of value) {
      if (isLeaf(item)) lines.push(`${indent}- ${formatFlow(item)}`);
      else {
        lines.push(`${indent}-`);
        appendBlock(lines, item, `${indent}  `, depth + 1);
      }
    }
  } else if (typeof value === "object" && value !== null) {
    for (const [name, member] of membersOf(value)) appendBlockMember(lines, name, member, indent, depth);
  } else if (typeof value === "string") {
    for (const line of textLines(value)) lines.push(indent + line);
  }
}

function appendBlockMember(lines: string[], name: string, member: Json, indent: string, depth: number): void {
  const key = `${indent}${formatFlow(name)}:`;
  if (isLeaf(member)) lines.push(`${key} ${typeof member === "object" ? formatFlow(member) : formatScalar(member)}`);
  else {
    lines.push(typeof member === "string" && parseJsonText(member) === null ? `${key} |` : key);
    appendBlock(lines, member, `${indent}  `, depth + 1);
  }
}

/** A text of several lines, or a JSON document, as lines. */
export function textLines(text: string): readonly string[] {
  const policy = parseJsonText(text);
  if (policy !== null) return policyLines(policy);
  const lines = visible(text).split("\n");
  if (lines.length > 1 && lines.at(-1) === "") lines.pop();
  else lines[lines.length - 1] += text.includes("\n") ? " (no line break at the end)" : "";
  return lines;
}

/** Whether a string is shown over several lines. */
export function isLongText(text: string): boolean {
  return !isPem(text) && (text.includes("\n") || parseJsonText(text) !== null);
}

function isLeaf(value: Json): boolean {
  if (typeof value === "string") return !isLongText(value);
  if (typeof value !== "object" || value === null) return true;
  return isList(value) ? value.length === 0 : isReference(value) || membersOf(value).length === 0;
}
