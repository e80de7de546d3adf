import type { Diagnostic } from "../../diagnostics/diagnostic.js";
import { EdgewiseError } from "../../core/errors.js";
import { shellWord } from "../../core/shell-word.js";
import { cut } from "../../core/text.js";
import { visibleLine } from "../../core/visible.js";

/** The manifests have errors; the diagnostics show which and where. */
export class ManifestProblems extends EdgewiseError {
  override readonly name = "ManifestProblems";

  /** @param ref the value of `--ref`, when the manifests are that commit's: those on disk may be valid */
  constructor(
    readonly diagnostics: readonly Diagnostic[],
    ref?: string,
  ) {
    const errors = diagnostics.filter(({ severity }) => severity === "error").length;
    const at = ref === undefined ? "" : ` --ref ${visibleLine(cut(shellWord(ref), 200))}`;
    super("manifests", `${errors} ${errors === 1 ? "error" : "errors"} in the manifests`, {
      remedy: `Nothing was changed. \`edgewise validate${at}\` checks the manifests without the service.`,
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
