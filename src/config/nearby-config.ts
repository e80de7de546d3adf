import { type Dirent, readdirSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { shellWord } from "../core/shell-word.js";
import { listFew } from "../text/layout.js";
import { configName } from "./find-config.js";

/** Names that people give the configuration by mistake. */
const misspelt: ReadonlySet<string> = new Set(["edgewise.yml", "edgewise.json", ".edgewise.yaml", ".edgewise.yml"]);

/** More entries of a directory are not looked at. */
const mostEntries = 500;

/**
 * What to do when there is no configuration, but one that is near may be meant: with a misspelt name here or above, or in
 * one of the directories here. Null when there is none.
 * @param cwd absolute
 */
export function configNear(cwd: string): string | null {
  const wrong = misspeltAbove(cwd);
  if (wrong !== null) {
    const name = relative(cwd, wrong) || wrong;
    const there = `There is ${name}, but only the name ${configName} is looked for`;
    if (wrong.endsWith(".json")) return `${there}, and YAML in it.`;
    return `${there}: \`mv ${shellWord(name)} ${shellWord(join(dirname(name), configName))}\` renames it.`;
  }
  const below = directoriesWithConfig(cwd);
  const [first] = below;
  if (first === undefined) return null;
  const others = below.length > 1 ? ` Also there: ${listFew(below.slice(1), 3)}.` : "";
  return `There is ${first}: \`cd ${shellWord(dirname(first))}\` first, or give -c ${shellWord(first)}.${others}`;
}

function misspeltAbove(start: string): string | null {
  for (let directory = resolve(start); ; directory = dirname(directory)) {
    const found = entriesOf(directory).find((entry) => entry.isFile() && misspelt.has(entry.name.toLowerCase()));
    if (found !== undefined) return join(directory, found.name);
    if (dirname(directory) === directory) return null;
  }
}

/** Configurations in the directories of a directory, relative to it. */
function directoriesWithConfig(directory: string): readonly string[] {
  return entriesOf(directory)
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith(".") && entry.name !== "node_modules")
    .map(({ name }) => join(name, configName))
    .filter((path) =>
      entriesOf(dirname(join(directory, path))).some((entry) => entry.name === configName && entry.isFile()),
    )
    .toSorted();
}

/** Empty for a directory that can't be read. */
function entriesOf(directory: string): readonly Dirent[] {
  try {
    return readdirSync(directory, { withFileTypes: true }).slice(0, mostEntries);
  } catch {
    return [];
  }
}
