import { type Stats, closeSync, constants, fstatSync, openSync, opendirSync, readSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Candidate } from "./candidate.js";
import type { ScanBudget } from "./scan-budget.js";

/** Files of one sort: by their names, and by how their texts begin. */
interface FileSort {
  readonly name: RegExp;
  /** Absent = the name is enough. */
  readonly text?: RegExp;
  readonly description: string;
}

const sorts = {
  plans: { name: /\.json$/iu, text: /^\s*\{\s*"format"\s*:\s*"edgewise\.plan\/v1"/u, description: "saved plan" },
  configs: { name: /\.ya?ml$/u, text: /^kind:[ \t]*["']?Config\b/mu, description: "configuration" },
  fleets: { name: /\.ya?ml$/u, text: /^kind:[ \t]*["']?Fleet\b/mu, description: "fleet file" },
  manifests: { name: /\.ya?ml$/u, description: "manifests" },
  directories: { name: /^$/u, description: "" },
} satisfies { readonly [name: string]: FileSort };

export type PathSort = keyof typeof sorts;

/** How much of a file tells what it is, in bytes. */
const beginningBytes = 4096;

/**
 * The directories, and the files of one sort, in the directory that a word names so far. Where there is no file of that
 * sort, all files are. Never throws.
 * @param cwd absolute
 */
export function pathNames(sort: PathSort, word: string, cwd: string, budget: ScanBudget): readonly Candidate[] {
  const wanted: FileSort = sorts[sort];
  const typedDirectory = word.slice(0, word.lastIndexOf("/") + 1);
  const typedName = word.slice(typedDirectory.length).toLowerCase();
  const directory = resolve(cwd, typedDirectory);
  const directories: Candidate[] = [];
  const files: Candidate[] = [];
  const others: Candidate[] = [];
  for (const name of namesIn(directory, budget)) {
    // What is not typed yet is not looked at; hidden files only when their dot is typed.
    if (!name.toLowerCase().startsWith(typedName) || (name.startsWith(".") && typedName === "")) continue;
    const path = join(directory, name);
    const value = typedDirectory + name;
    const stats = statOf(path);
    if (stats?.isDirectory() === true) directories.push({ value: `${value}/`, description: "directory", open: true });
    else if (stats?.isFile() === true && sort !== "directories") {
      const isWanted = wanted.name.test(name) && (wanted.text === undefined || wanted.text.test(beginningOf(path)));
      (isWanted ? files : others).push({ value, description: isWanted ? wanted.description : "" });
    }
    if (budget.spent) break;
  }
  return [...directories, ...(files.length > 0 ? files : others)];
}

/** The names in a directory, as many as the budget allows. */
function* namesIn(directory: string, { limits }: ScanBudget): Generator<string> {
  try {
    const handle = opendirSync(directory);
    try {
      let count = 0;
      for (let entry = handle.readSync(); entry !== null && count < limits.count; entry = handle.readSync()) {
        count += 1;
        yield entry.name;
      }
    } finally {
      handle.closeSync();
    }
  } catch {
    // A directory that can't be read has no names.
  }
}

function statOf(path: string): Stats | null {
  try {
    return statSync(path);
  } catch {
    return null;
  }
}

/** The beginning of a regular file; "" when it can't be read. */
function beginningOf(path: string): string {
  try {
    // It may have become a pipe since it was looked at.
    const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      if (!fstatSync(file).isFile()) return "";
      const space = Buffer.alloc(beginningBytes);
      return space.toString("utf8", 0, readSync(file, space));
    } finally {
      closeSync(file);
    }
  } catch {
    return "";
  }
}
