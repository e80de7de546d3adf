import { isAlias, isMap, isScalar, isSeq, type CST, type Node, type Pair, type YAMLMap, type YAMLSeq } from "yaml";
import { Unsafe, endsLine, lineEnd, lineStart, nextLine } from "./splices.js";

/** A member of a map or an item of a list: where it stands in the text. */
export interface Entry {
  /** Its first character: of the key, the dash of a block list, or what a flow list holds. */
  readonly start: number;
  /** Behind its last character that is neither blank nor comment. */
  readonly end: number;
  /** Where a value may begin: behind the colon or the dash; null when there is no colon. */
  readonly after: number | null;
  readonly value: Node | null;
}

type Item = CST.BlockMap["items"][number] | CST.FlowCollection["items"][number] | CST.BlockSequence["items"][number];

/** The entries of a map or list, in order. */
export function entriesOf(node: YAMLMap | YAMLSeq): readonly Entry[] {
  const tokens: readonly Item[] = node.srcToken !== undefined && "items" in node.srcToken ? node.srcToken.items : [];
  // The end of a collection may have a token of its own, for comments.
  const items = tokens.filter(
    ({ key, sep, start, value }) => key || sep || value || start.some(({ type }) => type === "seq-item-ind"),
  );
  if (items.length !== node.items.length) throw new Unsafe("is written in a way that can't be edited", startOf(node));
  return node.items.map((item, at) => {
    const token = items[at];
    if (token === undefined) throw new Unsafe("is written in a way that can't be edited", startOf(node));
    return isMap(node) ? memberEntry(item as Pair<Node, Node | null>, token) : itemEntry(item as Node, token);
  });
}

function memberEntry({ key, value }: Pair<Node, Node | null>, token: Item): Entry {
  const colon = token.sep?.find(({ type }) => type === "map-value-ind");
  const after = colon === undefined ? null : colon.offset + 1;
  const start = Math.min(startOf(key), ...propsOf(token.start).map(({ offset }) => offset));
  const end = Math.max(contentEnd(key), after ?? 0, ...endsOf(token.sep), contentEnd(value));
  return { start, end, after, value };
}

function itemEntry(item: Node, token: Item): Entry {
  const dash = token.start.find(({ type }) => type === "seq-item-ind");
  const start = dash?.offset ?? Math.min(startOf(item), ...propsOf(token.start).map(({ offset }) => offset));
  const after = dash === undefined ? start : dash.offset + 1;
  return { start, end: Math.max(after, ...endsOf(token.start), contentEnd(item)), after, value: item };
}

function propsOf(tokens: readonly CST.SourceToken[] = []): readonly CST.SourceToken[] {
  return tokens.filter(({ type }) => type === "anchor" || type === "tag" || type === "explicit-key-ind");
}

function endsOf(tokens: readonly CST.SourceToken[] | undefined): readonly number[] {
  return propsOf(tokens).map(({ offset, source }) => offset + source.length);
}

/** The first character of a node, its anchor and tag left out. */
export function startOf(node: Node | null): number {
  return node?.range?.[0] ?? Number.POSITIVE_INFINITY;
}

/** Behind the last character of a node that is neither blank nor comment; 0 when nothing is written. */
export function contentEnd(node: Node | null): number {
  if (node === null) return 0;
  const [start = 0, end = 0] = node.range ?? [];
  if (isAlias(node)) return end;
  if (isScalar(node)) {
    const token = node.srcToken;
    if (token?.type !== "block-scalar") return node.source === "" && start === end ? 0 : end;
    const props = token.props.flatMap((prop) => ("source" in prop ? [prop] : []));
    const header = props.find(({ type }) => type === "block-scalar-header");
    const before = Math.max(start, ...props.map(({ offset, source }) => offset + source.length));
    // In a block, blanks at the end of its last line are content; with `+`, so are the empty lines behind it.
    const last = token.source.trimEnd().length;
    const keeps = header?.source.includes("+") === true;
    const body = keeps
      ? token.source.replace(/\r?\n$/u, "")
      : token.source.slice(0, last && lineEnd(token.source, last));
    return body === "" ? start + (header?.source.length ?? 0) : before + body.length;
  }
  if ((isMap(node) || isSeq(node)) && node.flow !== true && node.srcToken !== undefined) {
    return Math.max(start, ...entriesOf(node).map((entry) => entry.end));
  }
  return end;
}

/** All lines of an entry of a block collection, with the comments that belong to it. */
export interface Extent {
  readonly start: number;
  readonly end: number;
}

/**
 * The lines of a block entry that goes: with the comment beside it, comments below that are deeper, and the comments
 * directly above that can belong to nothing else. They stay when they stand above the first entry (they may be about
 * all of them), above a blank line, or at another column. The first item of a list takes the one line above it along
 * when other items have such comments, too.
 */
export function extentOf(text: string, entries: readonly Entry[], at: number): Extent {
  const entry = entries[at];
  if (entry === undefined || !endsLine(text, entry.end))
    throw new Unsafe("shares a line with something else", entry?.start ?? 0);
  const own = lineStart(text, entry.start);
  const column = entry.start - own;
  let start = own;
  if (at > 0 || ownsCommentAbove(text, entries, own)) {
    for (
      let above = previousLine(text, start);
      above !== null && isCommentAt(text, above, column);
      above = previousLine(text, start)
    )
      start = above;
  }
  return { start, end: endOfEntry(text, entry, column) };
}

/** Whether one line of comment stands above the first item of a list in which other items have comments above them. */
function ownsCommentAbove(text: string, entries: readonly Entry[], own: number): boolean {
  const [first, ...others] = entries;
  if (first === undefined || !/^-\s/u.test(text.slice(first.start, first.start + 2))) return false;
  const above = previousLine(text, own);
  const further = above === null ? null : previousLine(text, above);
  const isOneLine = further === null || !/^ *#/u.test(text.slice(further, above ?? 0));
  return isOneLine && others.some((entry) => hasCommentAbove(text, entry));
}

/** Behind the last line of a block entry, its own comments included. */
export function endOfEntry(text: string, { end: contentEnds }: Entry, column: number): number {
  let end = nextLine(text, contentEnds);
  for (let at = end; at < text.length; at = nextLine(text, at)) {
    const line = text.slice(at, lineEnd(text, at));
    if (line.trim() === "") continue;
    const [blanks = ""] = /^[ ]*(?=#)/u.exec(line) ?? [];
    if (!line.startsWith(`${blanks}#`) || blanks.length <= column) break;
    end = nextLine(text, at);
  }
  return end;
}

/** The start of the line above; null at the first. */
function previousLine(text: string, start: number): number | null {
  return start === 0 ? null : lineStart(text, start - 1);
}

/** Whether a line is nothing but a comment at a column. */
export function isCommentAt(text: string, at: number, column: number): boolean {
  return text.startsWith(`${" ".repeat(column)}#`, at);
}

/** Whether comments stand directly above an entry, which may be about it and everything that follows. */
export function hasCommentAbove(text: string, { start }: Entry): boolean {
  const own = lineStart(text, start);
  const above = previousLine(text, own);
  return above !== null && isCommentAt(text, above, start - own);
}
