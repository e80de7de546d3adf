import { ConfigProblems } from "../config/config.js";
import type { Diagnostic } from "../diagnostics/diagnostic.js";
import type { EdgewiseError } from "../errors.js";
import { ManifestProblems } from "./manifest-problems.js";

/** The problems with a place that an error consists of, or null when it is told by its message. */
export function problemsOf(error: EdgewiseError): readonly Diagnostic[] | null {
  if (error instanceof ManifestProblems || error instanceof ConfigProblems) return error.diagnostics;
  return null;
}
