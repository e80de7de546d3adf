import { CommanderError } from "commander";
import { buildProgram, refuseEmptyValues } from "./program/build-program.js";
import { mayBeMistaken, refuseArguments, usageErrorOf } from "./program/usage-errors.js";
import type { CommonFlags } from "./support/flags.js";
import type { GuardedIo } from "./support/io.js";
import { showError } from "./support/show-error.js";

// All that the program's entry needs, so that it imports one file.
export { guarded } from "./support/io.js";
export { endOnSignals, endWhenDone, processIo, showUncaughtErrors, surviveClosedPipes } from "./support/process-io.js";

/**
 * Parses a command line and runs its command.
 * @param args without node and the script
 * @returns the exit code
 */
export async function run(args: readonly string[], io: GuardedIo): Promise<number> {
  let exit = 0;
  let given: CommonFlags = {};
  const program = buildProgram(async (flags, start) => {
    given = flags;
    const uncolored = "color" in flags && flags.color === false;
    exit = await start({ ...io, ...(uncolored ? { color: false, stderrColor: false } : {}) });
  }, args[0]);
  for (const command of [program, ...program.commands]) {
    command.exitOverride();
    command.configureOutput({
      writeOut: (text) => io.stdout(text),
      writeErr: (text) => io.stderr(text),
      // Shown below, like every other error.
      outputError: () => {},
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
    if (mayBeMistaken(args, program)) refuseArguments(args, program);
    await program.parseAsync(args, { from: "user" });
    return exit;
  } catch (error) {
    if (!(error instanceof CommanderError)) return showError(error, { ...formatOf(args), ...given }, io);
    // Help and version end with 0; without any command, the help was shown on stderr.
    if (error.exitCode === 0 || error.code === "commander.help") return error.exitCode;
    return showError(usageErrorOf(error, args, program), formatOf(args), io);
  }
}

/** `--log-format` of a command line that can't be parsed. */
function formatOf(args: readonly string[]): Pick<CommonFlags, "logFormat"> {
  const asked = args.some(
    (arg, at) => arg === "--log-format=json" || (arg === "json" && args[at - 1] === "--log-format"),
  );
  return asked ? { logFormat: "json" } : {};
}
