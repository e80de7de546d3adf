import { EdgewiseError } from "../../core/errors.js";
import { palette } from "../../report/styles.js";
import { visibleLine } from "../../core/visible.js";
import type { Io } from "./io.js";

/**
 * Makes sure that an approval was given, or can be asked for.
 * @param what what is to be approved: the end of "there is no terminal on which to"
 * @throws EdgewiseError `usage`
 */
export function requireApprover(
  { autoApprove }: { readonly autoApprove?: boolean },
  io: Io,
  what = "confirm the plan",
  remedy = "Give --auto-approve to apply without asking.",
): void {
  if (autoApprove === true || io.stdinIsTerminal) return;
  throw new EdgewiseError("usage", `there is no terminal on which to ${what}`, { remedy });
}

/** Asks on the terminal; only `yes` approves. */
export async function isConfirmed(question: string, io: Io): Promise<boolean> {
  const answer = await io.ask(`${palette(io.stderrColor).bold(visibleLine(question))} Type yes: `);
  return answer.trim() === "yes";
}
