import { isAlias, isMap, isScalar, isSeq, type Node, type YAMLMap, type YAMLSeq } from "yaml";
import { type Value, isObject } from "../core/json.js";
import { Secret } from "../core/secret.js";
import { type ItemStep, alignItems } from "./align-items.js";
import { editBlock } from "./edit-block.js";
import { editFlow } from "./edit-flow.js";
import { editScalar } from "./edit-scalar.js";
import { type Entry, contentEnd, entriesOf, startOf } from "./node-places.js";
import { type WritingStyle, blockLines, flowText, indented } from "./render-value.js";
import { isLiteral, sameValue, writtenForm } from "./same-value.js";
import { type Splice, Unsafe, endsLine, lineEnd, lineStart, spliced } from "./splices.js";

/** What all edits of one document share. */
export interface Editing {
  readonly text: string;
  readonly style: WritingStyle;
  /** The anchors that an alias uses. */
  readonly used: ReadonlySet<string>;
  /** Added to. */
  readonly splices: Splice[];
}

/** One value in a document. */
export interface EditedNode {
  readonly node: Node | null;
  /** What the document says, and what the manifest means by it. */
  readonly raw: Value;
  readonly meant: Value;
  /** Where it stands; null for the document itself. */
  readonly slot: Slot | null;
  /** In which order the members of maps are written, here and below; absent = no order is usual. */
  readonly order?: MemberOrder;
}

/** Where a value stands. */
export interface Slot {
  readonly entry: Entry;
  readonly inFlow: boolean;
  readonly ofList: boolean;
}

/** The usual order of the members of a map, and of the maps in it. */
export interface MemberOrder {
  readonly [member: string]: MemberOrder;
}

/** A new member or item, and the entry that it follows: -1 = it is the first. */
export interface Insertion {
  readonly after: number;
  /** Null for items of lists. */
  readonly name: string | null;
  readonly value: Value;
  /** The entry whose lines it takes along, as they are; absent = it is written anew. */
  readonly from?: number;
}

/** What happens to the entries of a map or list. Some entry is kept. */
export interface EntryChanges {
  readonly entries: readonly Entry[];
  readonly gone: ReadonlySet<number>;
  readonly added: readonly Insertion[];
}

/**
 * Collects the splices that make a value say something else, and returns what the document says then. What is equal is
 * not touched.
 * @throws Unsafe
 */
export function editNode(edited: EditedNode, to: Value, editing: Editing): Value {
  const { meant, node, raw } = edited;
  if (sameValue(meant, to)) return raw;
  if (isAlias(node)) return replaceNode(edited, to, editing);
  refuseFilledIn(edited);
  if (node?.anchor !== undefined && editing.used.has(node.anchor)) {
    throw sharedAnchor(node.anchor, node);
  }
  if (isMap(node) && isObject(raw) && isObject(meant) && isObject(to) && !(to instanceof Secret))
    return editMap(node, edited, to as { [m: string]: Value }, editing);
  if (isSeq(node) && Array.isArray(raw) && Array.isArray(meant) && Array.isArray(to))
    return editList(node, edited, to, editing);
  if (isScalar(node) && (typeof to !== "object" || to === null)) return editScalar(node, edited, to, editing);
  return replaceNode(edited, to, editing);
}

/** @throws Unsafe when the value comes from elsewhere: a file, a variable, a secret */
function refuseFilledIn({ meant, node, raw }: EditedNode): void {
  const source = isObject(raw) && Object.keys(raw).length === 1 ? raw : {};
  const { file, env } = source as { [m: string]: unknown };
  const at = startOf(node);
  if (meant instanceof Secret || (typeof env === "string" && !isObject(meant)))
    throw new Unsafe("is a secret, which pull never writes", at);
  if (typeof file === "string" && !isLiteral(raw, meant))
    throw new Unsafe(`comes from ${file}`, at, `write what is live into ${file}`);
  if (isObject(raw) && isObject(meant) && sameMembers(raw, meant)) return;
  if (Array.isArray(raw) && Array.isArray(meant) && raw.length === meant.length) return;
  if (typeof raw === "object" && raw !== null) throw new Unsafe("is filled in when the manifest is loaded", at);
  if (!isLiteral(raw, meant))
    throw new Unsafe("holds a variable: ${{ … }}", at, "change the variable, or write what is live in its place");
}

function sameMembers(a: object, b: object): boolean {
  const members = Object.keys(a);
  return members.length === Object.keys(b).length && members.every((member) => Object.hasOwn(b, member));
}

