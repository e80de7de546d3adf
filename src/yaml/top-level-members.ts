import { type Json, isObject } from "../json.js";
import { parseAny } from "./parse-any.js";
import { readPlain } from "./plain-document.js";

/** A document that was cut into its top-level members. */
export interface CutDocument {
  /** The offset of its first member. */
  readonly start: number;
  /** The value of a member; undefined when it is missing or can't be read. */
  member(name: string): unknown;
}

/** The start of a document, or of a member of its outermost map: only these begin at a line's first column. */
const beginning = /^(?:---(?=[ \t\r\n]|$)|\{|(["']?)([A-Za-z][\w-]*)\1[ \t]*:(?=[ \t\r\n]|$))/gm;

/** A file that begins more documents and members is not read to its end. */
const mostBeginnings = 200_000;

/** A longer member is left alone unless it is plain, in characters. */
const longestOdd = 20_000;

/**
 * Cuts the documents of a YAML file into their top-level members, each of which is read alone when it is asked for. What
 * is wrong in one member or document does not stop the others, and what nobody asks for costs nothing. For names that are
 * only offered, not for manifests that are applied: what it gives of a file with a mistake may be wrong.
 * @param mayTakeLong whether something that is not plain may be read, with the YAML library, which is slow to load
 */
export function* cutDocuments(text: string, mayTakeLong: () => boolean = () => true): Generator<CutDocument> {
  let places: { readonly name: string; readonly at: number }[] = [];
  const document = (end: number): CutDocument[] =>
    places.length === 0 ? [] : [cutDocument(text, places, end, mayTakeLong)];
  let count = 0;
  for (const found of text.matchAll(beginning)) {
    if (++count > mostBeginnings) return;
    if (found[2] !== undefined) places.push({ name: found[2], at: found.index });
    else {
      // A bracket within a block is not at the first column, so it begins a document that is JSON.
      if (found[0] === "{" && places.length > 0) continue;
      yield* document(found.index);
      places = found[0] === "{" ? [{ name: "", at: found.index }] : [];
    }
  }
  yield* document(text.length);
}

function cutDocument(
  text: string,
  places: readonly { readonly name: string; readonly at: number }[],
  end: number,
  mayTakeLong: () => boolean,
): CutDocument {
  const [first] = places;
  return {
    start: first?.at ?? 0,
    member(name) {
      const index = first?.name === "" ? 0 : places.findIndex((place) => place.name === name);
      const from = places[index]?.at;
      if (from === undefined) return undefined;
      const value = valueOf(text, from, first?.name === "" ? end : (places[index + 1]?.at ?? end), mayTakeLong);
      return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
    },
  };
}

function valueOf(text: string, from: number, to: number, mayTakeLong: () => boolean): Json | undefined {
  const plain = readPlain(text, from, to);
  if (plain !== null) return plain === "empty" ? undefined : plain.value;
  if (to - from > longestOdd || !mayTakeLong()) return undefined;
  return parseAny(text.slice(from, to)).documents[0]?.value;
}
