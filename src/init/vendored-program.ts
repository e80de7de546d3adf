import { createHash } from "node:crypto";
import { readFile, realpath } from "node:fs/promises";
import { join } from "node:path";
import { EdgewiseError } from "../core/errors.js";
import { singleFile } from "../core/own-files.js";
import { version } from "../core/version.js";
import { type InitFile, programDirectory, readThere } from "./init-files.js";

export const programPath = `${programDirectory}/edgewise.mjs`;

const checksumPath = `${programPath}.sha256`;

export type Vendoring = Readonly<{
  files: readonly InitFile[];
  note: Readonly<{ level: "info" | "warning"; text: string }> | null;
}>;

/** Without `upgrade` a program that differs gets no checksum: that would vouch for it. */
export async function vendoring(directory: string, upgrade: boolean): Promise<Vendoring> {
  const own = await readFile(singleFile, "utf8").catch((cause: unknown) => {
    throw new EdgewiseError(
      "io",
      "edgewise can't put itself into the repository: its dist/edgewise.mjs is missing or can't be read",
      { cause, remedy: "Run `npm run build` there, or use --no-vendor to leave the program out." },
    );
  });
  const files = [
    { path: programPath, text: own },
    { path: checksumPath, text: `${sumOf(own)}  edgewise.mjs\n` },
  ];
  const file = join(directory, programPath);
  const program = await readThere(file);
  if (program === null) return { files, note: null };
  const checksum = await readThere(join(directory, checksumPath));
  const isWrong = checksum !== null && checksum.trim().split(/\s/u)[0]?.toLowerCase() !== sumOf(program);
  if (upgrade && (await realpath(file)) === (await realpath(singleFile))) {
    const remedy = "To renew it, run a newer one: node PATH/edgewise.mjs init --upgrade";
    if (isWrong) {
      const message = `${programPath} does not have the checksum in ${checksumPath}, and a changed program can't vouch for itself`;
      throw new EdgewiseError("io", message, `Restore both from Git. ${remedy}.`);
    }
    const text = `This is the program in the repository itself. ${remedy}`;
    return { files, note: { level: "info", text } };
  }
  if (program === own) {
    const text = `${checksumPath} is not the checksum of the program beside it. \`edgewise init --upgrade\` renews both.`;
    return { files, note: isWrong && !upgrade ? { level: "warning", text } : null };
  }
  // The build writes the version into the second line.
  const there = /^#![^\n]*\n\/\/ edgewise (\d+\.\d+\.\d+(?:[-+][\w.+-]+)?)\r?\n/.exec(program)?.[1];
  const name = there === undefined ? "a program of unknown version" : `edgewise ${there}`;
  const text = upgrade
    ? `The repository held ${name}, and now holds edgewise ${version}.`
    : `The repository holds ${name}, which differs from this edgewise ${version}. \`edgewise init --upgrade\` renews it.`;
  return { files: upgrade ? files : files.slice(0, 1), note: { level: "info", text } };
}

function sumOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
