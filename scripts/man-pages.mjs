// Writes the man pages from the program itself: edgewise(1), and one page for each command, like edgewise-plan(1).
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { addedSections, optionGroups } from "./command-parts.mjs";

/** Text as roff shows it, with nothing read as a request, an escape or a typographic quote. */
function escape(text) {
  const shown = { "\\": "\\e", "-": "\\-", "'": "\\(aq", "`": "\\(ga", '"': "\\(dq", "^": "\\(ha", "~": "\\(ti" };
  return text
    .replaceAll(/[-\\'`"^~]/g, (character) => shown[character])
    .replaceAll(
      /[^ -~\n]/gu,
      (character) => `\\[u${character.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}]`,
    )
    .replaceAll(/^(?=\.)/gm, "\\&");
}

const bold = (text) => `\\fB${escape(text)}\\fP`;
const italic = (text) => `\\fI${escape(text)}\\fP`;

/** A sentence in one line; what stands in backticks is bold. */
function prose(text) {
  const parts = text.replaceAll(/\s+/g, " ").split("`");
  return parts.map((part, at) => (at % 2 === 1 ? bold(part) : escape(part))).join("");
}

const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);
const sentence = (text) => (/[.:]$/.test(text) ? capital(text) : `${capital(text)}.`);

/** `-o, --output <format>`: what is typed is bold, what stands for a value is italic. */
function flags(text) {
  return text.replaceAll(/(<[^>]*>|\[[^\]]*\])|([^<[]+)/g, (_, value, typed) =>
    value === undefined ? typed.replaceAll(/[^\s,]+/g, bold) : italic(value),
  );
}

const tagged = (tag, text) => [".TP", tag, text];
const verbatim = (text) => [".PP", ".RS 4", ".nf", escape(text), ".fi", ".RE"];

function choices({ argChoices }) {
  return argChoices === undefined ? "" : ` One of ${argChoices.map(bold).join(", ")}.`;
}

function optionLines(option) {
  return tagged(flags(option.flags), `${prose(sentence(option.description))}${choices(option)}`);
}

function head(name, summary, version) {
  return [
    `.\\" Made from the program by scripts/man-pages.mjs.`,
    `.TH "${escape(name.toUpperCase())}" 1 "" "edgewise ${escape(version)}" "edgewise"`,
    ".nh",
    ".ad l",
    ".SH NAME",
    `${escape(name)} \\- ${prose(summary)}`,
  ];
}

function commandPage(command, version) {
  const help = command.createHelp();
  const lines = head(`edgewise-${command.name()}`, command.summary(), version);
  lines.push(".SH SYNOPSIS", flags(help.commandUsage(command)), ".SH DESCRIPTION");
  for (const paragraph of command.description().split("\n\n")) lines.push(".PP", prose(paragraph));
  const args = help.visibleArguments(command);
  if (args.length > 0) lines.push(".SH ARGUMENTS");
  for (const argument of args)
    lines.push(...tagged(italic(argument.name()), `${prose(sentence(argument.description))}${choices(argument)}`));
  lines.push(".SH OPTIONS");
  for (const [heading, options] of optionGroups(command)) lines.push(`.SS ${heading}`, ...options.flatMap(optionLines));
  const examples = addedSections(command).get("Examples");
  if (examples !== undefined) lines.push(".SH EXAMPLES", ...verbatim(examples));
  lines.push(".SH SEE ALSO", `${bold("edgewise")}(1)`);
  return lines;
}

function programPage(program, version) {
  const lines = head("edgewise", "manage a tunnel-edge account from manifests in Git", version);
  lines.push(".SH SYNOPSIS", flags("edgewise <command> [options]"));
  lines.push(".SH DESCRIPTION", prose(program.description()), ".SH COMMANDS");
  for (const command of program.commands)
    lines.push(...tagged(`${bold(`edgewise-${command.name()}`)}(1)`, prose(sentence(command.summary()))));
  const sections = addedSections(program);
  lines.push(".SH ENVIRONMENT");
  const [variables, note] = splitTable(sections.get("Environment") ?? "");
  for (const [name, meaning] of variables) lines.push(...tagged(bold(name), prose(sentence(meaning))));
  lines.push(".PP", prose(note), ".SH EXIT STATUS");
  for (const [code, meaning] of splitTable(sections.get("Exit codes") ?? "")[0])
    lines.push(...tagged(bold(code), prose(sentence(meaning))));
  lines.push(".SH EXAMPLES", ...verbatim(sections.get("Examples") ?? ""));
  return lines;
}

/** The rows of a table in a help text (a name, two spaces or more, its meaning), and the text below them. */
function splitTable(text) {
  const rows = text.split("\n").map((line) => /^(\S+) {2,}(.+)$/.exec(line));
  const found = rows.flatMap((row) => (row === null ? [] : [[row[1], row[2]]]));
  return [found, text.split("\n").slice(found.length).join(" ")];
}

/**
 * The man pages, by file name.
 * @param {import("commander").Command} program
 * @param {string} version
 * @returns {Map<string, string>}
 */
export function manPages(program, version) {
  const pages = new Map([["edgewise.1", programPage(program, version)]]);
  for (const command of program.createHelp().visibleCommands(program)) {
    if (command.name() !== "help") pages.set(`edgewise-${command.name()}.1`, commandPage(command, version));
  }
  return new Map([...pages].map(([name, lines]) => [name, `${lines.join("\n")}\n`]));
}

/** Writes them into a directory, and removes those of commands that are gone. */
export function writeManPages(directory, program, version) {
  const pages = manPages(program, version);
  mkdirSync(directory, { recursive: true });
  for (const [name, text] of pages) writeFileSync(join(directory, name), text);
  for (const name of readdirSync(directory)) if (!pages.has(name)) rmSync(join(directory, name));
}
