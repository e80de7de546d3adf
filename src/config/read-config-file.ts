import { basename } from "node:path";
import { type SchemaCode, codes } from "../diagnostics/codes.js";
import { type Diagnostic, type Problem, atOffset, placeInDocument } from "../diagnostics/diagnostic.js";
import { Problems } from "../diagnostics/problems.js";
import { type DocumentPath, isSensitive } from "../document-path.js";
import { EdgewiseError } from "../errors.js";
import { NotReadable, decodeUtf8, readBounded } from "../files/read-bounded.js";
import type { ConfigDocument } from "../generated/config-types.js";
import { limits } from "../limits.js";
import { configErrors } from "../schema/validate-config.js";
import { parseFile } from "../yaml/parse-file.js";
import { ConfigProblems } from "./config.js";
import type { ConfigTarget } from "./find-config.js";

/** A configuration file that matches its schema. */
export interface ConfigFile {
  readonly document: ConfigDocument;
  /** The error for the value at a path, with its place in the file. */
  problem(path: DocumentPath, code: SchemaCode, message: string, remedy: string): ConfigProblems;
}

/**
 * Reads and checks a configuration file.
 * @param file absolute, before symbolic links are followed
 * @throws ConfigProblems with every error and its place; EdgewiseError `config` when the file can't be read
 */
export async function readConfigFile(file: string, { path, linked }: ConfigTarget): Promise<ConfigFile> {
  return parseConfigFile(await readText(path), basename(file), linked);
}

/**
 * The same for a text.
 * @param file its name in diagnostics
 * @param linked whether none of the text may be quoted: a link may lead to a file that is not a configuration
 */
export function parseConfigFile(text: string, file: string, linked = false): ConfigFile {
  const located = (problems: readonly Problem[]): ConfigProblems => problemsOf(file, text, linked, problems);
  const { documents, problems } = parseFile(text);
  if (problems.length > 0) throw located(problems.map((problem) => atOffset(problem, file)));
  const [document, second] = documents;
  if (document === undefined) {
    const message = "the file is empty";
    throw located([{ code: "not-a-map", message, place: { file, offset: 0 } }]);
  }
  if (second !== undefined) {
    const remedy = "Keep one, and put manifests into other files.";
    const place = { file, offset: second.content };
    throw located([{ code: "not-a-map", message: "a configuration must be a single document", remedy, place }]);
  }
  const at = (path: DocumentPath, where: "key" | "value") => placeInDocument(file, document, path, where);
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

/** Only to be called for a value without schema errors. */
function asConfigDocument(value: unknown): ConfigDocument {
  return value as ConfigDocument;
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
  return { ...problem, message, remedy, sensitive: true };
}

/** A URL with a user may contain a password: its line is not shown, whatever the problem is. */
function withoutPassword(diagnostic: Diagnostic): Diagnostic {
  const words = (diagnostic.excerpt ?? "").split(/\s/);
  if (!words.some((word) => word.includes("://") && word.includes("@", word.indexOf("://")))) return diagnostic;
  const { excerpt: _hidden, ...rest } = diagnostic;
  return rest;
}

async function readText(path: string): Promise<string> {
  const bytes = await readBounded(path, { most: limits.configBytes }).catch((cause: unknown) => {
    const notReadable = cause instanceof NotReadable;
    const why = notReadable ? cause.message : "it can't be opened";
    const remedy = notReadable ? "Name the configuration with -c." : "Check its permissions.";
    throw new EdgewiseError("config", `${path} can't be read: ${why}`, { remedy, cause });
  });
  const text = decodeUtf8(bytes);
  if (text !== null) return text;
  throw new EdgewiseError("config", `${path} can't be read: it is not UTF-8 text`, { remedy: "Save it as UTF-8." });
}
