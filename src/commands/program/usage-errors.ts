import type { Command, CommanderError, Option } from "commander";
import { didYouMean, suggest } from "../../diagnostics/suggest.js";
import { EdgewiseError } from "../../core/errors.js";
import { isAddress } from "../../kinds/names.js";
import { shellWord } from "../../core/shell-word.js";
import { cut } from "../../text/layout.js";

/** A word longer than this is shortened where a message quotes it. */
const widest = 100;

/** Whether {@link refuseArguments} may find something; most command lines end here. */
export function mayBeMistaken(args: readonly string[], program: Command): boolean {
  return !isCommand(args[0] ?? "", program) || args.some((arg) => /^-[A-Za-z](?:=|[a-z-]{2})/u.test(arg));
}

/**
 * Refuses what the parser would misread: a word that is no command, also beside `--help`; `-out FILE`, which it takes for
 * `-o ut FILE`; and `-o=json`, which it takes for the format `=json`.
 * @param program with all commands
 * @throws EdgewiseError `usage`
 */
export function refuseArguments(args: readonly string[], program: Command): void {
  const [first = "", second = ""] = args;
  const isHelp = first === "help";
  const named = isHelp ? second : first;
  const command = program.commands.find((one) => one.name() === named);
  if (command === undefined) {
    if (named !== "" && !named.startsWith("-") && !(isHelp && named === "help")) throw unknownCommand(named, program);
    return;
  }
  for (let at = 1; at < args.length; at += 1) {
    const arg = args[at] ?? "";
    if (arg === "--") return;
    // The next word is this option's value, whatever it looks like.
    if (command.options.some((option) => option.required && [option.short, option.long].includes(arg))) at += 1;
    else refuseDash(arg, args[at + 1], command);
  }
}

/** Single dashes before long names, as Terraform has them, and `=` after short ones, as kubectl has it. */
function refuseDash(arg: string, next: string | undefined, command: Command): void {
  const [, name = "", equals] = /^-([A-Za-z][A-Za-z-]*)(?:=(.*))?$/su.exec(arg) ?? [];
  if (name.length === 1 && equals !== undefined) {
    const option = command.options.find(({ short }) => short === `-${name}`);
    if (option === undefined || isSwitch(option)) return;
    const value = equals === "" ? option.flags.replace(/^.* /u, "") : equals;
    throw usage(
      `-${name} takes its value after a blank, not after =`,
      `Write -${name} ${quoted(value)}, or ${option.long ?? ""}=${quoted(value)}.`,
    );
  }
  if (name.length < 3) return;
  const known = optionNamed(command, name);
  if (known !== undefined) {
    const off = isSwitch(known) && isOff(equals);
    throw usage(`-${name} needs two dashes`, off ? leaveOut(known) : `Write ${writtenAs(known, equals ?? next)}.`);
  }
  if (name === "help") throw usage("-help needs two dashes", "Write --help.");
}

/** The error for what the parser refused. */
export function usageErrorOf(error: CommanderError, args: readonly string[], program: Command): EdgewiseError {
  const text = error.message.replace(/^error: /u, "");
  const command = program.commands.find((one) => one.name() === args[0]) ?? program;
  const [, quotedWord = ""] = /'([^']*)'/su.exec(text) ?? [];
  const option = command.options.find(({ flags }) => flags === quotedWord);
  switch (error.code) {
    case "commander.unknownCommand":
      return unknownCommand(quotedWord, program);
    case "commander.unknownOption":
      if (command === program) return beforeCommand(quotedWord, args, program);
      return unknownOption(quotedWord, args[args.indexOf(quotedWord) + 1], command);
    case "commander.excessArguments":
      return excessArguments(command, args);
    case "commander.missingArgument": {
      const argument = command.registeredArguments.find((one) => one.name() === quotedWord);
      return usage(`${command.name()} needs <${quotedWord}>: ${argument?.description ?? ""}`, usageLine(command));
    }
    case "commander.optionMissingArgument":
      return usage(
        `${option?.long ?? quotedWord} needs a value`,
        `Write ${option?.flags ?? quotedWord}: ${option?.description ?? ""}.`,
      );
    case "commander.missingMandatoryOptionValue":
      return usage(`${command.name()} needs ${quotedWord}: ${option?.description ?? ""}`, usageLine(command));
    case "commander.invalidArgument":
      return invalidValue(text, quotedWord, command, option);
    default:
      return usage(text, null);
  }
}

