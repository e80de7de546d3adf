// Generates docs/commands from the program itself (dist/ must be built): one page for each command, and an index.
//   node scripts/generate-command-docs.mjs           writes
//   node scripts/generate-command-docs.mjs --check   fails if a page is out of date
import { buildProgram } from "../dist/commands/run.js";
import { cell, writePages } from "./write-pages.mjs";

const note = "<!-- Generated from the program by scripts/generate-command-docs.mjs. Not to be edited. -->";
const program = await buildProgram(() => async () => {});

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
  const common = [];
  for (const [heading, options] of optionGroups(command)) {
    const own = options.filter((option) => !isCommon(option));
    common.push(...options.filter(isCommon));
    if (own.length > 0)
      lines.push(`## ${heading}`, "", "| option | meaning |", "| --- | --- |", ...own.map(optionRow), "");
  }
  if (common.length > 0) {
    lines.push("## Common options", "");
    lines.push(`[Explained once](README.md#common-options): ${common.map(({ long }) => `\`${long}\``).join(" ")}`, "");
  }
  const shown = addedSections(command).get("Examples");
  if (shown !== undefined) lines.push("## Examples", "", "```sh", shown, "```", "");
  return `${lines.join("\n").trimEnd()}\n`;
}

function index() {
  const rows = program.commands.map(
    (command) => `| [\`${command.name()}\`](${command.name()}.md) | ${cell(command.summary())} |`,
  );
  const shared = new Set(
    program.commands
      .flatMap((command) => [...optionGroups(command).values()].flat())
      .filter(isCommon)
      .map(optionRow),
  );
  const options = ["## Common options", "", "| option | meaning |", "| --- | --- |", ...shared];
  return `${[note, "", "# Commands", "", "| command | does |", "| --- | --- |", ...rows, "", ...options].join("\n")}\n`;
}

/** How many commands have an option in the same words. */
const uses = new Map();
for (const command of program.commands) {
  for (const option of [...optionGroups(command).values()].flat()) {
    uses.set(optionRow(option), (uses.get(optionRow(option)) ?? 0) + 1);
  }
}

function isCommon(option) {
  return uses.get(optionRow(option)) >= 4;
}

const pages = new Map([
  ["README.md", index()],
  ...program.commands.map((command) => [`${command.name()}.md`, page(command)]),
]);
await writePages("docs/commands", pages, "generate-command-docs.mjs");

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
