import type { CommonFlags } from "./flags.js";
import { guarded } from "./guarded-io.js";
import type { Io } from "./io.js";

/**
 * Writes a command's result: to stdout, or with `--output-file` there, in one step, so that no reader sees half of it,
 * and readable by its owner only.
 * A missing newline at the end is added.
 * @throws EdgewiseError `io` when the file can't be written
 */
export async function writeResult(text: string, flags: Pick<CommonFlags, "outputFile">, io: Io): Promise<void> {
  const whole = text === "" || text.endsWith("\n") ? text : `${text}\n`;
  if (flags.outputFile === undefined) return io.stdout(whole);
  const { writeOutput } = await import("./write-output.js");
  await writeOutput(flags.outputFile, whole, guarded(io));
}
