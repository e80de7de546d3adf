import { mayBeSecret } from "../core/secret-names.js";
import { DocumentMap, type SourceSpan } from "../yaml/document-map.js";
import { codes } from "./codes.js";
import type { Diagnostic, DocumentPlace, Problem, ProblemPlace } from "./diagnostic.js";
import { LineIndex, excerptOf, plainText } from "./line-index.js";

/** At most this many problems of each severity are shown; the rest are counted. */
export const maxShown = 1000;

/** The state of {@link Problems} for one file while it looks up places. */
interface FileContext {
  readonly lines: LineIndex;
  readonly documents: Map<number, DocumentMap>;
  /** The lines that may show a secret. */
  readonly secret: Set<number>;
  /** The lines that may show one when their document can't be parsed: nobody knows where the value of a member ends. */
  readonly unparsed: ReadonlySet<number>;
}

/** Collects the problems of one run in bounded memory, and finds their lines and columns at the end. */
export class Problems {
  readonly #kept: { readonly error: Problem[]; readonly warning: Problem[] } = { error: [], warning: [] };
  readonly #count = { error: 0, warning: 0 };

  add(problem: Problem): void {
    const { severity } = codes[problem.code];
    this.#count[severity]++;
    if (this.#kept[severity].length < maxShown) this.#kept[severity].push(problem);
  }

  /** The files of the problems that are shown. */
  get files(): ReadonlySet<string> {
    return new Set([...this.#kept.error, ...this.#kept.warning].map(({ place }) => place.file));
  }

  /** The number of problems, shown or not. */
  get total(): number {
    return this.#count.error + this.#count.warning;
  }

  /**
   * The diagnostics of all problems, sorted by file, line and column.
   * @param texts the text of every file that has one
   */
  diagnostics(texts: ReadonlyMap<string, string>): readonly Diagnostic[] {
    const byFile = new Map<string, Problem[]>();
    for (const problem of [...this.#kept.error, ...this.#kept.warning]) {
      const list = byFile.get(problem.place.file);
      if (list === undefined) byFile.set(problem.place.file, [problem]);
      else list.push(problem);
    }
    const files = new OpenFiles(texts);
    const result: Diagnostic[] = [];
    for (const file of [...byFile.keys()].sort()) {
      const open = files.open(file);
      const located = (byFile.get(file) ?? []).map((problem) => locate(problem, open, files));
      const shown = located.map(({ problem, offset }) => toDiagnostic(problem, offset, open)).sort(byPlace);
      result.push(...shown);
    }
    return [...result, ...this.#countsOfHidden(result.at(-1))];
  }

  #countsOfHidden(last: Diagnostic | undefined): readonly Diagnostic[] {
    return (["error", "warning"] as const).flatMap((severity) => {
      const hidden = this.#count[severity] - this.#kept[severity].length;
      if (hidden === 0 || last === undefined) return [];
      const message = `${hidden} more ${severity}${hidden === 1 ? " is" : "s are"} not shown`;
      const { remedy } = codes["too-many-problems"];
      return [
        {
          severity,
          code: "too-many-problems",
          message,
          remedy,
          file: last.file,
          line: last.line,
          column: 1,
          address: null,
        },
      ];
    });
  }
}

/** The files that have problems, or that problems name; each is taken apart once. */
class OpenFiles {
  readonly #open = new Map<string, FileContext>();

  constructor(private readonly texts: ReadonlyMap<string, string>) {}

  open(file: string): FileContext {
    let open = this.#open.get(file);
    if (open === undefined) {
      const lines = new LineIndex(this.texts.get(file) ?? "");
      open = {
        lines,
        documents: new Map(),
        secret: new Set(secretLines(lines)),
        unparsed: new Set(behindNames(lines)),
      };
      this.#open.set(file, open);
    }
    return open;
  }

  /** `edge/api.yaml:7`. */
  lineAt(place: ProblemPlace): string {
    const open = this.open(place.file);
    return `${place.file}:${open.lines.position(offsetOf(place, open)).line}`;
  }
}

interface Located {
  readonly problem: Problem;
  readonly offset: number;
}

/** The offset of a problem, and the problem with the words that the text of its file gives it. */
function locate(problem: Problem, open: FileContext, files: OpenFiles): Located {
  const { other, place } = problem;
  const message = other === undefined ? problem.message : `${problem.message} at ${files.lineAt(other)}`;
  if ("path" in place && problem.sensitive === true) {
    const map = documentAt(place.document, open);
    for (const at of ["key", "value"] as const) hide(map.find(place.path, at), open);
  }
  const offset = offsetOf(place, open);
  const { line } = open.lines.position(offset);
  if ("offset" in place && open.unparsed.has(line)) open.secret.add(line);
  const located = { problem: { ...problem, message }, offset };
  if (!("path" in place)) return located;
  const mayQuote = problem.sensitive !== true && !open.secret.has(line);
  const map = documentAt(place.document, open);
  const words = problem.improve?.(mayQuote ? map.textAt(place.path) : null) ?? {};
  return { problem: { ...located.problem, ...words }, offset };
}

function offsetOf(place: ProblemPlace, open: FileContext): number {
  if ("offset" in place) return pastBlanks(open.lines.text, place.offset);
  if (place.path.length === 0) return place.document.content;
  return documentAt(place.document, open).find(place.path, place.at ?? "value").start;
}

function documentAt({ end, start }: DocumentPlace, open: FileContext): DocumentMap {
  let map = open.documents.get(start);
  if (map === undefined) {
    map = new DocumentMap(open.lines.text.slice(start, end), start);
    open.documents.set(start, map);
    for (const span of map.secretSpans()) hide(span, open);
  }
  return map;
}

/** Marks all lines of a span as secret. */
function hide({ end, start }: SourceSpan, { lines, secret }: FileContext): void {
  const last = lines.position(Math.max(start, end - 1)).line;
  for (let line = lines.position(start).line; line <= last; line++) secret.add(line);
}

/** For wrong indentation the YAML library reports the start of the line; its first letter is more helpful. */
function pastBlanks(text: string, offset: number): number {
  let at = offset;
  while (text[at] === " ") at++;
  return at >= text.length || text[at] === "\n" || text[at] === "\r" ? offset : at;
}

function toDiagnostic(problem: Problem, offset: number, open: FileContext): Diagnostic {
  const entry = codes[problem.code];
  const { line, column } = open.lines.position(offset);
  const { remedy = entry.remedy } = problem;
  const excerpt = problem.sensitive === true || open.secret.has(line) ? null : excerptOf(open.lines.line(line), column);
  return {
    severity: entry.severity,
    code: problem.code,
    message: plainText(problem.message),
    remedy: remedy === null ? null : plainText(remedy),
    file: problem.place.file,
    line,
    column,
    address: problem.address ?? null,
    ...(excerpt === null ? {} : { excerpt }),
  };
}

/** Credentials in the form of an `Authorization` header, under any name. */
const credentials = /\b(?:bearer|basic)\s+\S*[\d+/=._~-]/iu;

/** The lines that hold a secret under whatever name: of a private key, and credentials. */
function* secretLines(lines: LineIndex): Generator<number> {
  let inKey = false;
  for (let number = 1; number <= lines.count; number++) {
    const line = lines.line(number);
    if (/-----BEGIN [A-Z ]*PRIVATE KEY/u.test(line)) inKey = true;
    if (inKey || credentials.test(line)) yield number;
    if (/-----END [A-Z ]*PRIVATE KEY/u.test(line)) inKey = false;
  }
}

/** The lines of each document from the first on that may name a secret. */
function* behindNames(lines: LineIndex): Generator<number> {
  let named = false;
  for (let number = 1; number <= lines.count; number++) {
    const line = lines.line(number);
    named = mayBeSecret(line) || (named && !/^---(?:\s|$)/u.test(line));
    if (named) yield number;
  }
}

function byPlace(a: Diagnostic, b: Diagnostic): number {
  return a.line - b.line || a.column - b.column || compare(a.code, b.code) || compare(a.message, b.message);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
