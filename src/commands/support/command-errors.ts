import type { Diagnostic } from "../../diagnostics/diagnostic.js";
import { EdgewiseError } from "../../errors.js";

/** The manifests have errors; the diagnostics show which and where. */
export class ManifestProblems extends EdgewiseError {
  override readonly name = "ManifestProblems";

  constructor(readonly diagnostics: readonly Diagnostic[]) {
    const errors = diagnostics.filter(({ severity }) => severity === "error").length;
    super("manifests", `${errors} ${errors === 1 ? "error" : "errors"} in the manifests`, {
      remedy: "Nothing was changed. `edgewise validate` checks the manifests without the service.",
    });
  }
}

/** An exception that is not an EdgewiseError, thrown after something was written: exit code 3. */
export class UnexpectedAfterWrite extends Error {
  override readonly name = "UnexpectedAfterWrite";

  constructor(cause: unknown) {
    super("unexpected failure after something was written", { cause });
  }
}
