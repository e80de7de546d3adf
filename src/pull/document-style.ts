import { isAlias, isMap, isScalar, isSeq, Parser, type Document, type Node } from "yaml";
import { newComposer } from "../yaml/parse-any.js";
import { startOf } from "./node-places.js";
import type { WritingStyle } from "./render-value.js";
import { lineStart } from "./splices.js";

/** One document as nodes that know where they stand, and how it is written. */
export interface ComposedDocument {
  readonly contents: Node | null;
  readonly style: WritingStyle;
  /** The anchors that an alias uses. */
  readonly used: ReadonlySet<string>;
}

/** @param text a document that can be read */
export function composeDocument(text: string): ComposedDocument {
  const composer = newComposer({ keepSourceTokens: true });
  const [document] = composer.compose(new Parser().parse(text)) as Iterable<Document.Parsed>;
  const contents: Node | null = document?.contents ?? null;
  const seen: Seen = { used: new Set(), step: null, indentsLists: null, padding: null };
  look(contents, text, seen);
  const style = {
    lineBreak: text.includes("\r\n") ? "\r\n" : "\n",
    step: seen.step ?? 2,
    indentsLists: seen.indentsLists ?? true,
    json: isJson(text),
    padding: seen.padding ?? "",
  };
  return { contents, style, used: seen.used };
}

/** What was seen first. */
interface Seen {
  readonly used: Set<string>;
  step: number | null;
  indentsLists: boolean | null;
  padding: string | null;
}

function look(node: unknown, text: string, seen: Seen): void {
  if (isAlias(node)) seen.used.add(node.source);
  if (isSeq(node)) for (const item of node.items) look(item, text, seen);
  if (!isMap(node)) return;
  if (node.flow === true && node.items.length > 0) seen.padding ??= text.charAt(startOf(node) + 1) === " " ? " " : "";
  for (const { key, value } of node.items) {
    if (node.flow !== true && isScalar(key)) lookAtIndent(key, value, text, seen);
    look(key, text, seen);
    look(value, text, seen);
  }
}

function lookAtIndent(key: Node, value: unknown, text: string, seen: Seen): void {
  if (!(isMap(value) || isSeq(value)) || value.flow === true) return;
  const by = columnOf(text, startOf(value)) - columnOf(text, startOf(key));
  if (isSeq(value)) seen.indentsLists ??= by > 0;
  else if (by > 0) seen.step ??= by;
}

function columnOf(text: string, offset: number): number {
  return offset - lineStart(text, offset);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