function editMap(node: YAMLMap, edited: EditedNode, to: { readonly [m: string]: Value }, editing: Editing): Value {
  const raw = edited.raw as { readonly [m: string]: Value };
  const meant = edited.meant as { readonly [m: string]: Value };
  // In the order of the text: in JavaScript, members like "1" always come first.
  const names = node.items.map(({ key }) => (isScalar(key) ? String(key.value) : ""));
  const kept = names.filter((name) => Object.hasOwn(to, name));
  const missing = Object.keys(to).filter((name) => !Object.hasOwn(raw, name));
  if (kept.length === 0) return replaceNode(edited, to, editing);
  const entries = entriesOf(node);
  const result: { [m: string]: Value } = {};
  const gone = new Set<number>();
  for (const [at, name] of names.entries()) {
    const entry = entries[at];
    const part = { raw: raw[name] ?? null, meant: meant[name] ?? null, node: entry?.value ?? null };
    const wanted = to[name];
    if (wanted === undefined) {
      refuseLoss(part, editing);
      gone.add(at);
    } else if (entry !== undefined) {
      const slot = { entry, inFlow: node.flow === true, ofList: false };
      const order = edited.order?.[name];
      result[name] = editNode({ ...part, slot, ...(order === undefined ? {} : { order }) }, wanted, editing);
    }
  }
  const added = missing.map((name) => {
    const value = writtenForm(to[name] ?? null);
    result[name] = value;
    return { name, value, after: placeOf(name, names, gone, edited.order) };
  });
  changeEntries(node, { entries, gone, added }, editing);
  return result;
}

/** The entry that a new member follows by the usual order; -1 = it is the first. Without an order it is the last. */
function placeOf(
  name: string,
  names: readonly string[],
  gone: ReadonlySet<number>,
  order: MemberOrder | undefined,
): number {
  const usual = Object.keys(order ?? {});
  const rank = usual.indexOf(name);
  const before = (at: number): boolean => rank === -1 || usual.indexOf(names[at] ?? "") < rank;
  return names.reduce((last, _, at) => (!gone.has(at) && before(at) ? at : last), -1);
}

function editList(node: YAMLSeq, edited: EditedNode, to: readonly Value[], editing: Editing): Value {
  const raw = edited.raw as readonly Value[];
  const meant = edited.meant as readonly Value[];
  const steps = alignItems(meant, to);
  if (!steps.some((step) => step.do === "keep" || step.do === "edit")) return replaceNode(edited, to, editing);
  const entries = entriesOf(node);
  const result: Value[] = [];
  const gone = new Set<number>();
  const added: Insertion[] = [];
  const moves = movesOf(steps, { node, meant, to }, editing);
  let last = -1;
  for (const step of steps) {
    if (step.do === "insert") {
      const from = moves.get(step.to);
      const value = from === undefined ? writtenForm(to[step.to] ?? null) : (raw[from] ?? null);
      added.push({ after: last, name: null, value, ...(from === undefined ? {} : { from }) });
      result.push(value);
      continue;
    }
    const entry = entries[step.from];
    const part = { raw: raw[step.from] ?? null, meant: meant[step.from] ?? null, node: entry?.value ?? null };
    if (step.do === "remove") {
      if (![...moves.values()].includes(step.from)) refuseLoss(part, editing);
      gone.add(step.from);
      continue;
    }
    last = step.from;
    if (entry === undefined) continue;
    const slot = { entry, inFlow: node.flow === true, ofList: true };
    result.push(editNode({ ...part, slot }, to[step.to] ?? null, editing));
  }
  changeEntries(node, { entries, gone, added }, editing);
  return result;
}

/** Items that only change their place: by their new index, the old one. Their lines move with all that stands in them. */
function movesOf(
  steps: readonly ItemStep[],
  { meant, node, to }: { readonly node: YAMLSeq; readonly meant: readonly Value[]; readonly to: readonly Value[] },
  { used }: Editing,
): ReadonlyMap<number, number> {
  const moves = new Map<number, number>();
  if (node.flow === true) return moves;
  const removed = new Set(steps.flatMap((step) => (step.do === "remove" ? [step.from] : [])));
  for (const step of steps) {
    if (step.do !== "insert") continue;
    const from = [...removed].find((at) => {
      const item = node.items[at];
      // An alias must stand behind its anchor.
      return sameValue(meant[at], to[step.to]) && !hasAlias(item) && !anchorsIn(item).some((name) => used.has(name));
    });
    if (from === undefined) continue;
    removed.delete(from);
    moves.set(step.to, from);
  }
  return moves;
}

