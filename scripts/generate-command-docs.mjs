// Generates docs/commands from the program itself (dist/ must be built): one page for each command, and an index.
//   node scripts/generate-command-docs.mjs           writes
//   node scripts/generate-command-docs.mjs --check   fails if a page is out of date
import { buildProgram } from "../dist/commands/program/build-program.js";
import { cell, writePages } from "./write-pages.mjs";

const note = "<!-- Generated from the program by scripts/generate-command-docs.mjs. Not to be edited. -->";
const program = buildProgram(async () => {});

/** The options of a command, by the headings of its help. */
function optionGroups(command) {
  const groups = new Map();
  for (const option of command.createHelp().visibleOptions(command)) {
    const heading = (option.helpGroupHeading ?? "Options:").replace(/:$/, "");
    groups.set(heading, [...(groups.get(heading) ?? []), option]);
  }
  return groups;
}

function optionRow(option) {
  const values =
    option.argChoices === undefined ? "" : ` One of ${option.argChoices.map((value) => `\`${value}\``).join(", ")}.`;
  const text = option.description.charAt(0).toUpperCase() + option.description.slice(1);
  return `| \`${option.flags.replaceAll("|", "\\|")}\` | ${cell(text)}.${values} |`;
}

/** The text that is added to the help below the options. */
function added(command) {
  let text = "";
  command.configureOutput({ writeOut: (part) => (text += part) });
  command.outputHelp();
  const at = text.indexOf("\nExamples:\n");
  return at === -1
    ? ""
    : text
        .slice(at + "\nExamples:\n".length)
        .replaceAll(/^ {2}/gm, "")
        .trimEnd();
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
  const shown = added(command);
  if (shown !== "") lines.push("## Examples", "", "```sh", shown, "```", "");
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
