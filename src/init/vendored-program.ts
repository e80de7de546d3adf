import { createHash } from "node:crypto";
import type { InitFile } from "./init-files.js";

/** The directory that holds the program, in the directory that holds the configuration. */
export const programDirectory = ".edgewise";

/** The program's place in a repository. */
export const programPath = `${programDirectory}/edgewise.mjs`;

/** The place of its checksum. */
export const checksumPath = `${programPath}.sha256`;

/** Whether the text of a checksum file names another sum than a program has. */
export function isOtherChecksum(text: string, program: string): boolean {
  return text.trim().split(/\s/u)[0]?.toLowerCase() !== sumOf(program);
}

/** The files that put the program into a repository: the program first, then what is said about it. Pure. */
export function vendoredFiles(program: string): readonly InitFile[] {
  return [
    { path: programPath, text: program },
    // For `sha256sum --check` in that directory.
    { path: checksumPath, text: `${sumOf(program)}  edgewise.mjs\n` },
  ];
}

function sumOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** The version in a program's second line, which the build writes; null when it isn't there. */
export function versionOfProgram(text: string): string | null {
  return /^#![^\n]*\n\/\/ edgewise (\d+\.\d+\.\d+(?:[-+][\w.+-]+)?)\r?\n/.exec(text)?.[1] ?? null;
}

/** Whether a version comes before another: by its numbers, and a pre-release before its release. */
export function isOlder(version: string, than: string): boolean {
  const [mine, theirs] = [numbersOf(version), numbersOf(than)];
  for (const [index, number] of mine.entries()) {
    const other = theirs[index] ?? 0;
    if (number !== other) return number < other;
  }
  const [before, after] = [preRelease(version), preRelease(than)];
  if (before === "" || after === "") return before !== "" && after === "";
  return before.localeCompare(after, "en", { numeric: true }) < 0;
}

function numbersOf(version: string): readonly number[] {
  return (/^[\d.]+/.exec(version)?.[0] ?? "").split(".").map(Number);
}

function preRelease(version: string): string {
  return /^[\d.]+-([^+]*)/.exec(version)?.[1] ?? "";
}
