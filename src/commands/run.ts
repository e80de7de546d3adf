import { type Command, CommanderError } from "commander";
import { EdgewiseError } from "../core/errors.js";
import { cut } from "../core/text.js";
import { buildProgram } from "./program.js";
import type { GuardedIo } from "./support/io.js";
import type { CommonFlags } from "./support/command-options.js";
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
  let given: CommonFlags = logFormatOf(args);
  const named = (args[0] === "help" ? args[1] : args[0]) ?? "";
  const program = await buildProgram(
    async (flags, start) => {
      const uncolored = "color" in flags && flags.color === false;
      exit = await start({ ...io, ...(uncolored ? { color: false, stderrColor: false } : {}) });
    },
    named === "completion" ? undefined : named,
  );
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
    await program.parseAsync(args, { from: "user" });
    return exit;
  } catch (error) {
    if (!(error instanceof CommanderError)) return showError(error, given, io);
    // Help and version end with 0; without any command, the help was shown on stderr.
    if (error.exitCode === 0 || error.code === "commander.help") return error.exitCode;
    const known = program.commands.some((command) => command.name() === named);
    return showError(usageError(error, known ? `edgewise ${named} --help` : "edgewise --help"), given, io);
  }
}

/** `--log-format` of a command line that may not be parsed. */
function logFormatOf(args: readonly string[]): Pick<CommonFlags, "logFormat"> {
  return / --log-format[ =]json( |$)/u.test(` ${args.join(" ")}`) ? { logFormat: "json" } : {};
}

/** The parser's own words and suggestion. What follows a = may be confidential and is not quoted. */
function usageError({ message }: CommanderError, help: string): EdgewiseError {
  const [, what = "", suggestion] = /^(?:error: )?(.*?)(?:\n\((Did you mean [^\n]*\?)\))?$/su.exec(message) ?? [];
  const shown = cut(what.replace(/^(unknown option '[^=]*)=.*/su, "$1'"), 300);
  return new EdgewiseError("usage", shown, {
    remedy: `${suggestion === undefined ? "" : `${suggestion} `}\`${help}\` shows what can be given.`,
  });
}

/**
 * Refuses options and arguments that were given but are empty, as an unset shell variable leaves them: `apply "$PLAN"`
 * must not do anything but apply a plan.
 * @throws EdgewiseError `usage`
 */
function refuseEmptyValues(command: Command): void {
  const given: (readonly [name: string, value: unknown])[] = [
    ...command.options.map(
      (option) => [option.long ?? option.flags, command.getOptionValue(option.attributeName())] as const,
    ),
    ...command.processedArgs.map(
      (value: unknown, index) => [`the argument ${command.registeredArguments[index]?.name()}`, value] as const,
    ),
  ];
  const isEmpty = (value: unknown): boolean =>
    Array.isArray(value) ? value.some(isEmpty) : typeof value === "string" && value.trim() === "";
  const empty = given.find(([, value]) => isEmpty(value));
  if (empty === undefined) return;
  throw new EdgewiseError("usage", `${empty[0]} is empty`, {
    remedy: "Give it a value, or leave it out. An unset shell variable expands to nothing.",
  });
}
