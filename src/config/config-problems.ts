import type { Diagnostic } from "../diagnostics/diagnostic.js";
import { EdgewiseError } from "../errors.js";

/** A configuration file with errors. `diagnostics` say what and where; the message only sums up. */
export class ConfigProblems extends EdgewiseError {
  override readonly name = "ConfigProblems";

  /** @param file how the file is called in messages */
  constructor(
    file: string,
    readonly diagnostics: readonly Diagnostic[],
  ) {
    const count = diagnostics.length;
    super("config", `${file} has ${count === 1 ? "an error" : `${count} errors`}`);
  }
}
