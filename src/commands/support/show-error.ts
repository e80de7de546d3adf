import { ConfigProblems } from "../../config/config.js";
import { EdgewiseError } from "../../core/errors.js";
import { version } from "../../core/version.js";
import type { Diagnostic } from "../../diagnostics/diagnostic.js";
import { count, cut, shellWord } from "../../core/text.js";
import { guardRunner, visible, visibleLine } from "../../core/visible.js";
import { type CommandIo, showDiagnostics } from "./command-io.js";

export class ManifestProblems extends EdgewiseError {
  /** @param ref that of `--ref`: the manifests on disk may be valid */
  constructor(
    readonly diagnostics: readonly Diagnostic[],
    ref?: string,
  ) {
    const errors = diagnostics.filter(({ severity }) => severity === "error").length;
    const at = ref === undefined ? "" : ` --ref ${visibleLine(cut(shellWord(ref), 200))}`;
    super("manifests", `${count(errors, "error")} in the manifests`, {
      remedy: `Nothing was changed. \`edgewise validate${at}\` checks the manifests without the service.`,
    });
  }
}

export class UnexpectedAfterWrite extends Error {
  constructor(cause: unknown) {
    super("unexpected failure after something was written", { cause });
  }
}

/** They quote Git, a database or the command line. */
const quotingCodes: ReadonlySet<string> = new Set(["git", "io", "usage"]);

export async function showError(error: unknown, io: CommandIo): Promise<number> {
  const { log } = io;
  const mask = (text: string) => io.redactor.redact(text);
  const isAfterWrite = error instanceof UnexpectedAfterWrite;
  const thrown: unknown = isAfterWrite ? error.cause : error;
  if (thrown instanceof EdgewiseError) {
    const { code, exit, message, remedy } = thrown;
    const problems = thrown instanceof ManifestProblems || thrown instanceof ConfigProblems ? thrown.diagnostics : null;
    if (problems !== null) await showDiagnostics(problems, io);
    const shown = quotingCodes.has(code) ? mask : (text: string): string => text;
    if (problems === null || log.format === "json")
      log.error(shown(message), remedy === null ? null : shown(remedy), { code });
    else if (remedy !== null) io.stderr(`${remedy}\n`);
    return exit;
  }
  const after = isAfterWrite
    ? "Something was changed before the error: `edgewise plan` shows what is left to do. "
    : "";
  const what = mask(thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown));
  const stack = mask((thrown instanceof Error && thrown.stack) || what);
  const remedy = `${after}Please report it with this message and what you ran.`;
  log.error(`this is a bug in edgewise ${version}: ${what}`, remedy, { code: "bug", stack });
  if (log.format === "text") io.stderr(`${guardRunner(visible(stack))}\n`);
  return isAfterWrite ? 3 : 1;
}
