import type { Diagnostic } from "../diagnostics/diagnostic.js";
import { EdgewiseError } from "../errors.js";

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
