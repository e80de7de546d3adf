import type { Command } from "commander";

/** A flag as a completion script needs it. */
export interface DescribedOption {
  /** `--output`. */
  readonly long: string;
  /** `-o`, or null. */
  readonly short: string | null;
  readonly description: string;
  readonly takesValue: boolean;
  /** The values there are; empty = anything. */
  readonly choices: readonly string[];
  /** Whether its value is the name of a file or directory. */
  readonly file: boolean;
  readonly repeatable: boolean;
}

export interface DescribedCommand {
  readonly name: string;
  readonly summary: string;
  readonly options: readonly DescribedOption[];
  /** Values of its arguments; empty = anything. */
  readonly argumentChoices: readonly string[];
}

/** The program's commands and flags as data. */
export function describeProgram(program: Command): readonly DescribedCommand[] {
  return program.commands.map((command) => ({
    name: command.name(),
    summary: command.summary(),
    argumentChoices: command.registeredArguments.flatMap((argument) => argument.argChoices ?? []),
    options: command.options.map((option) => ({
      long: option.long ?? option.flags,
      short: option.short ?? null,
      description: option.description,
      takesValue: option.required || option.optional,
      choices: option.argChoices ?? [],
      file: /<(file|dir|path)>/u.test(option.flags),
      repeatable: option.description.includes("(repeatable)"),
    })),
  }));
}
