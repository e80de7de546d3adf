import { EdgewiseError, misuse } from "../../core/errors.js";
import { visibleLine } from "../../core/visible.js";
import { palette } from "../../report/styles.js";
import type { CommandIo, Io } from "./command-io.js";

/** @param what the end of "there is no terminal on which to" */
export function requireApprover(
  { autoApprove }: { readonly autoApprove?: boolean },
  io: Io,
  what = "confirm the plan",
  remedy = "Give --auto-approve to apply without asking.",
): void {
  if (autoApprove !== true && !io.stdinIsTerminal) throw misuse(`there is no terminal on which to ${what}`, remedy);
}

/** Only `yes` approves; `purpose` is the end of "Type yes to". */
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

/** How signals stop a command that writes, in two steps. */
export interface Interrupts {
  readonly soft: AbortSignal;
  readonly hard: AbortSignal;
  /** From here on the first signal lets requests in flight finish. */
  writing(): void;
  end(): void;
}

export function takeInterrupts({ log, onSignal }: CommandIo): Interrupts {
  const soft = new AbortController();
  const hard = new AbortController();
  let writing = false;
  const end = onSignal((signal) => {
    if (!writing || soft.signal.aborted) hard.abort(signal);
    else log.warning(`${signal}: no more requests are started, those in flight finish. Another one cuts them off.`);
    soft.abort(signal);
  });
  return { soft: soft.signal, hard: hard.signal, writing: () => void (writing = true), end };
}
