import { EdgewiseError } from "../errors.js";
import { version } from "../version.js";
import type { Io } from "./io.js";

/**
 * Shows what was thrown, and says which exit code the program ends with.
 * An EdgewiseError is told as message and remedy; everything else is a bug and is told as one,
 * with its stack only when `EDGEWISE_DEBUG` is set.
 */
export async function showError(error: unknown, io: Io): Promise<number> {
  const debug = Boolean(io.env["EDGEWISE_DEBUG"]);
  if (error instanceof EdgewiseError) {
    io.stderr(await expected(error, io));
    if (debug) io.stderr(`${stackOf(error)}\n`);
    return error.exit;
  }
  const exit = error instanceof UnexpectedAfterWrite ? 3 : 1;
  const thrown = error instanceof UnexpectedAfterWrite ? error.cause : error;
  const what = thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown);
  io.stderr(`error: this is a bug in edgewise ${version}: ${what}\n`);
  if (exit === 3) io.stderr("Something was changed before it happened: run `edgewise plan` to see what is left to do.\n");
  if (debug) io.stderr(`${stackOf(thrown)}\n`);
  else io.stderr("Please report it with this message, the version and what you ran; EDGEWISE_DEBUG=1 shows where it happened.\n");
  return exit;
}

/** An exception that is no EdgewiseError, met when something had been written already: exit code 3. */
export class UnexpectedAfterWrite extends Error {
  override readonly name = "UnexpectedAfterWrite";

  constructor(cause: unknown) {
    super("unexpected failure after something was written", { cause });
  }
}

async function expected(error: EdgewiseError, io: Io): Promise<string> {
  const { problemsOf } = await import("./problems-of.js");
  const problems = await problemsOf(error, io);
  if (problems !== null) return problems;
  const remedy = error.remedy === null ? "" : `${error.remedy}\n`;
  return `error: ${error.message}\n${remedy}`;
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
