import { isMap, isScalar } from "yaml";
import { type Value, type ValueObject, isObject } from "../core/json.js";
import { parseFile } from "../yaml/parse-file.js";
import { composeDocument } from "./document-style.js";
import { type Editing, type MemberOrder, type Slot, editNode, editedText } from "./edit-node.js";
import { entriesOf } from "./node-places.js";
import { sameValue } from "./same-value.js";
import { Unsafe } from "./splices.js";

/** What a field of a spec is to say; undefined = the manifest no longer names it. */
export interface FieldEdit {
  /** Below `spec`: a field, or a member of a module. */
  readonly path: readonly [string] | readonly [string, string];
  readonly wanted: Value | undefined;
}

/** A field that was left alone, and why. */
export interface LeftField {
  readonly edit: FieldEdit;
  /** A predicate of which the field is the subject. */
  readonly reason: string;
  readonly remedy: string | null;
  /** Where, in the edited document. */
  readonly offset: number;
}

export interface EditedDocument {
  readonly text: string;
  /** What its spec means now. */
  readonly spec: ValueObject;
  readonly done: readonly FieldEdit[];
  readonly left: readonly LeftField[];
}

/**
 * Makes the edits to one document, each for itself: what can't be edited safely is left alone. Everything else in the text
 * stays as it is, byte for byte. After each edit the text is read again, and must say exactly what was meant.
 * @param text the document alone
 * @param spec what its `spec` means: with variables, files and secrets filled in
 */
export function editDocument(
  text: string,
  spec: ValueObject,
  edits: readonly FieldEdit[],
  order: MemberOrder,
): EditedDocument {
  let edited = { text, spec };
  let pending = edits;
  const done: FieldEdit[] = [];
  for (;;) {
    const left: LeftField[] = [];
    for (const edit of pending) {
      try {
        const wanted = withField(edited.spec, edit);
        edited = { text: editSpec(edited.text, edited.spec, wanted, order), spec: wanted };
        done.push(edit);
      } catch (error) {
        if (!(error instanceof Unsafe)) throw error;
        left.push({ edit, reason: error.message, remedy: error.remedy, offset: error.offset });
      }
    }
    // An edit may have removed what another one waited for: an alias. The last turn finds places in the final text.
    if (left.length === 0 || left.length === pending.length) return { ...edited, done, left };
    pending = left.map(({ edit }) => edit);
  }
}

/** The spec with one field changed. */
function withField(spec: ValueObject, { path: [field, member], wanted }: FieldEdit): ValueObject {
  if (member === undefined) return withMember(spec, field, wanted);
  const module = spec[field];
  return { ...spec, [field]: withMember(isObject(module) ? module : {}, member, wanted) };
}

function withMember(object: ValueObject, name: string, value: Value | undefined): ValueObject {
  const { [name]: _before, ...others } = object;
  return value === undefined ? others : { ...object, [name]: value };
}

/** @throws Unsafe */
function editSpec(text: string, meant: ValueObject, wanted: ValueObject, order: MemberOrder): string {
  const before = readOne(text);
  if (!isObject(before)) throw new Unsafe("is in a document that can't be read alone", 0);
  const raw = before["spec"] ?? null;
  const { contents, style, used } = composeDocument(text);
  const slot = slotOfSpec(contents);
  const editing: Editing = { text, style, used, splices: [] };
  const said = editNode({ node: slot.entry.value, raw, meant, slot, order }, wanted, editing);
  const after = editedText(editing);
  const read = readOne(after);
  if (read === undefined || !sameValue(read, { ...before, spec: said }))
    throw new Unsafe("can't be edited without changing something else", slot.entry.start);
  return after;
}

function slotOfSpec(contents: unknown): Slot {
  if (!isMap(contents)) throw new Unsafe("is in a document that is not a map", 0);
  const at = contents.items.findIndex(({ key }) => isScalar(key) && key.value === "spec");
  const entry = entriesOf(contents)[at];
  if (entry === undefined) throw new Unsafe("is in a document without a spec", 0);
  return { entry, inFlow: contents.flow === true, ofList: false };
}

/** The value of a text that is one document; undefined for anything else. */
function readOne(text: string): Value | undefined {
  const { documents, problems } = parseFile(text);
  const [document, second] = documents;
  return problems.length > 0 || second !== undefined ? undefined : document?.value;
}

/**
 * The JSON text of a policy or of metadata with another content, written as it was.
 * @returns null when it can't be kept as it was
 */
export function editJsonText(text: string, before: Value, after: Value): string | null {
  const { contents, style, used } = composeDocument(text);
  const editing: Editing = { text, style: { ...style, json: true }, used, splices: [] };
  try {
    editNode({ node: contents, raw: before, meant: before, slot: null }, unescapable(after), editing);
    const edited = editedText(editing);
    return sameValue(JSON.parse(edited) as Value, after) ? edited : null;
  } catch (error) {
    if (error instanceof Unsafe || error instanceof SyntaxError) return null;
    throw error;
  }
}

/** Within a text, nothing is escaped a second time: such texts are refused here. */
function unescapable(value: Value): Value {
  if (JSON.stringify(value).includes("${{")) throw new Unsafe("holds ${{", 0);
  return value;
}
