import { EdgewiseError } from "../errors.js";
import { version } from "../version.js";
import type { CommonFlags } from "./flags.js";
import type { Io } from "./io.js";
import { createLog } from "./log.js";
import { UnexpectedAfterWrite } from "./unexpected-after-write.js";

/**
 * Shows what was thrown, and says which exit code the program ends with.
 * An EdgewiseError is told as its problems, message and remedy; everything else is a bug and is told as one,
 * with its stack only when `EDGEWISE_DEBUG` is set.
 */
export async function showError(error: unknown, flags: Pick<CommonFlags, "logFormat">, io: Io): Promise<number> {
  const log = createLog(flags, io);
  const debug = Boolean(io.env["EDGEWISE_DEBUG"]);
  if (error instanceof EdgewiseError) {
    const { problemsOf } = await import("./problems-of.js");
    const problems = problemsOf(error);
    if (problems !== null) {
      const { showDiagnostics } = await import("./show-diagnostics.js");
      await showDiagnostics(problems, log, io);
    }
    // As text the problems end with their sum.
    if (problems === null || log.format === "json") log.error(error.message, error.remedy, { code: error.code });
    else if (error.remedy !== null) io.stderr(`${error.remedy}\n`);
    if (debug) io.stderr(`${stackOf(error)}\n`);
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
  log.error(`this is a bug in edgewise ${version}: ${what}`, remedies.join(" "), { code: "bug" });
  if (debug) io.stderr(`${stackOf(thrown)}\n`);
  return written ? 3 : 1;
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
