import { ConfigProblems } from "../../config/config.js";
import { EdgewiseError } from "../../core/errors.js";
import { guardRunner, visible } from "../../text/visible.js";
import { version } from "../../core/version.js";
import type { CommonFlags } from "./command-options.js";
import { ManifestProblems, UnexpectedAfterWrite } from "./command-errors.js";
import type { GuardedIo } from "./io.js";
import { createLog, showDiagnostics } from "./log.js";

/**
 * Errors of Git and of a database quote what those said, and errors of usage the command line; those of the service are
 * masked where they are made.
 */
function saysOthers({ code }: EdgewiseError): boolean {
  return code === "git" || code === "io" || code === "usage";
}

/**
 * Shows what was thrown and returns the program's exit code. An EdgewiseError is shown as its problems, message and
 * remedy. Everything else is a bug and is shown as one, with its stack only when `EDGEWISE_DEBUG` is set.
 */
export async function showError(error: unknown, flags: Pick<CommonFlags, "logFormat">, io: GuardedIo): Promise<number> {
  const log = createLog(flags, io);
  const debug = Boolean(io.env["EDGEWISE_DEBUG"]);
  const stack = stackShown(debug, log.format === "json", io);
  if (error instanceof EdgewiseError) {
    const problems = error instanceof ManifestProblems || error instanceof ConfigProblems ? error.diagnostics : null;
    if (problems !== null) await showDiagnostics(problems, log, io);
    // As text, the problems end with their count, so the message is not needed.
    if (problems === null || log.format === "json")
      log.error(
        saysOthers(error) ? io.redactor.redact(error.message) : error.message,
        saysOthers(error) && error.remedy !== null ? io.redactor.redact(error.remedy) : error.remedy,
        {
          code: error.code,
          ...stack.detail(error),
        },
      );
    else if (error.remedy !== null) io.stderr(`${error.remedy}\n`);
    stack.show(error);
    return error.exit;
  }
  const written = error instanceof UnexpectedAfterWrite;
  const thrown = written ? error.cause : error;
  // A bug may quote anything.
  const what = io.redactor.redact(thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown));
  const remedies = [
    ...(written ? ["Something was changed before the error: `edgewise plan` shows what is left to do."] : []),
    "Please report it with this message and what you ran.",
    ...(debug ? [] : ["EDGEWISE_DEBUG=1 shows where it happened."]),
  ];
  log.error(`this is a bug in edgewise ${version}: ${what}`, remedies.join(" "), {
    code: "bug",
    ...stack.detail(thrown),
  });
  stack.show(thrown);
  return written ? 3 : 1;
}

/** With `EDGEWISE_DEBUG`, the stack of an error: as lines of text, or as a member of the JSON line. */
function stackShown(debug: boolean, json: boolean, io: GuardedIo) {
  return {
    detail: (error: unknown): { readonly stack?: string } =>
      debug && json ? { stack: io.redactor.redact(stackOf(error)) } : {},
    show: (error: unknown): void => {
      if (debug && !json) io.stderr(`${guardRunner(visible(io.redactor.redact(stackOf(error))))}\n`);
    },
  };
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