function hasAlias(node: unknown): boolean {
  if (isAlias(node)) return true;
  if (isSeq(node)) return node.items.some(hasAlias);
  return isMap(node) && node.items.some(({ key, value }) => hasAlias(key) || hasAlias(value));
}

function changeEntries(node: YAMLMap | YAMLSeq, changes: EntryChanges, editing: Editing): void {
  if (changes.gone.size === 0 && changes.added.length === 0) return;
  if (node.flow === true) editFlow(changes, editing);
  else editBlock(changes, editing);
}

/** @throws Unsafe when what goes comes from elsewhere, or is used elsewhere */
function refuseLoss({ meant, node, raw }: Pick<EditedNode, "meant" | "node" | "raw">, { used }: Editing): void {
  if (!isLiteral(raw, meant)) {
    throw new Unsafe(
      "would lose a {file}, a secret or a variable",
      startOf(node),
      "remove it if nothing needs it any longer",
    );
  }
  const anchor = anchorsIn(node).find((name) => used.has(name));
  if (anchor !== undefined) throw sharedAnchor(anchor, node);
}

function sharedAnchor(anchor: string, node: Node | null): Unsafe {
  const remedy = "write the value out at each alias, then pull again";
  return new Unsafe(`has the anchor &${anchor}, which is used elsewhere in the document`, startOf(node), remedy);
}

function anchorsIn(node: unknown): readonly string[] {
  if (isAlias(node) || !(isMap(node) || isSeq(node) || isScalar(node))) return [];
  const own = node.anchor === undefined ? [] : [node.anchor];
  if (isSeq(node)) return [...own, ...node.items.flatMap(anchorsIn)];
  return isMap(node)
    ? [...own, ...node.items.flatMap(({ key, value }) => [...anchorsIn(key), ...anchorsIn(value)])]
    : own;
}

/** Writes a value anew in the place of another. */
function replaceNode(edited: EditedNode, to: Value, editing: Editing): Value {
  const { node, slot } = edited;
  const { splices, style, text } = editing;
  refuseLoss(edited, editing);
  const written = writtenForm(to);
  if (slot?.entry.after == null) throw new Unsafe("is written in a way that can't be edited", startOf(node));
  if (node !== null && !isAlias(node) && node.tag !== undefined)
    throw new Unsafe("has a tag, which may not fit another value", startOf(node));
  const { end } = slot.entry;
  // An anchor that nothing uses stays where it is.
  const [anchor = ""] =
    node?.anchor === undefined ? [] : (/^[ \t]*&\S+/u.exec(text.slice(slot.entry.after, end)) ?? []);
  const after = slot.entry.after + anchor.length;
  const start = Math.min(startOf(node), end) < after ? after : Math.min(startOf(node), end);
  const isEmpty = contentEnd(node) === 0;
  const inBrackets = slot.inFlow || ((isMap(node) || isSeq(node)) && node.flow === true);
  const lines = inBrackets ? null : blockLines(written, style);
  const sameLine = lineEnd(text, after) >= start || isEmpty;
  if (sameLine && (lines === null || !/^[ \t]*$/u.test(text.slice(end, lineEnd(text, end))))) {
    const lead = isEmpty && !slot.inFlow ? " " : "";
    const from = isEmpty ? after : start;
    splices.push({ start: from, end: isEmpty ? after : end, text: lead + flowText(written, style) });
    return written;
  }
  // What stands beside the colon or dash, a comment, stays there.
  if (!endsLine(text, end)) throw new Unsafe("shares a line with something else", start);
  const column = slot.entry.start - lineStart(text, slot.entry.start);
  const from = sameLine ? after : lineEnd(text, after);
  // The comment beside the last line of a block is about what goes.
  const until = lineEnd(text, end);
  if (lines === null) {
    splices.push(
      { start: after, end: after, text: ` ${flowText(written, style)}` },
      { start: from, end: until, text: "" },
    );
  } else if (slot.ofList) {
    if (!sameLine) throw new Unsafe("is written in a way that can't be edited", start);
    const [first = "", ...rest] = lines;
    const under = rest.map((line) => indented(line, column + 2));
    splices.push({ start: after, end: until, text: ` ${[first, ...under].join(style.lineBreak)}` });
  } else {
    const by = column + (Array.isArray(written) && !style.indentsLists ? 0 : style.step);
    const under = lines.map((line) => indented(line, by));
    splices.push({ start: from, end: until, text: ["", ...under].join(style.lineBreak) });
  }
  return written;
}

/** The text with all splices that were collected. */
export function editedText({ splices, text }: Editing): string {
  return spliced(text, splices);
}
