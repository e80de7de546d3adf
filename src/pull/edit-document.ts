import { applyPatch, structuredPatch } from "diff";
import { type Document, Parser, isMap, isNode, isSeq, visit } from "yaml";
import type { Node, Pair, ToStringOptions } from "yaml";
import { type Json, type Value, type ValueObject, isObject, parseJson } from "../core/json.js";
import { escapeActive, jsonEscape } from "../core/visible.js";
import { nodeToJson } from "../yaml/node-to-json.js";
import { newComposer, parseFile } from "../yaml/parse-file.js";
import { type MemberOrder, type Reason, Unsafe, editNode, sameValue, whyUnsafe } from "./edit-node.js";

export type FieldEdit = Readonly<{
  path: readonly [string] | readonly [string, string];
  /** Undefined = the manifest no longer names it. */
  wanted: Value | undefined;
}>;

export interface LeftField extends Reason {
  readonly path: FieldEdit["path"];
}

export type EditedDocument = Readonly<{
  text: string;
  done: readonly FieldEdit[];
  left: readonly LeftField[];
}>;

export function editDocument(
  text: string,
  spec: ValueObject,
  edits: readonly FieldEdit[],
  order: MemberOrder,
): EditedDocument {
  let edited = { text, spec };
  const done: FieldEdit[] = [];
  const left: LeftField[] = [];
  for (const edit of edits) {
    const why = whyUnsafe(() => {
      const wanted = withField(edited.spec, edit);
      const { spec: meant } = edited;
      edited = { text: editMember(edited.text, "spec", () => ({ meant, wanted }), order), spec: wanted };
    });
    if (why === null) done.push(edit);
    else left.push({ path: edit.path, ...why });
  }
  return { text: edited.text, done, left };
}

function withField(spec: ValueObject, { path: [field, member], wanted }: FieldEdit): ValueObject {
  if (member === undefined) return withMember(spec, field, wanted);
  const module = spec[field];
  return { ...spec, [field]: withMember(isObject(module) ? module : {}, member, wanted) };
}

function withMember(object: ValueObject, name: string, value: Value | undefined): ValueObject {
  const { [name]: _before, ...others } = object;
  return value === undefined ? others : { ...object, [name]: value };
}

export function withId(text: string, id: string): string {
  const order = { name: {}, id: {}, labels: {}, previousNames: {} };
  return editMember(text, "metadata", (raw) => ({ meant: raw, wanted: { ...raw, id } }), order);
}

/** Read again, it says exactly what is wanted. @throws Unsafe */
function editMember(
  text: string,
  member: "metadata" | "spec",
  edit: (raw: ValueObject) => Readonly<{ meant: ValueObject; wanted: ValueObject }>,
  order: MemberOrder,
): string {
  const before = readOne(text);
  if (!isObject(before)) throw new Unsafe("is in a document that can't be read alone");
  const [document] = newComposer().compose(new Parser().parse(text)) as Iterable<Document.Parsed>;
  const pairs = (isMap(document?.contents) ? document.contents.items : []) as Pair<Node, Node | null>[];
  const pair = pairs.find(({ key }) => key.toJSON() === member);
  const raw = before[member];
  if (document === undefined || pair === undefined || !isObject(raw))
    throw new Unsafe(`is in a document without a ${member}`);
  const options = styleOfDocument(document, text);
  const printed = document.toString(options);
  const used = new Set<string>();
  visit(document, { Alias: (_, { source }) => void used.add(source) });
  const { meant, wanted } = edit(raw);
  pair.value = editNode({ node: pair.value, raw, meant }, wanted, { used, json: "value" in parseJson(text) }, order);
  const expected = nodeToJson(document.contents, () => undefined);
  const candidates = layouts(text, printed, print(document, options));
  const found = candidates.find((result) => sameValue(readOne(result), expected));
  if (found === undefined) throw new Unsafe("can't be edited without changing something else");
  return found;
}

function print(document: Document, options: ToStringOptions): string {
  try {
    return document.toString(options);
  } catch {
    throw new Unsafe("has an anchor that would no longer stand before its alias");
  }
}

function readOne(text: string): Json | undefined {
  const { documents, problems } = parseFile(text);
  const [document, second] = documents;
  return problems.length > 0 || second !== undefined ? undefined : document?.value;
}

function styleOfDocument(document: Document.Parsed, text: string): ToStringOptions {
  let indent: number | undefined;
  let indentSeq: boolean | undefined;
  let padding: boolean | undefined;
  const columnOf = (offset: number): number => offset - (offset === 0 ? 0 : text.lastIndexOf("\n", offset - 1) + 1);
  visit(document, {
    Pair: (_, { key, value }) => {
      if (!isNode(key) || !(isMap(value) || isSeq(value)) || value.flow === true) return;
      const by = columnOf(value.range?.[0] ?? 0) - columnOf(key.range?.[0] ?? 0);
      if (isSeq(value)) indentSeq ??= by > 0;
      else if (by > 0) indent ??= by;
    },
    Map: (_, { flow, items, range }) => {
      const inside = text.charAt((range?.[0] ?? 0) + 1);
      if (flow === true && items.length > 0 && !/[\r\n]/u.test(inside)) padding ??= inside === " ";
    },
  });
  return {
    lineWidth: 0,
    doubleQuotedAsJSON: true,
    indent: indent ?? 2,
    indentSeq: indentSeq ?? true,
    flowCollectionPadding: padding ?? false,
  };
}

/** The original with the changed lines, if its print differs in blanks alone; then the edited print. */
function layouts(original: string, printed: string, edited: string): readonly string[] {
  const escaped = (text: string): string => escapeActive(text, jsonEscape);
  const solid = (line: string): string => escaped(line).replaceAll(/\s/gu, "");
  const compareLine = (_at: number, line: string, _mark: string, text: string): boolean => solid(line) === solid(text);
  const kept = [1, 0].flatMap((context) => {
    const patch = structuredPatch("", "", escaped(printed), escaped(edited), "", "", { context, maxEditLength: 5_000 });
    if (patch === undefined) return [];
    const changed = patch.hunks.flatMap(({ lines }) => lines.flatMap((line) => (line[0] === "-" ? line.slice(1) : [])));
    return [original, unfolded(original, printed, changed)].flatMap(
      (text) => applyPatch(text, patch, { compareLine }) || [],
    );
  });
  const whole = escaped(edited);
  return [...kept, original.includes("\r\n") ? whole.replaceAll("\n", "\r\n") : whole];
}

/** The original with changed texts over several lines as in the print. */
function unfolded(original: string, printed: string, changed: readonly string[]): string {
  const [written, straight] = [scalarsIn(original), scalarsIn(printed)];
  if (written.length !== straight.length) return original;
  return written.reduceRight((text, [start, end], index) => {
    const [from = 0, to = 0] = straight[index] ?? [];
    const [before, after] = [original.slice(start, end), printed.slice(from, to)];
    const lines = after.split("\n").filter((line) => line.trim() !== "");
    const isChanged = before.includes("\n") && lines.some((line) => changed.some((one) => one.includes(line.trim())));
    return isChanged ? text.slice(0, start) + after + text.slice(end) : text;
  }, original);
}

function scalarsIn(text: string): readonly (readonly [number, number])[] {
  const found: [number, number][] = [];
  for (const document of newComposer().compose(new Parser().parse(text)))
    visit(document, {
      Scalar: (_, { range }) => void (range && found.push([range[0], range[1]])),
    });
  return found;
}
