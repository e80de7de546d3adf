import { Document, Pair, type Scalar, isAlias, isMap, isPair, isScalar, isSeq, visit } from "yaml";
import type { Node, YAMLMap, YAMLSeq } from "yaml";
import { type Value, type ValueObject, isObject as isJsonObject } from "../core/json.js";
import { Secret } from "../core/secret.js";
import { escapedExpressions } from "../export/export-document.js";
import { isActive } from "../core/visible.js";

export type Reason = Readonly<{
  /** A predicate of the field: `comes from policy.yaml`. */
  reason: string;
  remedy: string | null;
}>;

/** An edit might change more than is meant. */
export class Unsafe extends Error implements Reason {
  override readonly name = "Unsafe";

  constructor(
    readonly reason: string,
    readonly remedy: string | null = null,
  ) {
    super(reason);
  }
}

export function whyUnsafe(edit: () => void): Reason | null {
  try {
    edit();
    return null;
  } catch (error) {
    if (!(error instanceof Unsafe)) throw error;
    return { reason: error.reason, remedy: error.remedy };
  }
}

type Editing = Readonly<{
  used: ReadonlySet<string>;
  json: boolean;
}>;

type Said = Readonly<{
  node: Node | null;
  raw: Value;
  /** With variables, files and secrets filled in. */
  meant: Value;
}>;

export interface MemberOrder {
  readonly [member: string]: MemberOrder;
}

/** What is equal is not touched. @throws Unsafe */
export function editNode(said: Said, to: Value, editing: Editing, order?: MemberOrder): Node | null {
  const { meant, node, raw } = said;
  if (sameValue(meant, to)) return node;
  if (isAlias(node) || node === null) return replaced(said, to, editing);
  refuseFilledIn(said);
  if (node.anchor !== undefined && editing.used.has(node.anchor)) throw sharedAnchor(node.anchor);
  if (isMap(node) && isObject(raw) && isObject(meant) && isObject(to)) {
    editMap(node, { raw, meant }, to, editing, order);
    return node;
  }
  if (isSeq(node) && Array.isArray(raw) && Array.isArray(meant) && Array.isArray(to)) {
    editList(node, { raw, meant }, to, editing);
    return node;
  }
  if (!isScalar(node) || isStructure(to)) return replaced(said, to, editing);
  refuseTag(node);
  node.value = escapedExpressions(to);
  delete node.source;
  if (typeof node.value === "string") node.type = styleOf(node.value, node.type, editing);
  else delete node.type;
  return node;
}

function refuseFilledIn({ meant, raw }: Said): void {
  const source = isObject(raw) && Object.keys(raw).length === 1 ? raw : {};
  const { file, env } = source;
  if (meant instanceof Secret || (typeof env === "string" && !isObject(meant)))
    throw new Unsafe("is a secret, which pull never writes");
  if (typeof file === "string" && !isLiteral(raw, meant))
    throw new Unsafe(`comes from ${file}`, `write what is live into ${file}`);
  if (isObject(raw) && isObject(meant) && Object.keys(raw).sort().join() === Object.keys(meant).sort().join()) return;
  if (Array.isArray(raw) && Array.isArray(meant) && raw.length === meant.length) return;
  if (isStructure(raw)) throw new Unsafe("is filled in when the manifest is loaded");
  if (!isLiteral(raw, meant))
    throw new Unsafe("holds a variable: ${{ … }}", "change the variable, or write what is live in its place");
}

function editMap(
  map: YAMLMap,
  { meant, raw }: Readonly<{ raw: ValueObject; meant: ValueObject }>,
  to: ValueObject,
  editing: Editing,
  order: MemberOrder | undefined,
): void {
  const pairs = map.items as Pair<Node, Node | null>[];
  for (const pair of pairs.slice()) {
    const name = nameOf(pair);
    const wanted = to[name];
    const said = { node: pair.value, raw: raw[name] ?? null, meant: meant[name] ?? null };
    if (wanted !== undefined) pair.value = editNode(said, wanted, editing, order?.[name]);
    else {
      refuseLoss(said, editing);
      removeFrom(map, pairs.indexOf(pair));
    }
  }
  for (const [name, value] of Object.entries(to)) {
    if (Object.hasOwn(raw, name)) continue;
    const place = placeOf(name, pairs.map(nameOf), order);
    // A comment above the first member is about that one.
    const leads = place === 0 && (map.commentBefore ?? "") !== "" && pairs.length > 0;
    pairs.splice(leads ? 1 : place, 0, new Pair(newNode(name, editing), newNode(value ?? null, editing)));
  }
}

