import type { Diagnostic } from "../diagnostics/diagnostic.js";
import { DocumentMap } from "../yaml/document-map.js";
import { parseFile } from "../yaml/parse-file.js";
import type { FieldPulled } from "./pull-manifests.js";

/** Those where the error stands, in its manifest or in one that it names; else all of these manifests; else all. */
export function blamedFields(
  { address, column, line, message }: Diagnostic,
  pulled: readonly FieldPulled[],
  text: string,
): readonly FieldPulled[] {
  const offset = offsetOf(text, line, column);
  const { start = 0, end } = parseFile(text).documents.findLast((document) => document.start <= offset) ?? {};
  const map = new DocumentMap(text.slice(start, end), start);
  const isAbout = ({ path }: FieldPulled): boolean => {
    const key = map.find(path.split("."), "key");
    const value = map.find(path.split("."), "value");
    return key.start <= offset && offset <= Math.max(key.end, value.end);
  };
  const own = pulled.filter((one) => one.address === address);
  const named = pulled.filter((one) => one.address !== address && mentions(message, one.address));
  const [blamed = pulled] = [own.filter(isAbout), named.filter(isAbout), own, named].filter(({ length }) => length > 0);
  return blamed;
}

export function isWithin(path: string, other: string): boolean {
  return path === other || path.startsWith(`${other}.`);
}

function mentions(message: string, address: string): boolean {
  return message.split(/[\s,;:"'()]+/u).includes(address);
}

function offsetOf(text: string, line: number, column: number): number {
  let start = 0;
  for (let at = 1; at < line; at++) start = text.indexOf("\n", start) + 1;
  return start + column - 1;
}
