import { EdgewiseError, misuse } from "../../core/errors.js";
import { visibleLine } from "../../core/visible.js";
import { palette } from "../../report/styles.js";
import type { Io } from "./command-io.js";

/** @param what the end of "there is no terminal on which to" */
export function requireApprover(
  { autoApprove }: { readonly autoApprove?: boolean },
  io: Io,
  what = "confirm the plan",
  remedy = "Give --auto-approve to apply without asking.",
): void {
  if (autoApprove !== true && !io.stdinIsTerminal) throw misuse(`there is no terminal on which to ${what}`, remedy);
}

/**
 * Asks on the terminal; only `yes` approves.
 * @param purpose the end of "Type yes to"
 * @param signal aborted by a signal that comes meanwhile
 */
export async function confirm(question: string, io: Io, purpose: string, signal?: AbortSignal): Promise<void> {
  const answer = await io.ask(`${palette(io.stderrColor).bold(visibleLine(question))} Type yes: `);
  if (signal !== undefined) stopIfInterrupted(signal);
  if (answer.trim() !== "yes") throw misuse("not approved: nothing was changed", `Type yes to ${purpose}.`);
}

export function stopIfInterrupted(signal: AbortSignal): void {
  if (signal.aborted) throw interrupted();
}

export function interrupted(): EdgewiseError {
  return new EdgewiseError("interrupted", "interrupted: nothing was changed", { exit: 130 });
}
