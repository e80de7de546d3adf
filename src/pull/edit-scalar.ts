import type { Scalar } from "yaml";
import type { Value } from "../core/json.js";
import type { EditedNode, Editing } from "./edit-node.js";
import { contentEnd, startOf } from "./node-places.js";
import { indented, literalLines, scalarText } from "./render-value.js";
import { writtenForm } from "./same-value.js";
import { Unsafe, lineEnd, lineStart } from "./splices.js";

/** Writes a scalar in the place of another: in its quotes, as its sort of block, below its header's comment. */
export function editScalar(node: Scalar, { slot }: EditedNode, to: Value, editing: Editing): Value {
  const { splices, text } = editing;
  const written = writtenForm(to);
  const start = startOf(node);
  if (node.tag !== undefined && !fitsTag(to, node.tag))
    throw new Unsafe("has a tag, which may not fit another value", start);
  if (node.type === "BLOCK_LITERAL" || node.type === "BLOCK_FOLDED") return editBlockScalar(node, written, editing);
  if (contentEnd(node) === 0) {
    if (slot?.entry.after == null) throw new Unsafe("is written in a way that can't be edited", start);
    const at = Math.max(slot.entry.after, slot.entry.end);
    splices.push({ start: at, end: at, text: ` ${scalarText(written, "plain", slot.inFlow)}` });
    return written;
  }
  const quotes = node.type === "QUOTE_DOUBLE" ? "double" : node.type === "QUOTE_SINGLE" ? "single" : "plain";
  const tagged = node.tag !== undefined && typeof written === "string" && quotes === "plain" ? "double" : quotes;
  const json = editing.style.json && typeof written === "string" ? "double" : tagged;
  const end = contentEnd(node);
  splices.push({ start, end, text: scalarText(written, json, slot?.inFlow === true) });
  if (text.slice(start, end) === "") throw new Unsafe("is written in a way that can't be edited", start);
  return written;
}

/** Whether a tag like `!!int` may stay before another value. */
function fitsTag(value: Value, tag: string): boolean {
  if (tag === "tag:yaml.org,2002:str") return typeof value === "string";
  if (tag === "tag:yaml.org,2002:int") return Number.isInteger(value);
  return tag === "tag:yaml.org,2002:bool" && typeof value === "boolean";
}

function editBlockScalar(node: Scalar, written: Value, editing: Editing): Value {
  const { splices, style, text } = editing;
  const start = startOf(node);
  const end = contentEnd(node);
  const bodyStart = text.indexOf("\n", start) + 1;
  const headerEnd = start + (/^[|>][-+0-9]*/u.exec(text.slice(start, start + 4))?.[0].length ?? 1);
  const block = typeof written === "string" ? blockOf(node, written) : null;
  if (block === null || bodyStart === 0 || bodyStart > end) {
    // One line instead, with the comment of the header beside it.
    splices.push({ start, end: headerEnd, text: scalarText(written, "double", false) });
    splices.push({ start: lineEnd(text, start), end: Math.max(end, lineEnd(text, start)), text: "" });
    return written;
  }
  const [, blanks = ""] = /^(?:[ ]*\r?\n)*([ ]+)/u.exec(text.slice(bodyStart, end)) ?? [];
  const column = blanks.length === 0 ? text.slice(lineStart(text, start)).search(/\S/u) + style.step : blanks.length;
  const body = block.lines.map((line) => indented(line, column)).join(style.lineBreak);
  splices.push({ start, end: headerEnd, text: block.header }, { start: bodyStart, end, text: body });
  return written;
}

/** The header and lines of a block scalar of the same sort; a folded one becomes literal where folding would change it. */
function blockOf(node: Scalar, written: string): { readonly header: string; readonly lines: readonly string[] } | null {
  const literal = literalLines(written);
  if (literal === null || node.type !== "BLOCK_FOLDED") return literal;
  if (literal.lines.some((line) => /^\s/u.test(line) || line === "")) return literal;
  // A line break of the text is an empty line of the source.
  const lines = literal.lines.flatMap((line, at) => (at === 0 ? [line] : ["", line]));
  return { header: literal.header.replace("|", ">"), lines };
}
