import type { Command } from "commander";
import { type Completion, candidates } from "../completion/candidate.js";
import { type DescribedCommand, readCommandLine } from "../completion/command-line.js";
import { completeWord } from "../completion/complete-word.js";
import { ScanBudget, tabLimits } from "../completion/scan-budget.js";
import { bashReply, fishReply, zshReply } from "../completion/shell-reply.js";
import { type CurrentWord, atHome, ownWords, splitLine, unquoted } from "../completion/shell-words.js";
import { buildProgram } from "./program/build-program.js";
import type { GuardedIo } from "./support/io.js";

/**
 * `__complete SHELL …`: prints what the shell offers for the word at the cursor.
 *
 * - `bash REPLACED LINE`: what bash will replace, and the line up to the cursor
 * - `zsh WORD…`, `fish WORD…`: the words up to the cursor, the last one as it is typed
 *
 * Whatever goes wrong while somebody types is not an error: it prints nothing on stderr and exits with 0.
 */
export async function completeCommand(args: readonly string[], io: GuardedIo): Promise<number> {
  const [shell, ...given] = args;
  try {
    if (shell === "bash") {
      const [replaced = "", typed = ""] = given;
      const { current, redirects, words } = splitLine(typed);
      const found = redirects ? { sort: "files" as const, skip: 0 } : await complete(words, current, io);
      io.stdout(bashReply(found, { current, replaced }));
    } else {
      // zsh and fish have removed the quotes of all words but the last one.
      const current = unquoted(given.at(-1) ?? "");
      const found = await complete(given.slice(0, -1), current, io);
      io.stdout(shell === "zsh" ? zshReply(found, current) : fishReply(found, current));
    }
  } catch {
    io.stdout("nothing\n");
  }
  return 0;
}

async function complete(words: readonly string[], current: CurrentWord, io: GuardedIo): Promise<Completion> {
  const own = ownWords(words)?.map((word) => atHome(word, io.env["HOME"]));
  if (own === undefined) return { sort: "files", skip: 0 };
  const at = own.findIndex((word) => !word.startsWith("-"));
  const name = own[at];
  // `help` takes the name of a command, and nothing else.
  if (name === undefined || (name === "help" && own.length === at + 1)) {
    return firstWord(current, name === undefined);
  }
  const command = buildProgram(async () => undefined, name).commands.find((each) => each.name() === name);
  if (command === undefined) return { sort: "nothing" };
  const described = describeCommand(command);
  const line = readCommandLine(own.slice(at + 1), current.text, described);
  const budget = new ScanBudget(tabLimits, () => io.now());
  return completeWord({ command: described, line, current, cwd: io.cwd, env: io.env, budget });
}

function firstWord({ text }: CurrentWord, withFlags: boolean): Completion {
  const names = buildProgram(async () => undefined).commands.map((command): [string, string] => [
    command.name(),
    command.summary(),
  ]);
  if (!withFlags) return { sort: "values", skip: 0, values: candidates(names) };
  const flags = [
    { value: "--help", description: "show help", flag: true },
    { value: "--version", description: "print the version", flag: true },
  ];
  const values = text.startsWith("-") ? flags : candidates([...names, ["help", "show help for a command"]]);
  return { sort: "values", skip: 0, values };
}

/** A command, its flags and its arguments as data. */
export function describeCommand(command: Command): DescribedCommand {
  return {
    name: command.name(),
    summary: command.summary(),
    options: command.options
      .filter(({ hidden }) => !hidden)
      .map((option) => ({
        long: option.long ?? option.flags,
        short: option.short ?? null,
        description: option.description,
        value: option.required || option.optional ? (/<([^<>]+)>/u.exec(option.flags)?.[1] ?? "") : null,
        choices: option.argChoices ?? [],
        repeatable: option.description.includes("(repeatable)"),
      })),
    arguments: command.registeredArguments.map((argument) => ({
      name: argument.name(),
      choices: argument.argChoices ?? [],
      variadic: argument.variadic,
    })),
  };
}
