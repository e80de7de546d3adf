import { isMap, isScalar } from "yaml";
import type { Diagnostic } from "../diagnostics/diagnostic.js";
import { parseFile } from "../yaml/parse-file.js";
import { composeDocument } from "./document-style.js";
import { type Entry, entriesOf } from "./node-places.js";
import type { FieldPulled } from "./pull-manifests.js";
import { Unsafe } from "./splices.js";

/**
 * The pulled fields that an error in the new files is about: those where it stands, in its manifest or in one that its
 * message names; without any, all of these manifests; and without any of those, all.
 * @param text the new text of the file with the error
 */
export function blamedFields(
  { address, column, line, message }: Diagnostic,
  pulled: readonly FieldPulled[],
  text: string,
): readonly FieldPulled[] {
  const at = fieldAt(text, offsetOf(text, line, column));
  const isAbout = ({ path }: FieldPulled): boolean => at !== null && (isWithin(path, at) || isWithin(at, path));
  const own = pulled.filter((one) => one.address === address);
  const named = pulled.filter((one) => one.address !== address && mentions(message, one.address));
  const [blamed = pulled] = [own.filter(isAbout), named.filter(isAbout), own, named].filter(({ length }) => length > 0);
  return blamed;
}

/** Whether a path is another one, or lies below it. */
export function isWithin(path: string, other: string): boolean {
  return path === other || path.startsWith(`${other}.`);
}

function mentions(message: string, address: string): boolean {
  return message.split(/[\s,;:"'()]+/u).includes(address);
}

/** The field of a spec, or the member of a module, that an offset is in: `spec.backend.enabled`; null outside of specs. */
function fieldAt(text: string, offset: number): string | null {
  const document = parseFile(text).documents.find(({ end, start }) => start <= offset && offset < end);
  if (document === undefined) return null;
  const { contents } = composeDocument(text.slice(document.start, document.end));
  const path: string[] = [];
  for (let node: unknown = contents; isMap(node) && path.length < 3;) {
    let entries: readonly Entry[] = [];
    try {
      entries = entriesOf(node);
    } catch (error) {
      if (!(error instanceof Unsafe)) throw error;
    }
    const at = entries.findIndex(
      ({ end, start }) => start <= offset - document.start && offset - document.start <= end,
    );
    const key = node.items[at]?.key;
    if (!isScalar(key)) break;
    path.push(String(key.value));
    node = entries[at]?.value;
  }
  return path[0] === "spec" && path.length > 1 ? path.join(".") : null;
}

function offsetOf(text: string, line: number, column: number): number {
  let start = 0;
  for (let at = 1; at < line; at++) start = text.indexOf("\n", start) + 1;
  return start + column - 1;
}
