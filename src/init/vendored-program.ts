import { createHash } from "node:crypto";
import type { InitFile } from "./init-files.js";

/** The directory that holds the program, at the top of a repository. */
export const programDirectory = ".edgewise";

/** The program's place in a repository. */
export const programPath = `${programDirectory}/edgewise.mjs`;

/** The place of its checksum. */
export const checksumPath = `${programPath}.sha256`;

/** Whether the text of a checksum file names another sum than a program has. */
export function isOtherChecksum(text: string, program: string): boolean {
  return text.trim().split(/\s/u)[0]?.toLowerCase() !== sumOf(program);
}

/** The checksum of a program, for `sha256sum --check` in its directory. Pure. */
export function checksumFile(program: string): InitFile {
  return { path: checksumPath, text: `${sumOf(program)}  edgewise.mjs\n` };
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
  // The tilde sorts after the dash that begins a pre-release.
  return `${version}~`.localeCompare(`${than}~`, "en", { numeric: true }) < 0;
}