function isCommand(word: string, program: Command): boolean {
  return program.commands.some((command) => command.name() === word);
}

function unknownCommand(word: string, program: Command): EdgewiseError {
  const names = program.commands.map((command) => command.name());
  const asFile = /\.ya?ml$/u.test(word)
    ? `\`edgewise validate ${quoted(word)}\` checks the file, \`edgewise plan -f ${quoted(word)}\` plans it.`
    : word.endsWith(".json")
      ? `\`edgewise show ${quoted(word)}\` shows a saved plan, \`edgewise apply ${quoted(word)}\` applies it.`
      : null;
  const near = [didYouMean(word, names), "`edgewise --help` lists all commands."].filter((part) => part !== null);
  return usage(`unknown command ${shown(word)}`, asFile ?? near.join(" "));
}

/**
 * @param given as typed; of `--token=…` only the name is quoted
 * @param next the word after it
 */
function unknownOption(given: string, next: string | undefined, command: Command): EdgewiseError {
  const [dashed = "", ...rest] = given.split("=");
  const name = dashed.replace(/^-+/u, "");
  const value = given.includes("=") ? rest.join("=") : next;
  const known = optionNamed(command, name);
  if (known !== undefined && dashed === known.long) {
    return usage(`${dashed} takes no value`, isOff(value) ? leaveOut(known) : `Write ${dashed} alone.`);
  }
  const help = `\`edgewise ${command.name()} --help\` lists the options.`;
  const near = [didYouMean(dashed, longNames(command)), help].filter((part) => part !== null);
  const isFormat = optionNamed(command, "output")?.argChoices?.includes(name) === true;
  return usage(`unknown option ${shown(dashed)} for ${command.name()}`, isFormat ? `Use -o ${name}.` : near.join(" "));
}

/** Options of commands go after them, and the program itself has two of its own. */
function beforeCommand(given: string, args: readonly string[], program: Command): EdgewiseError {
  const [option = ""] = given.split("=");
  const command = args.find((arg) => isCommand(arg, program));
  const own = /^-+(?:v|version)$/iu.test(option) ? "`edgewise --version` prints the version." : null;
  const after = command === undefined ? null : `Options go after the command: \`edgewise ${command} ${option}\`.`;
  return usage(
    `unknown option ${shown(option)} before the command`,
    after ?? own ?? "`edgewise --help` lists all commands.",
  );
}

function isOff(value: string | undefined): boolean {
  return value !== undefined && /^(?:false|no|off|0)$/iu.test(value);
}

function leaveOut(option: Option): string {
  return `Leave it out: without ${option.long ?? option.flags} it is off.`;
}

function excessArguments(command: Command, args: readonly string[]): EdgewiseError {
  const { length } = command.registeredArguments;
  const [first = "", ...more] = command.args.slice(length);
  const takes =
    length === 0 ? "no arguments" : `at most ${command.registeredArguments.map((one) => `<${one.name()}>`).join(" ")}`;
  return usage(
    `${command.name()} takes ${takes}, but ${shown(first)} was given${length === 0 ? "" : " too"}`,
    placeFor(first, more, command, args),
  );
}

