// Follows a page of documentation: runs its commands in order, in one shell, and returns the page with what they printed.
import { commandBlocks, fate, holdsCommands, readPage } from "./read-page.mjs";
import { openShell } from "./page-shell.mjs";
import { splitCommands } from "./split-commands.mjs";
import { shownIds, stableText } from "./stable-text.mjs";

/**
 * Whether a page has anything to run.
 * @param {string} text
 */
export function hasCommands(text) {
  return commandBlocks(text).some((block) => fate(block) === "run");
}

/**
 * @param {string} name of the page, for errors
 * @param {string} text of the page
 * @returns {Promise<string>} the page with what its commands print now
 * @throws Error where a command ends otherwise than the page says
 */
export async function followPage(name, text) {
  const shell = await openShell();
  const ids = shownIds();
  let fresh = "";
  try {
    for (const part of readPage(text)) {
      try {
        // In order, as the reader does.
        // oxlint-disable-next-line no-await-in-loop
        fresh += await follow(shell, ids, part);
      } catch (error) {
        throw new Error(`${name}:${part.line}: ${error.message}`, { cause: error });
      }
    }
  } finally {
    await shell.close();
  }
  return fresh;
}

async function follow(shell, ids, part) {
  if (part.type === "prose") return part.raw;
  if (part.type === "comment") await obey(shell, part);
  else if (part.marks.file !== undefined && part.marks["not run"] === undefined)
    await shell.write(part.marks.file, part.content);
  else if (holdsCommands(part) && fate(part) === "run") return runBlock(shell, ids, part);
  return part.raw;
}

async function obey(shell, { word, rest }) {
  if (word === "reads") {
    const [, shown, meant] = /^(.+?) => (.*)$/.exec(rest) ?? [];
    if (shown === undefined) throw new Error(`no "A => B": ${rest}`);
    shell.replace(shown, meant);
  }
  if (word !== "prepare" && word !== "check") return;
  for (const command of splitCommands(rest)) {
    // oxlint-disable-next-line no-await-in-loop
    const { code, output } = await start(shell, command);
    if (code !== 0) throw new Error(`${word}: ${command}: exit code ${code}\n${output}`);
  }
}

/** Runs a command. The sandbox and serve keep running, as in terminals of their own; another one ends the one before. */
function start(shell, command, typed) {
  const [, name, rest] = /^(?:\w+=\S+ )*(?:node \S*)?edgewise(?:\.mjs)? (sandbox|serve) (.*)/s.exec(command) ?? [];
  const ends = name === undefined || / --(check|once|status|help)\b/.test(` ${rest}`);
  return ends ? shell.run(command, typed) : shell.keepRunning(name, command);
}

/** Runs the commands of a block; the block with their output. */
async function runBlock(shell, ids, { language, content, indent, marks, raw }) {
  // Without a prompt, everything is commands, and the page shows no output.
  const prompted = /^\$ /m.test(content);
  let shown = "";
  for (const command of prompted ? promptedCommands(content) : splitCommands(content)) {
    // oxlint-disable-next-line no-await-in-loop
    const { code, output } = await start(shell, ids.real(command), marks.typed?.replaceAll("\\n", "\n"));
    const expected = Number(/#.* exits with (\d+)/.exec(command)?.[1] ?? 0);
    if (code !== expected) throw new Error(`${command}: exit code ${code}, expected ${expected}\n${output}`);
    const printed = ids.show(stableText(output)).trimEnd();
    shown += `${prompt(command)}\n${printed === "" ? "" : `${printed}\n`}`;
  }
  if (!prompted || "no output" in marks) return raw;
  const fence = /^ *(```+|~~~+)/.exec(raw)[1];
  return `${fence}${language}\n${shown}${fence}\n`.replaceAll(/^(?=.)/gm, indent);
}

/** The first line has a prompt. Further lines of the command have another one, but for those after a backslash. */
const prompt = (command) => `$ ${command.replaceAll(/(?<!\\)\n/g, "\n> ")}`;

function promptedCommands(content) {
  const lines = content.split("\n").filter((line, index, all) => line.startsWith("$ ") || continues(all, index));
  return splitCommands(lines.map((line) => line.replace(/^[$>] /, "")).join("\n"));
}

function continues(lines, index) {
  const above = lines[index - 1];
  if (above === undefined) return false;
  if (lines[index].startsWith("> ")) return above.startsWith("$ ") || continues(lines, index - 1);
  return above.endsWith("\\") && (above.startsWith("$ ") || continues(lines, index - 1));
}