function nameOf({ key }: Pair): string {
  return isScalar(key) ? String(key.value) : "";
}

function placeOf(name: string, names: readonly string[], order: MemberOrder | undefined): number {
  const usual = Object.keys(order ?? {});
  const rank = usual.indexOf(name);
  return rank === -1 ? names.length : names.findLastIndex((other) => usual.indexOf(other) < rank) + 1;
}

/** Equal items keep their nodes, similar ones are edited. */
function editList(
  list: YAMLSeq,
  { meant, raw }: Readonly<{ raw: readonly Value[]; meant: readonly Value[] }>,
  to: readonly Value[],
  editing: Editing,
): void {
  const items = list.items as Node[];
  const [first, ...others] = items;
  // A line above the first item is about that item when others have one, too.
  if (
    list.commentBefore?.includes("\n") === false &&
    first !== undefined &&
    others.some((item) => item.commentBefore)
  ) {
    first.commentBefore = list.commentBefore;
    delete list.commentBefore;
  }
  const rest = new Set(items.keys());
  const take = (fits: (at: number) => boolean): number | undefined => {
    const found = [...rest].find(fits);
    if (found !== undefined) rest.delete(found);
    return found;
  };
  const equal = to.map((wanted) => take((at) => sameValue(meant[at], wanted)));
  const from = to.map((wanted, index) => equal[index] ?? take((at) => isLike(meant[at] ?? null, wanted)));
  const said = (at: number): Said => ({ node: items[at] ?? null, raw: raw[at] ?? null, meant: meant[at] ?? null });
  for (const at of rest) refuseLoss(said(at), editing);
  const kept = to.map((wanted, index) => {
    const at = from[index];
    return at === undefined ? newNode(wanted, editing) : editNode(said(at), wanted, editing);
  });
  for (const at of [...rest].reverse()) removeFrom(list, at);
  list.items = kept;
}

/** Their names, or members of theirs, are alike. */
function isLike(a: Value, b: Value): boolean {
  if (Array.isArray(a) && Array.isArray(b)) {
    const others: readonly Value[] = b;
    return a.some(
      (item: Value) => isStructure(item) && others.some((other) => sameValue(item, other) || isLike(item, other)),
    );
  }
  if (!isObject(a) || !isObject(b)) return false;
  if (typeof a["name"] === "string" && typeof b["name"] === "string") return a["name"] === b["name"];
  return Object.entries(a).some(
    ([member, part]) => b[member] !== undefined && (sameValue(part, b[member]) || isLike(part ?? null, b[member])),
  );
}

/** With the comment directly above it; one above a blank line is about more. */
function removeFrom(collection: YAMLMap | YAMLSeq, at: number): void {
  const [entry] = collection.items.splice(at, 1);
  const gone = (isPair(entry) ? entry.key : entry) as Node | undefined;
  const heading =
    gone?.commentBefore
      ?.split(/\n[ \t]*\n/u)
      .slice(0, -1)
      .join("\n\n") ?? "";
  if (gone === undefined || heading === "") return;
  const next = collection.items[at];
  const heir = (isPair(next) ? next.key : next) as Node | undefined;
  if (heir === undefined) collection.comment = [heading, collection.comment ?? []].flat().join("\n\n");
  else {
    heir.commentBefore = `${heading}\n${typeof heir.commentBefore === "string" ? `\n${heir.commentBefore}` : ""}`;
    heir.spaceBefore = gone.spaceBefore === true;
  }
}

