import { ConfigProblems } from "../../config/config.js";
import { EdgewiseError } from "../../core/errors.js";
import { version } from "../../core/version.js";
import { guardRunner, visible } from "../../core/visible.js";
import { ManifestProblems, UnexpectedAfterWrite } from "./command-errors.js";
import type { CommonFlags } from "./command-options.js";
import type { GuardedIo } from "./io.js";
import { createLog, showDiagnostics } from "./log.js";

/** These quote what Git, a database or the command line said; errors of the service are masked where they are made. */
const quotingCodes: ReadonlySet<string> = new Set(["git", "io", "usage"]);

/**
 * Shows what was thrown and returns the program's exit code. An EdgewiseError is shown as its problems, message and
 * remedy. Everything else is a bug and is shown as one, with its stack only when `EDGEWISE_DEBUG` is set.
 */
export async function showError(error: unknown, flags: Pick<CommonFlags, "logFormat">, io: GuardedIo): Promise<number> {
  const log = createLog(flags, io);
  const mask = (text: string): string => io.redactor.redact(text);
  const isDebug = Boolean(io.env["EDGEWISE_DEBUG"]);
  const stackOf = (thrown: unknown): string => mask(thrown instanceof Error ? (thrown.stack ?? "") : "");
  const stackMember = (thrown: unknown) => (isDebug && log.format === "json" ? { stack: stackOf(thrown) } : {});
  const showStack = (thrown: unknown): void => {
    if (isDebug && log.format === "text") io.stderr(`${guardRunner(visible(stackOf(thrown)))}\n`);
  };
  if (error instanceof EdgewiseError) {
    const { code, exit, message, remedy } = error;
    const problems = error instanceof ManifestProblems || error instanceof ConfigProblems ? error.diagnostics : null;
    if (problems !== null) await showDiagnostics(problems, log, io);
    const shown = quotingCodes.has(code) ? mask : (text: string): string => text;
    // As text, the problems end with their count, so the message is not needed.
    if (problems === null || log.format === "json")
      log.error(shown(message), remedy === null ? null : shown(remedy), { code, ...stackMember(error) });
    else if (remedy !== null) io.stderr(`${remedy}\n`);
    showStack(error);
    return exit;
  }
  const isAfterWrite = error instanceof UnexpectedAfterWrite;
  const thrown = isAfterWrite ? error.cause : error;
  const remedies = [
    ...(isAfterWrite ? ["Something was changed before the error: `edgewise plan` shows what is left to do."] : []),
    "Please report it with this message and what you ran.",
    ...(isDebug ? [] : ["EDGEWISE_DEBUG=1 shows where it happened."]),
  ];
  // A bug may quote anything.
  const what = mask(thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown));
  const details = { code: "bug", ...stackMember(thrown) };
  log.error(`this is a bug in edgewise ${version}: ${what}`, remedies.join(" "), details);
  showStack(thrown);
  return isAfterWrite ? 3 : 1;
}
