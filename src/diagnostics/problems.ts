import { mayBeSecret } from "../core/secret-names.js";
import { cut } from "../core/text.js";
import { DocumentMap, type SourceSpan } from "../yaml/document-map.js";
import { remedies, severityOf } from "./codes.js";
import type { Diagnostic, DocumentPlace, Problem, ProblemPlace } from "./diagnostic.js";
import { LineIndex } from "./line-index.js";

const excerptLength = 160;

const messageLength = 600;

const maxShown = 1000;

type OpenFile = Readonly<{
  lines: LineIndex;
  documents: Map<number, DocumentMap>;
  secret: Set<number>;
  /** The lines that may show one when their document can't be parsed. */
  unparsed: ReadonlySet<number>;
}>;

/** Keeps the problems of a run in bounded memory, and finds their places at the end. */
export class Problems {
  readonly #kept: Readonly<{ error: Problem[]; warning: Problem[] }> = { error: [], warning: [] };
  readonly #count = { error: 0, warning: 0 };

  add(problem: Problem): void {
    const severity = severityOf(problem.code);
    this.#count[severity]++;
    if (this.#kept[severity].length < maxShown) this.#kept[severity].push(problem);
  }

  get files(): ReadonlySet<string> {
    const kept = [...this.#kept.error, ...this.#kept.warning];
    return new Set(kept.flatMap(({ other = null, place }) => [place.file, ...(other === null ? [] : [other.file])]));
  }

  get total(): number {
    return this.#count.error + this.#count.warning;
  }

  diagnostics(texts: ReadonlyMap<string, string>): readonly Diagnostic[] {
    const opened = new Map<string, OpenFile>();
    const open = (name: string): OpenFile => {
      const file = opened.get(name) ?? openFile(texts.get(name) ?? "");
      opened.set(name, file);
      return file;
    };
    // First: what one problem says to be secret, the excerpt of another must not show.
    const located = [...this.#kept.error, ...this.#kept.warning].map((problem) => locate(problem, open));
    const shown = located.map(({ offset, problem }) => toDiagnostic(problem, offset, open(problem.place.file)));
    shown.sort(byPlace);
    return [...shown, ...this.#countsOfHidden(shown.at(-1))];
  }

  #countsOfHidden(last: Diagnostic | undefined): readonly Diagnostic[] {
    return (["error", "warning"] as const).flatMap((severity) => {
      const hidden = this.#count[severity] - this.#kept[severity].length;
      if (hidden === 0 || last === undefined) return [];
      const code = "too-many-problems";
      const message = `${hidden} more ${severity}${hidden === 1 ? " is" : "s are"} not shown`;
      const { file, line } = last;
      return [{ severity, code, message, remedy: remedies[code], file, line, column: 1, address: null }];
    });
  }
}

function openFile(text: string): OpenFile {
  const lines = new LineIndex(text);
  return { lines, documents: new Map(), secret: secretLines(lines), unparsed: linesBehindNames(lines) };
}

function locate(problem: Problem, open: (name: string) => OpenFile): Readonly<{ problem: Problem; offset: number }> {
  const { other, place } = problem;
  const file = open(place.file);
  const offset = offsetOf(place, file);
  const lineOf = (at: ProblemPlace): number => open(at.file).lines.position(offsetOf(at, open(at.file))).line;
  const message = other === undefined ? problem.message : `${problem.message} at ${other.file}:${lineOf(other)}`;
  const line = lineOf(place);
  if ("offset" in place) {
    if (file.unparsed.has(line)) file.secret.add(line);
    return { problem: { ...problem, message }, offset };
  }
  const map = documentAt(place.document, file);
  if (problem.sensitive === true) for (const at of ["key", "value"] as const) hide(map.find(place.path, at), file);
  return { problem: { ...problem, message }, offset };
}

function offsetOf(place: ProblemPlace, file: OpenFile): number {
  if ("offset" in place) return pastBlanks(file.lines.text, place.offset);
  if (place.path.length === 0) return place.document.content;
  return documentAt(place.document, file).find(place.path, place.at ?? "value").start;
}

function documentAt({ end, start }: DocumentPlace, file: OpenFile): DocumentMap {
  let map = file.documents.get(start);
  if (map === undefined) {
    map = new DocumentMap(file.lines.text.slice(start, end), start);
    file.documents.set(start, map);
    for (const span of map.secretSpans()) hide(span, file);
  }
  return map;
}

function hide({ end, start }: SourceSpan, { lines, secret }: OpenFile): void {
  const last = lines.position(Math.max(start, end - 1)).line;
  for (let line = lines.position(start).line; line <= last; line++) secret.add(line);
}

/** For wrong indentation the library reports the start of the line, not its first letter. */
function pastBlanks(text: string, offset: number): number {
  let at = offset;
  while (text[at] === " ") at++;
  return at >= text.length || text[at] === "\n" || text[at] === "\r" ? offset : at;
}

function toDiagnostic(problem: Problem, offset: number, { lines, secret }: OpenFile): Diagnostic {
  const { address = null, code, message, place, sensitive } = problem;
  const { line, column } = lines.position(offset);
  const { remedy = remedies[code] } = problem;
  const excerpt = lines.line(line).slice(0, excerptLength);
  const isShown = sensitive !== true && !secret.has(line) && column <= excerptLength && excerpt.trim() !== "";
  return {
    severity: severityOf(code),
    code,
    message: cut(message, messageLength),
    remedy: remedy === null ? null : cut(remedy, messageLength),
    file: place.file,
    line,
    column,
    address,
    ...(isShown ? { excerpt } : {}),
  };
}

/** As in an `Authorization` header. */
const credentials = /\b(?:bearer|basic)\s+\S*[\d+/=._~-]/iu;

/** Those of private keys and credentials, under whatever name. */
function secretLines(lines: LineIndex): Set<number> {
  const found = new Set<number>();
  let inKey = false;
  for (let number = 1; number <= lines.count; number++) {
    const line = lines.line(number);
    if (/-----BEGIN [A-Z ]*PRIVATE KEY/u.test(line)) inKey = true;
    if (inKey || credentials.test(line)) found.add(number);
    if (/-----END [A-Z ]*PRIVATE KEY/u.test(line)) inKey = false;
  }
  return found;
}

/** The lines of each document from the first that may name a secret. */
function linesBehindNames(lines: LineIndex): ReadonlySet<number> {
  const found = new Set<number>();
  let named = false;
  for (let number = 1; number <= lines.count; number++) {
    const line = lines.line(number);
    named = mayBeSecret(line) || (named && !/^---(?:\s|$)/u.test(line));
    if (named) found.add(number);
  }
  return found;
}

function byPlace(a: Diagnostic, b: Diagnostic): number {
  const compare = (x: string, y: string): number => (x < y ? -1 : x > y ? 1 : 0);
  const place = compare(a.file, b.file) || a.line - b.line || a.column - b.column;
  return place || compare(a.code, b.code) || compare(a.message, b.message);
}