function replaced(said: Said, to: Value, editing: Editing): Node {
  const { node } = said;
  refuseLoss(said, editing);
  const written = newNode(to, editing);
  if (node === null) return written;
  refuseTag(node);
  const wasOnOneLine = isAlias(node) || ((isMap(node) || isSeq(node)) && node.flow === true);
  if (wasOnOneLine && (isMap(written) || isSeq(written))) written.flow = true;
  if (typeof node.comment === "string") written.comment = node.comment;
  if (typeof node.commentBefore === "string") written.commentBefore = node.commentBefore;
  return written;
}

function refuseLoss({ meant, node, raw }: Said, { used }: Editing): void {
  if (!isLiteral(raw, meant))
    throw new Unsafe("would lose a {file}, a secret or a variable", "remove it if nothing needs it any longer");
  visit(node, {
    Value: (_, { anchor }) => {
      if (anchor !== undefined && used.has(anchor)) throw sharedAnchor(anchor);
    },
  });
}

function sharedAnchor(anchor: string): Unsafe {
  const remedy = "write the value out at each alias, then pull again";
  return new Unsafe(`has the anchor &${anchor}, which is used elsewhere in the document`, remedy);
}

function refuseTag(node: Node): void {
  if (!isAlias(node) && node.tag !== undefined) throw new Unsafe("has a tag, which may not fit another value");
}

function isStructure(value: Value): boolean {
  return typeof value === "object" && value !== null;
}

function newNode(value: Value, editing: Editing): Node {
  const node = new Document(escapedExpressions(value), { aliasDuplicateObjects: false }).contents as Node;
  visit(node, {
    Scalar: (_, scalar) => {
      if (typeof scalar.value === "string") scalar.type = styleOf(scalar.value, undefined, editing);
    },
    Collection: (_, collection) => {
      if (editing.json || isReference(collection)) collection.flow = true;
    },
  });
  return node;
}

function isReference(collection: YAMLMap | YAMLSeq): boolean {
  const [pair, second] = collection.items;
  return (
    isPair(pair) && second === undefined && ["id", "name", "address"].includes(nameOf(pair)) && isScalar(pair.value)
  );
}

function styleOf(text: string, before: Scalar["type"], { json }: Editing): Scalar.Type {
  const isBlock = before === "BLOCK_LITERAL" || before === "BLOCK_FOLDED";
  if (json || before === "QUOTE_DOUBLE" || isActive(text)) return "QUOTE_DOUBLE";
  if (text.includes("\n") || (isBlock && text !== ""))
    return before === "QUOTE_SINGLE" || /^\s|[^\S\n]$|\n\n$|[^\S\n]\n/u.test(text)
      ? "QUOTE_DOUBLE"
      : isBlock
        ? before
        : "BLOCK_LITERAL";
  if (before === "QUOTE_SINGLE" && !text.includes("\t")) return "QUOTE_SINGLE";
  // Other tools read `yes`, `12:30` and dates in their own way.
  return text === "<<" || /^(?:y|n|yes|no|on|off|\d[\d:_-]*)$/iu.test(text) ? "QUOTE_DOUBLE" : "PLAIN";
}

/** The order of members means nothing; a secret is equal to itself alone. */
export function sameValue(a: Value | undefined, b: Value | undefined): boolean {
  return isAlike(a, b, (x, y) => x === y);
}

function isLiteral(raw: Value | undefined, meant: Value | undefined): boolean {
  return isAlike(raw, meant, (x, y) => x === y || (typeof y === "string" && x === escapedExpressions(y)));
}

type Part = Value | undefined;

function isAlike(a: Part, b: Part, same: (a: Part, b: Part) => boolean): boolean {
  if (Array.isArray(a) && Array.isArray(b)) {
    const others: readonly Value[] = b;
    return a.length === others.length && a.every((item: Value, at) => isAlike(item, others[at], same));
  }
  if (!isObject(a) || !isObject(b)) return same(a, b);
  const members = Object.keys(a);
  return (
    members.length === Object.keys(b).length &&
    members.every((member) => Object.hasOwn(b, member) && isAlike(a[member], b[member], same))
  );
}

function isObject(value: Part): value is ValueObject {
  return isJsonObject(value) && !(value instanceof Secret);
}
