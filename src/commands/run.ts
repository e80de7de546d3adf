import { CommanderError } from "commander";
import type { Redactor } from "../api/redact.js";
import type { CommonFlags } from "./flags.js";
import type { Io } from "./io.js";
import { buildProgram } from "./program/build-program.js";
import { maskedForErrors } from "./masked-for-errors.js";
import { refuseEmptyValues } from "./program/refuse-empty-values.js";
import { showError } from "./show-error.js";

/**
 * Parses a command line and runs its command.
 * @param args without node and the script
 * @returns the exit code: design, "Commands"
 */
export async function run(args: readonly string[], io: Io): Promise<number> {
  let exit = 0;
  let given: CommonFlags = {};
  let known: Redactor | null = null;
  const onRedactor = (redactor: Redactor): void => {
    known = redactor;
  };
  const program = buildProgram(async (flags, start) => {
    given = flags;
    const plain = "color" in flags && flags.color === false;
    exit = await start({ ...io, onRedactor, ...(plain ? { color: false, stderrColor: false } : {}) });
  });
  for (const command of [program, ...program.commands]) {
    command.exitOverride();
    command.configureOutput({
      writeOut: (text) => io.stdout(text),
      writeErr: (text) => io.stderr(text),
      getOutHasColors: () => io.color,
      getErrHasColors: () => io.stderrColor,
      ...(io.columns === undefined ? {} : { getOutHelpWidth: () => io.columns ?? 80 }),
    });
  }
  program.hook("preAction", (_, command) => {
    given = command.opts();
    refuseEmptyValues(command);
  });
  try {
    await program.parseAsync(args, { from: "user" });
    return exit;
  } catch (error) {
    // Commander has told by then what was wrong; help and version end with 0.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 1;
    return showError(error, given, await maskedForErrors(io, known));
  }
}
