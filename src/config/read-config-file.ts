import { basename } from "node:path";
import { type SchemaCode, codes } from "../diagnostics/codes.js";
import type { Diagnostic, DocumentPlace, Problem, ProblemPlace } from "../diagnostics/diagnostic.js";
import { Problems } from "../diagnostics/problems.js";
import { type DocumentPath, isSensitive } from "../document-path.js";
import { EdgewiseError } from "../errors.js";
import { NotReadable, readBounded } from "../files/read-bounded.js";
import type { ConfigDocument } from "../generated/config-types.js";
import { limits } from "../limits.js";
import { configErrors } from "../schema/validate-config.js";
import { parseFile } from "../yaml/parse-file.js";
import { ConfigProblems } from "./config.js";
import type { ConfigTarget } from "./find-config.js";

/** A configuration file that is valid by its schema. */
export interface ConfigFile {
  readonly document: ConfigDocument;
  /** The error that says what is wrong with the value at a path, with its place. */
  problem(path: DocumentPath, code: SchemaCode, message: string, remedy: string): ConfigProblems;
}

/**
 * Reads and checks a configuration file.
 * @param file absolute, as it was found or named
 * @throws ConfigProblems with every error and its place; EdgewiseError `config` when the file can't be read
 */
export async function readConfigFile(file: string, { path, linked }: ConfigTarget): Promise<ConfigFile> {
  return parseConfigFile(await readText(path), basename(file), linked);
}

/**
 * The same of a text.
 * @param file what to call it in diagnostics
 * @param linked whether nothing of the text may be quoted: a link may lead to what is no configuration at all
 */
export function parseConfigFile(text: string, file: string, linked = false): ConfigFile {
  const located = (problems: readonly Problem[]): ConfigProblems => problemsOf(file, text, linked, problems);
  const { documents, problems } = parseFile(text);
  if (problems.length > 0) {
    throw located(problems.map(({ offset, ...words }) => ({ ...words, place: { file, offset } })));
  }
  const [document, second] = documents;
  if (document === undefined) {
    const message = "the file is empty";
    throw located([{ code: "not-a-map", message, place: { file, offset: 0 } }]);
  }
  if (second !== undefined) {
    const remedy = "Keep one, and manifests in files of their own.";
    const place = { file, offset: second.content };
    throw located([{ code: "not-a-map", message: "a configuration is one document alone", remedy, place }]);
  }
  const at = (path: DocumentPath, where: "key" | "value") => placeOf(file, document, path, where);
  const errors = configErrors(document.value).map(({ path, at: where, code, message, remedy, sensitive }): Problem => ({
    code,
    message,
    remedy,
    sensitive,
    place: at(path, where),
  }));
  if (errors.length > 0) throw located(errors);
  return {
    document: asConfigDocument(document.value),
    problem: (path, code, message, remedy) =>
      located([{ code, message, remedy, sensitive: isSensitive(path), place: at(path, "value") }]),
  };
}

/** The value, by the type that its schema gives it; only to be called once it has no errors. */
function asConfigDocument(value: unknown): ConfigDocument {
  return value as ConfigDocument;
}

function placeOf(file: string, document: DocumentPlace, path: DocumentPath, at: "key" | "value"): ProblemPlace {
  const { start, end, content } = document;
  return { file, document: { start, end, content }, path, at };
}

function problemsOf(file: string, text: string, linked: boolean, problems: readonly Problem[]): ConfigProblems {
  const collected = new Problems();
  for (const problem of problems) collected.add(linked ? withoutQuotes(problem) : problem);
  return new ConfigProblems(file, collected.diagnostics(new Map([[file, text]])).map(withoutPassword));
}

/** Where it is and what kind of mistake, without a word of the text. */
function withoutQuotes(problem: Problem): Problem {
  const { description, remedy } = codes[problem.code];
  const message = `${description} The text is not shown because a symbolic link leads to it.`;
  return { ...problem, message, remedy, sensitive: true };
}

/** A URL with a user may hold a password: its line is not shown, whatever is wrong with it. */
function withoutPassword(diagnostic: Diagnostic): Diagnostic {
  const words = (diagnostic.excerpt ?? "").split(/\s/);
  if (!words.some((word) => word.includes("://") && word.includes("@", word.indexOf("://")))) return diagnostic;
  const { excerpt: _hidden, ...rest } = diagnostic;
  return rest;
}

async function readText(path: string): Promise<string> {
  try {
    const bytes = await readBounded(path, { most: limits.configBytes });
    // A byte order mark is taken off; what is not UTF-8 is a TypeError.
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    if (cause instanceof NotReadable) {
      throw new EdgewiseError("config", `${path} can't be read: ${cause.message}`, {
        remedy: "Name the configuration with -c.",
        cause,
      });
    }
    const why = cause instanceof TypeError ? "it is not UTF-8 text" : "it can't be opened";
    throw new EdgewiseError("config", `${path} can't be read: ${why}`, {
      remedy: cause instanceof TypeError ? "Save it as UTF-8." : "Check its permissions.",
      cause,
    });
  }
}
