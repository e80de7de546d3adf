import { ConfigProblems } from "../../config/config.js";
import type { Diagnostic } from "../../diagnostics/diagnostic.js";
import { EdgewiseError } from "../../errors.js";

/** Manifests that can't be used: the diagnostics say why, and where. */
export class ManifestProblems extends EdgewiseError {
  override readonly name = "ManifestProblems";

  constructor(readonly diagnostics: readonly Diagnostic[]) {
    const errors = diagnostics.filter(({ severity }) => severity === "error").length;
    super("manifests", `${errors} ${errors === 1 ? "error" : "errors"} in the manifests`, {
      remedy: "Nothing was changed. `edgewise validate` checks the manifests without the service.",
    });
  }
}

/** The problems with a place that an error consists of, or null when it is told by its message. */
export function problemsOf(error: EdgewiseError): readonly Diagnostic[] | null {
  if (error instanceof ManifestProblems || error instanceof ConfigProblems) return error.diagnostics;
  return null;
}

/** An exception that is no EdgewiseError, met when something had been written already: exit code 3. */
export class UnexpectedAfterWrite extends Error {
  override readonly name = "UnexpectedAfterWrite";

  constructor(cause: unknown) {
    super("unexpected failure after something was written", { cause });
  }
}
