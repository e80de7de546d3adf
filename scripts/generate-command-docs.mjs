// Generates docs/commands from the program itself (dist/ must be built): one page for each command, and an index.
//   node scripts/generate-command-docs.mjs           writes
//   node scripts/generate-command-docs.mjs --check   fails if a page is out of date
import { mkdir, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { buildProgram } from "../dist/commands/program/build-program.js";
import { addedSections, optionGroups } from "./command-parts.mjs";

const dir = new URL("../docs/commands/", import.meta.url);
const note = "<!-- Generated from the program by scripts/generate-command-docs.mjs. Not to be edited. -->";
const program = buildProgram(async () => {});

/** Escapes text for a table cell: a pipe would end the cell, and `<name>` would be read as HTML. */
function cell(text) {
  const parts = text.replaceAll("|", "\\|").replaceAll(/\s+/g, " ").split("`");
  // Every second part is in backticks, where nothing is read as HTML.
  return parts.map((part, at) => (at % 2 === 1 ? part : part.replaceAll("<", "&lt;"))).join("`");
}

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
await mkdir(dir, { recursive: true });
const present = (await readdir(dir)).filter((name) => name.endsWith(".md"));
const stale = present.filter((name) => !pages.has(name));
const changed = [];
for (const [name, text] of pages) {
  const old = present.includes(name) ? await readFile(new URL(name, dir), "utf8") : null;
  if (old !== text) changed.push(name);
}
if (process.argv.includes("--check")) {
  for (const name of [...changed, ...stale])
    console.error(`docs/commands/${name} is stale: run node scripts/generate-command-docs.mjs`);
  process.exitCode = changed.length + stale.length > 0 ? 1 : 0;
} else {
  await Promise.all(changed.map((name) => writeFile(new URL(name, dir), pages.get(name))));
  await Promise.all(stale.map((name) => rm(new URL(name, dir))));
  console.log(`docs/commands: ${changed.length} written, ${stale.length} removed, of ${pages.size}`);
}