/** Where a word belongs that the command has no place for. */
function placeFor(word: string, more: readonly string[], command: Command, args: readonly string[]): string {
  const has = (name: string): boolean => optionNamed(command, name) !== undefined;
  const isPath = /[/*]|\.ya?ml$/u.test(word) && !isAddress(word);
  if (has("file") && isPath) {
    const repeated = args.includes("-f") || args.includes("--file");
    const all = [word, ...more].map((path) => `-f ${quoted(path)}`).join(" ");
    return repeated
      ? `-f takes one path: write ${cut(all, widest)}, or quote the pattern so that the shell leaves it alone.`
      : `To read only ${more.length === 0 ? "this" : "these"}: \`edgewise ${command.name()} ${cut(all, widest)}\`.`;
  }
  if (has("only") && isAddress(word)) return `To plan only this resource: --only ${word}.`;
  if (word.endsWith(".json") && command.name() === "plan") {
    return `\`edgewise plan --out ${quoted(word)}\` saves a plan, \`edgewise show ${quoted(word)}\` shows it.`;
  }
  if (has("var") && /^[A-Za-z_][\w-]*=/u.test(word)) return "Write a variable as --var NAME=VALUE.";
  if (has("environment") && /^[\w-]+$/u.test(word))
    return `To select an environment: -e ${word}. ${usageLine(command)}`;
  if (command.name() === "explain") return "Write a field with dots, like TLSEdge.hostports.";
  return usageLine(command);
}

function invalidValue(text: string, word: string, command: Command, option: Option | undefined): EdgewiseError {
  const { value, why } = refusedValue(text);
  const choices = option?.argChoices ?? [];
  const remedy = [didYouMean(value, choices), why].filter((part) => part !== null && part !== "").join(" ");
  // The value of a variable may be confidential.
  if (option?.long === "--var") return usage("--var needs a name and a value", "Write --var NAME=VALUE.");
  const subject =
    option === undefined ? `<${argumentOf(text)}> for ${command.name()}` : `value of ${option.long ?? word}`;
  return usage(`${shown(value)} is not a valid ${subject}`, remedy);
}

/** The parts of `option '--only <address>' argument 'api' is invalid. An address is …`; the value may hold anything. */
function refusedValue(text: string): { readonly value: string; readonly why: string } {
  const begin = text.startsWith("option") ? "argument '" : "value '";
  const from = text.indexOf(begin) + begin.length;
  const to = text.indexOf("' is invalid", from);
  const end = text.indexOf(".", to);
  return { value: text.slice(from, to), why: text.slice(end + 1).trim() };
}

function argumentOf(text: string): string {
  return /for argument '([^']*)'/u.exec(text)?.[1] ?? "argument";
}

function longNames(command: Command): readonly string[] {
  return command.options.flatMap(({ hidden, long }) => (hidden || long === undefined || long === null ? [] : [long]));
}

function optionNamed(command: Command, name: string): Option | undefined {
  return command.options.find(({ long }) => long === `--${name}`);
}

function isSwitch(option: Option): boolean {
  return !option.required && !option.optional;
}

/** An option with its value as it should have been typed. */
function writtenAs(option: Option, value: string | undefined): string {
  const name = option.long ?? option.flags;
  if (isSwitch(option)) return name;
  const placeholder = option.flags.replace(/^.* /u, "");
  const given = value === undefined || value === "" || value.startsWith("-") ? null : value;
  const choices = option.argChoices;
  if (choices === undefined || (given !== null && choices.includes(given))) {
    return `${name} ${given === null ? placeholder : quoted(given)}`;
  }
  const near = given === null ? null : suggest(given, choices);
  return near === null ? `${name} ${placeholder}, one of ${choices.join(", ")}` : `${name} ${near}`;
}

/** How the command is typed, with the options that it can't do without. */
function usageLine(command: Command): string {
  const needed = command.options.filter(({ mandatory }) => mandatory).map(({ flags }) => ` ${flags}`);
  const choices = command.registeredArguments.flatMap((argument) => {
    const { argChoices = [] } = argument;
    const few = argChoices.length > 0 && argChoices.length <= 5;
    return few
      ? [`, where <${argument.name()}> is ${argChoices.length > 1 ? "one of " : ""}${argChoices.join(", ")}`]
      : [];
  });
  return `Usage: edgewise ${command.name()} ${command.usage()}${needed.join("")}${choices.join("")}`;
}

/** A word of the command line as messages quote it. */
function shown(word: string): string {
  return JSON.stringify(cut(word, widest));
}

/** A word as it can be typed. */
function quoted(word: string): string {
  return shellWord(cut(word, widest));
}

function usage(message: string, remedy: string | null): EdgewiseError {
  return new EdgewiseError("usage", message, remedy === null || remedy === "" ? {} : { remedy });
}
