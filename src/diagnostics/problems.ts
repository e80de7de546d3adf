import { DocumentMap, type SourceSpan } from "../yaml/document-map.js";
import { codes } from "./codes.js";
import type { Diagnostic, Problem } from "./diagnostic.js";
import { secretLines } from "./hide-secrets.js";
import { LineIndex, excerptOf, plainText } from "./line-index.js";

/** At most this many problems of each severity are shown; the rest are counted. */
export const maxShown = 1000;

/** The state of {@link Problems} for one file while it looks up places. */
interface FileContext {
  readonly lines: LineIndex;
  readonly documents: Map<number, DocumentMap>;
  readonly secret: Set<number>;
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
    const result: Diagnostic[] = [];
    for (const file of [...byFile.keys()].sort()) {
      const open: FileContext = {
        lines: new LineIndex(texts.get(file) ?? ""),
        documents: new Map(),
        secret: new Set(),
      };
      for (const line of secretLines(open.lines)) open.secret.add(line);
      const located = (byFile.get(file) ?? []).map((problem) => locate(problem, open));
      const shown = located.map(({ problem, offset }) => toDiagnostic(problem, offset, open)).sort(byPlace);
      result.push(...withoutEchoes(shown));
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

function locate(problem: Problem, open: FileContext): { readonly problem: Problem; readonly offset: number } {
  const { place } = problem;
  if ("offset" in place) return { problem, offset: pastBlanks(open.lines.text, place.offset) };
  const { start, end, content } = place.document;
  let map = open.documents.get(start);
  if (map === undefined) {
    map = new DocumentMap(open.lines.text.slice(start, end), start);
    open.documents.set(start, map);
    for (const span of map.secretSpans()) hide(span, open);
  }
  if (problem.sensitive === true) for (const at of ["key", "value"] as const) hide(map.find(place.path, at), open);
  return { problem, offset: place.path.length === 0 ? content : map.find(place.path, place.at ?? "value").start };
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
  const excerpt = problem.sensitive === true || open.secret.has(line) ? null : excerptOf(open.lines.line(line), column);
  return {
    severity: entry.severity,
    code: problem.code,
    message: plainText(problem.message),
    remedy: plainText(problem.remedy ?? entry.remedy),
    file: problem.place.file,
    line,
    column,
    address: problem.address ?? null,
    ...(excerpt === null ? {} : { excerpt }),
  };
}

/**
 * When the YAML is broken inside a secret, the end of the secret is unknown: the lines of the syntax errors that follow
 * are hidden, too.
 */
function* withoutEchoes(diagnostics: readonly Diagnostic[]): Generator<Diagnostic> {
  let broken = false;
  for (const { excerpt, ...diagnostic } of diagnostics) {
    const syntax = diagnostic.code.startsWith("yaml-");
    broken ||= syntax && excerpt === undefined;
    yield excerpt === undefined || (syntax && broken) ? diagnostic : { ...diagnostic, excerpt };
  }
}

function byPlace(a: Diagnostic, b: Diagnostic): number {
  return a.line - b.line || a.column - b.column || compare(a.code, b.code) || compare(a.message, b.message);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
