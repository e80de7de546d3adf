import { EdgewiseError, type ErrorCode } from "../../errors.js";
import { guardRunner, visible } from "../../text/visible.js";
import { version } from "../../version.js";
import type { CommonFlags } from "./flags.js";
import { type Io, guarded } from "./io.js";
import { type Log, createLog } from "./log.js";
import { UnexpectedAfterWrite } from "./problem-errors.js";

/** The errors that quote nothing of the service. */
const codesWithOwnWords: ReadonlySet<ErrorCode> = new Set(["usage", "config", "manifests", "plan-file"]);

/**
 * Shows what was thrown, and says which exit code the program ends with.
 * An EdgewiseError is told as its problems, message and remedy; everything else is a bug and is told as one,
 * with its stack only when `EDGEWISE_DEBUG` is set.
 */
export async function showError(error: unknown, flags: Pick<CommonFlags, "logFormat">, io: Io): Promise<number> {
  const log = createLog(flags, io);
  const stack = stackShown(io, log);
  const debug = Boolean(io.env["EDGEWISE_DEBUG"]);
  if (error instanceof EdgewiseError) {
    const { problemsOf } = await import("./problem-errors.js");
    const problems = problemsOf(error);
    // These quote the command line, the configuration and files, and no answer of the service.
    if (codesWithOwnWords.has(error.code)) guarded(io).redactor.reveal([error.message, error.remedy]);
    if (problems !== null) {
      const { showDiagnostics } = await import("./log.js");
      await showDiagnostics(problems, log, io);
    }
    // As text the problems end with their sum.
    if (problems === null || log.format === "json")
      log.error(error.message, error.remedy, { code: error.code, ...stack.detail(error) });
    else if (error.remedy !== null) io.stderr(`${error.remedy}\n`);
    stack.show(error);
    return error.exit;
  }
  const written = error instanceof UnexpectedAfterWrite;
  const thrown = written ? error.cause : error;
  const what = thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown);
  const remedies = [
    ...(written ? ["Something was changed before it happened: `edgewise plan` shows what is left to do."] : []),
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

/** How the stack of an error is shown with `EDGEWISE_DEBUG`: as lines of text, or as a member of a JSON line. */
function stackShown(io: Io, log: Log) {
  const debug = Boolean(io.env["EDGEWISE_DEBUG"]);
  const json = log.format === "json";
  return {
    detail: (error: unknown): { readonly stack?: string } => (debug && json ? { stack: stackOf(error) } : {}),
    show: (error: unknown): void => {
      if (debug && !json) io.stderr(`${guardRunner(visible(stackOf(error)))}\n`);
    },
  };
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
