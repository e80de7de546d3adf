import { basename } from "node:path";
import type { Code } from "../diagnostics/codes.js";
import type { ProblemPlace } from "../diagnostics/diagnostic.js";
import type { DocumentPath } from "../core/document-path.js";
import type { ConfigDocument } from "../generated/config-types.js";
import { configErrors } from "../schema/validate-config.js";
import { parseCheckedFile, readSettings } from "./checked-file.js";
import type { ConfigProblems } from "./config.js";
import type { RealPath } from "../files/real-path.js";

/** A configuration file that matches its schema. */
export interface ConfigFile {
  readonly document: ConfigDocument;
  /** The error for the value at a path, with its place in the file. */
  problem(path: DocumentPath, code: Code, message: string, remedy: string): ConfigProblems;
  /** Its name in diagnostics. */
  readonly name: string;
  /** The place of a value, and the text that it is in: empty when none of it may be quoted. */
  textAt(path: DocumentPath): { readonly place: ProblemPlace; readonly text: string };
  /** The line in which a member begins. */
  lineOf(path: DocumentPath): number;
}

/**
 * Reads and checks a configuration file.
 * @param file absolute, before symbolic links are followed
 * @throws ConfigProblems with every error and its place; EdgewiseError `config` when the file can't be read
 */
export function readConfigFile(file: string, { path, linked }: RealPath): ConfigFile {
  return parseConfigFile(readSettings(path, "Name the configuration with -c."), basename(file), linked);
}

/**
 * The same for a text.
 * @param file its name in diagnostics
 * @param linked whether none of the text may be quoted: a link may lead to a file that is not a configuration
 */
export function parseConfigFile(text: string, file: string, linked = false): ConfigFile {
  const checked = parseCheckedFile(text, file, {
    what: "a configuration",
    kind: "Config",
    errorsOf: configErrors,
    linked,
  });
  return {
    document: asConfigDocument(checked.value),
    problem: (path, code, message, remedy) => checked.problems([{ path, code, message, remedy }]),
    name: file,
    textAt: (path) => ({ place: checked.problemPlace(path), text: linked ? "" : text }),
    lineOf: (path) => checked.placeOf(path).line,
  };
}

/** Only to be called for a value without schema errors. */
function asConfigDocument(value: unknown): ConfigDocument {
  return value as ConfigDocument;
}
