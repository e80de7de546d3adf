import { basename } from "node:path";
import { type DocumentPath, isSensitive, valueAt } from "../core/document-path.js";
import { EdgewiseError } from "../core/errors.js";
import type { Json } from "../core/json.js";
import { limits } from "../core/limits.js";
import type { Code } from "../diagnostics/codes.js";
import {
  type Diagnostic,
  type Problem,
  type ProblemPlace,
  atOffset,
  placeInDocument,
} from "../diagnostics/diagnostic.js";
import { LineIndex, type Position } from "../diagnostics/line-index.js";
import { Problems } from "../diagnostics/problems.js";
import { hasCode } from "../files/file-errors.js";
import { NotReadable, decodeUtf8, readBounded } from "../files/read-bounded.js";
import type { ConfigDocument } from "../generated/config-types.js";
import { configErrors } from "../schema/validate-documents.js";
import type { SchemaError } from "../schema/validate-documents.js";
import { DocumentMap } from "../yaml/document-map.js";
import { parseFile } from "../yaml/parse-file.js";
import { ConfigProblems } from "./config.js";

export type ProblemAt = Readonly<{
  path: DocumentPath;
  code: Code;
  message: string;
  remedy: string | null;
  at?: "key" | "value";
}>;

export type CheckedFile = Readonly<{
  value: Json;
  name: string;
  problems(found: readonly ProblemAt[]): ConfigProblems;
  placeOf(path: DocumentPath): Position;
  textAt(path: DocumentPath): Readonly<{ place: ProblemPlace; text: string }>;
}>;

export function parseCheckedFile(
  text: string,
  file: string,
  [what, kind]: readonly [what: string, kind: string],
  errorsOf: (value: Json) => readonly SchemaError[],
): CheckedFile {
  const located = (problems: readonly Problem[]): ConfigProblems => {
    const collected = new Problems();
    for (const problem of problems) collected.add(problem);
    return new ConfigProblems(file, collected.diagnostics(new Map([[file, text]])).map(withoutPassword));
  };
  const { documents, problems } = parseFile(text);
  if (problems.length > 0) throw located(problems.map((problem) => atOffset(problem, file)));
  const [document, second] = documents;
  if (document === undefined) {
    const remedy = `Begin it with \`apiVersion: edgewise/v1\` and \`kind: ${kind}\`.`;
    throw located([{ code: "not-a-map", message: "the file is empty", remedy, place: { file, offset: 0 } }]);
  }
  if (second !== undefined) {
    const remedy = "Keep one, and put manifests into other files.";
    const place = { file, offset: second.content };
    throw located([{ code: "not-a-map", message: `${what} must be a single document`, remedy, place }]);
  }
  const problemsAt = (found: readonly (ProblemAt & { readonly sensitive: boolean })[]): ConfigProblems =>
    located(
      found.map(({ path, code, message, remedy, sensitive, at = "value" }) => {
        return { code, message, remedy, sensitive, place: placeInDocument(file, document, path, at) };
      }),
    );
  const errors = errorsOf(document.value);
  if (errors.length > 0) throw problemsAt(errors);
  const { start, end, content } = document;
  let lines: LineIndex | undefined;
  let map: DocumentMap | undefined;
  return {
    value: document.value,
    name: file,
    problems: (found) => problemsAt(found.map((each) => ({ ...each, sensitive: isSensitive(each.path) }))),
    textAt: (path) => ({ place: placeInDocument(file, document, path, "value"), text }),
    placeOf(path) {
      lines ??= new LineIndex(text);
      map ??= new DocumentMap(text.slice(start, end), start);
      return lines.position(path.length === 0 ? content : map.find(path, "key").start);
    },
  };
}

/** A URL with a user may contain a password: its line is not shown. */
function withoutPassword(diagnostic: Diagnostic): Diagnostic {
  const words = (diagnostic.excerpt ?? "").split(/\s/);
  if (!words.some((word) => word.includes("://") && word.includes("@", word.indexOf("://")))) return diagnostic;
  const { excerpt: _hidden, ...rest } = diagnostic;
  return rest;
}

export function readSettings(path: string, remedy: string, most: number = limits.configBytes): string {
  const fail = (why: string, what: string, cause?: unknown): EdgewiseError =>
    new EdgewiseError("config", `${path} can't be read: ${why}`, { remedy: what, cause });
  try {
    const text = decodeUtf8(readBounded(path, { most }));
    if (text !== null) return text;
  } catch (cause) {
    if (cause instanceof NotReadable) throw fail(cause.message, remedy, cause);
    if (hasCode(cause, "ENOENT")) throw fail("there is no such file", remedy, cause);
    throw fail("it can't be opened", "Check its permissions.", cause);
  }
  throw fail("it is not UTF-8 text", "Save it as UTF-8.");
}

export interface ConfigFile extends CheckedFile {
  readonly document: ConfigDocument;
}

/** @param file absolute, before links are followed to the path that is read */
export function readConfigFile(file: string, path: string): ConfigFile {
  const text = readSettings(path, "Name the configuration with -c.");
  try {
    return parseConfigFile(text, basename(file));
  } catch (cause) {
    if (basename(path) === basename(file)) throw cause;
    // A pull request can have a link lead to a key in the checkout: none of its text is quoted.
    const message = `${file} is a symbolic link to what is no valid configuration`;
    throw new EdgewiseError("config", message, { remedy: `Remove the link, or name ${path} with -c.` });
  }
}

export function parseConfigFile(text: string, file: string): ConfigFile {
  const checked = parseCheckedFile(text, file, ["a configuration", "Config"], configErrors);
  const document: unknown = checked.value;
  return { ...checked, document: document as ConfigDocument };
}

export function writtenAt({ document }: ConfigFile, environment: string | null, path: DocumentPath): DocumentPath {
  const inEnvironment = ["environments", environment ?? "", ...path];
  return environment !== null && valueAt(document, inEnvironment) !== undefined ? inEnvironment : path;
}
