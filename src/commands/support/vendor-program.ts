import { readFile, realpath } from "node:fs/promises";
import { join } from "node:path";
import { EdgewiseError } from "../../core/errors.js";
import { singleFile } from "../../core/own-files.js";
import { version } from "../../core/version.js";
import type { InitFile } from "../../init/init-files.js";
import {
  checksumFile,
  checksumPath,
  isOlder,
  isOtherChecksum,
  programPath,
  versionOfProgram,
} from "../../init/vendored-program.js";
import type { Log } from "./log.js";
import { readThere } from "./write-schemas.js";

/** The program that runs, for a repository, and what to tell about the one that is there. */
export interface Vendoring {
  readonly files: readonly InitFile[];
  readonly note: { readonly level: keyof Pick<Log, "info" | "warning">; readonly text: string } | null;
}

/**
 * Compares the program in a directory with the one that runs. Without `upgrade` a program that differs gets no checksum:
 * that would say that somebody had looked at it.
 * @throws EdgewiseError `io` when the program that runs is not there as one file, or would vouch for itself
 */
export async function vendoring(directory: string, upgrade: boolean): Promise<Vendoring> {
  const own = await readOwn();
  const files = [{ path: programPath, text: own }, checksumFile(own)];
  const program = await readThere(join(directory, programPath));
  if (program === null) return { files, note: null };
  const checksum = await readThere(join(directory, checksumPath));
  const isWrong = checksum !== null && isOtherChecksum(checksum, program);
  if (upgrade && (await realpath(join(directory, programPath))) === (await realpath(singleFile))) {
    if (isWrong) throw vouchesForItself();
    const text = `This is the program in the repository itself. To renew it, run a newer one: node PATH/edgewise.mjs init --upgrade`;
    return { files, note: { level: "info", text } };
  }
  if (program !== own)
    return upgrade
      ? { files, note: renewed(versionOfProgram(program)) }
      : { files: files.slice(0, 1), note: differs(versionOfProgram(program)) };
  const text = `${checksumPath} is not the checksum of the program beside it. \`edgewise init --upgrade\` renews both.`;
  return { files, note: isWrong && !upgrade ? { level: "warning", text } : null };
}

function vouchesForItself(): EdgewiseError {
  return new EdgewiseError(
    "io",
    `${programPath} does not have the checksum in ${checksumPath}, and a changed program can't vouch for itself`,
    {
      remedy:
        "Restore both from Git (git checkout -- .edgewise), or run a program that you trust: node PATH/edgewise.mjs init --upgrade",
    },
  );
}

function named(there: string | null): string {
  return there === null ? "a program of unknown version" : `edgewise ${there}`;
}

function differs(there: string | null): Vendoring["note"] {
  const text = `The repository holds ${named(there)}, which differs from this edgewise ${version}. \`edgewise init --upgrade\` renews it.`;
  return { level: "info", text };
}

function renewed(there: string | null): Vendoring["note"] {
  const held = `The repository held ${named(there)}, and now holds`;
  if (there !== null && isOlder(version, there)) {
    const text = `${held} the older edgewise ${version}. To undo this, restore .edgewise from Git.`;
    return { level: "warning", text };
  }
  return { level: "info", text: `${held} ${there === version ? "another build of " : ""}edgewise ${version}.` };
}

async function readOwn(): Promise<string> {
  try {
    return await readFile(singleFile, "utf8");
  } catch (cause) {
    throw new EdgewiseError(
      "io",
      "edgewise can't put itself into the repository: dist/edgewise.mjs, which holds the whole program, is missing where edgewise is installed, or can't be read",
      { cause, remedy: "Run `npm run build` there, or use --no-vendor to leave the program out." },
    );
  }
}
