import type { Code } from "../diagnostics/codes.js";
import { codes } from "../diagnostics/codes.js";
import {
  type Diagnostic,
  type Problem,
  type ProblemPlace,
  atOffset,
  placeInDocument,
} from "../diagnostics/diagnostic.js";
import { LineIndex, type Position } from "../diagnostics/line-index.js";
import { Problems } from "../diagnostics/problems.js";
import { type DocumentPath, isSensitive } from "../core/document-path.js";
import { hasCode } from "../files/file-errors.js";
import { NotReadable, decodeUtf8, readBoundedSync } from "../files/read-bounded.js";
import { EdgewiseError } from "../core/errors.js";
import type { Json } from "../core/json.js";
import { limits } from "../core/limits.js";
import type { SchemaError } from "../schema/validator.js";
import { DocumentMap } from "../yaml/document-map.js";
import { parseFile } from "../yaml/parse-file.js";
import { ConfigProblems } from "./config.js";

/** How a file of settings is checked. */
export interface FileForm {
  /** `a configuration`, for messages. */
  readonly what: string;
  /** What an empty file should begin with. */
  readonly kind: string;
  /** The errors by its schema. */
  readonly errorsOf: (value: Json) => readonly SchemaError[];
  /** Whether none of the text may be quoted: a link may lead to a file that is of another sort. Absent = it may. */
  readonly linked?: boolean;
}

/** What is wrong with the value at a path. */
export interface ProblemAt {
  readonly path: DocumentPath;
  readonly code: Code;
  readonly message: string;
  readonly remedy: string;
  /** Whether to show the member's name or its value; absent = the value. */
  readonly at?: "key" | "value";
}

/** A YAML file of settings that matches its schema. */
export interface CheckedFile {
  readonly value: Json;
  /** The error for values, with their places in the file. */
  problems(found: readonly ProblemAt[]): ConfigProblems;
  /** Where the member at a path begins. */
  placeOf(path: DocumentPath): Position;
  /** The same as the place of a problem. */
  problemPlace(path: DocumentPath): ProblemPlace;
}

/**
 * Reads the text of a file of settings: one YAML document that matches its schema.
 * @param file its name in diagnostics
 * @throws ConfigProblems with every error and its place
 */
export function parseCheckedFile(
  text: string,
  file: string,
  { what, kind, errorsOf, linked = false }: FileForm,
): CheckedFile {
  const located = (problems: readonly Problem[]): ConfigProblems => problemsOf(file, text, linked, problems);
  const { documents, problems } = parseFile(text);
  if (problems.length > 0) throw located(problems.map((problem) => atOffset(problem, file)));
  const [document, second] = documents;
  if (document === undefined) {
    const message = "the file is empty";
    const remedy = `Begin it with \`apiVersion: edgewise/v1\` and \`kind: ${kind}\`, each on a line of its own.`;
    throw located([{ code: "not-a-map", message, remedy, place: { file, offset: 0 } }]);
  }
  if (second !== undefined) {
    const remedy = "Keep one, and put manifests into other files.";
    const place = { file, offset: second.content };
    throw located([{ code: "not-a-map", message: `${what} must be a single document`, remedy, place }]);
  }
  const at = (path: DocumentPath, where: "key" | "value") => placeInDocument(file, document, path, where);
  const errors = errorsOf(document.value).map(({ path, at: where, code, message, remedy, sensitive }): Problem => ({
    code,
    message,
    remedy,
    sensitive,
    place: at(path, where),
  }));
  if (errors.length > 0) throw located(errors);
  const { start, end, content } = document;
  let lines: LineIndex | undefined;
  let map: DocumentMap | undefined;
  return {
    value: document.value,
    problems: (found) =>
      located(
        found.map(({ path, code, message, remedy, at: where = "value" }) => ({
          code,
          message,
          remedy,
          sensitive: isSensitive(path),
          place: at(path, where),
        })),
      ),
    problemPlace: (path) => at(path, "value"),
    placeOf(path) {
      lines ??= new LineIndex(text);
      map ??= new DocumentMap(text.slice(start, end), start);
      return lines.position(path.length === 0 ? content : map.find(path, "key").start);
    },
  };
}

function problemsOf(file: string, text: string, linked: boolean, problems: readonly Problem[]): ConfigProblems {
  const collected = new Problems();
  for (const problem of problems) collected.add(linked ? withoutQuotes(problem) : problem);
  return new ConfigProblems(file, collected.diagnostics(new Map([[file, text]])).map(withoutPassword));
}

/** The place and kind of a mistake, without any of the text. */
function withoutQuotes(problem: Problem): Problem {
  const { description, remedy } = codes[problem.code];
  const message = `${description} The text is not shown because a symbolic link leads to it.`;
  return { code: problem.code, place: problem.place, message, remedy, sensitive: true };
}

/** A URL with a user may contain a password: its line is not shown, whatever the problem is. */
function withoutPassword(diagnostic: Diagnostic): Diagnostic {
  const words = (diagnostic.excerpt ?? "").split(/\s/);
  if (!words.some((word) => word.includes("://") && word.includes("@", word.indexOf("://")))) return diagnostic;
  const { excerpt: _hidden, ...rest } = diagnostic;
  return rest;
}

/**
 * The text of a file of settings.
 * @param path absolute
 * @param remedy for something that is not a regular file
 * @param most the largest size, in bytes
 * @throws EdgewiseError `config` when it can't be read
 */
export function readSettings(path: string, remedy: string, most: number = limits.configBytes): string {
  const text = decodeUtf8(bytesOf(path, remedy, most));
  if (text !== null) return text;
  throw new EdgewiseError("config", `${path} can't be read: it is not UTF-8 text`, { remedy: "Save it as UTF-8." });
}

/** Without waiting for other threads: a program that starts has nothing else to do. */
function bytesOf(path: string, remedy: string, most: number): Buffer {
  try {
    return readBoundedSync(path, most);
  } catch (cause) {
    const missing = hasCode(cause, "ENOENT");
    const notReadable = cause instanceof NotReadable;
    const why = notReadable ? cause.message : missing ? "there is no such file" : "it can't be opened";
    const what = notReadable || missing ? remedy : "Check its permissions.";
    throw new EdgewiseError("config", `${path} can't be read: ${why}`, { remedy: what, cause });
  }
}
