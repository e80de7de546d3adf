// Generates docs/commands from the program itself (dist/ must be built): one page for each command, and an index.
//   node scripts/generate-command-docs.mjs           writes
//   node scripts/generate-command-docs.mjs --check   fails if a page is out of date
import { buildProgram } from "../dist/commands/program.js";
import { cell, writePages } from "./write-pages.mjs";

const note = "<!-- Generated from the program by scripts/generate-command-docs.mjs. Not to be edited. -->";
const program = await buildProgram(async () => {});

function optionRow(option) {
  const values =
    option.argChoices === undefined ? "" : ` One of ${option.argChoices.map((value) => `\`${value}\``).join(", ")}.`;
  const text = option.description.charAt(0).toUpperCase() + option.description.slice(1);
  return `| \`${option.flags.replaceAll("|", "\\|")}\` | ${cell(text)}.${values} |`;
}

function page(command) {
  const help = command.createHelp();
  const lines = [
    note,
    "",
    `# edgewise ${command.name()}`,
    "",
    command.description(),
    "",
    "```",
    help.commandUsage(command),
    "```",
    "",
  ];
  const args = help.visibleArguments(command);
  if (args.length > 0) {
    lines.push("## Arguments", "", "| argument | meaning |", "| --- | --- |");
    for (const argument of args) {
      const values =
        argument.argChoices === undefined
          ? ""
          : `. One of ${argument.argChoices.map((value) => `\`${value}\``).join(", ")}`;
      lines.push(`| \`${argument.name()}\` | ${cell(argument.description)}${values} |`);
    }
    lines.push("");
  }
  for (const [heading, options] of optionGroups(command)) {
    lines.push(`## ${heading}`, "", "| option | meaning |", "| --- | --- |", ...options.map(optionRow), "");
  }
  const shown = addedSections(command).get("Examples");
  if (shown !== undefined) lines.push("## Examples", "", "```sh", shown, "```", "");
  return `${lines.join("\n").trimEnd()}\n`;
}

function index() {
  const rows = program.commands.map(
    (command) => `| [\`${command.name()}\`](${command.name()}.md) | ${cell(command.summary())} |`,
  );
  return `${[note, "", "# Commands", "", "| command | does |", "| --- | --- |", ...rows].join("\n")}\n`;
}

const pages = new Map([
  ["README.md", index()],
  ...program.commands.map((command) => [`${command.name()}.md`, page(command)]),
]);
await writePages("docs/commands", pages, "generate-command-docs.mjs");

/** The options of a command that its help shows, by the headings there. */
function optionGroups(command) {
  const groups = new Map();
  for (const option of command.createHelp().visibleOptions(command)) {
    const heading = (option.helpGroupHeading ?? "Options:").replace(/:$/, "");
    groups.set(heading, [...(groups.get(heading) ?? []), option]);
  }
  return groups;
}

/** The text that a command's help adds below the options, by its headings: examples, exit codes, environment. */
function addedSections(command) {
  let text = "";
  command.configureOutput({ writeOut: (part) => (text += part) });
  command.outputHelp();
  const sections = new Map();
  // Indented lines belong to the heading above them; what commander itself writes has other headings.
  for (const [, heading, body] of text.matchAll(/^(Environment|Exit codes|Examples):\n((?: {2}.*\n?|\n(?= {2}))+)/gm))
    sections.set(heading, body.replaceAll(/^ {2}/gm, "").trimEnd());
  return sections;
}
