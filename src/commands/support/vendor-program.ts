import { readFile, realpath } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { EdgewiseError } from "../../core/errors.js";
import { hasCode } from "../../files/file-errors.js";
import { NotReadable, readBounded } from "../../files/read-bounded.js";
import type { InitFile } from "../../init/init-files.js";
import {
  checksumPath,
  isOlder,
  isOtherChecksum,
  programPath,
  vendoredFiles,
  versionOfProgram,
} from "../../init/vendored-program.js";
import { singleFile } from "../../core/own-files.js";
import { version } from "../../core/version.js";

/** A file of the program in a repository, and what is to be done about it. */
export interface ProgramFile extends InitFile {
  readonly action: "write" | "renew" | "keep";
}

/** What to tell about the program. */
export interface Note {
  readonly level: "info" | "warning";
  readonly text: string;
}

export interface Vendoring {
  readonly files: readonly ProgramFile[];
  readonly notes: readonly Note[];
}

/** The program that runs, as one file. */
interface OwnProgram {
  readonly path: string;
  readonly text: string;
}

/** What is to be done with the program in a repository. */
interface Comparison {
  readonly own: OwnProgram;
  /** The program in the repository; null when there is none. */
  readonly program: string | null;
  /** Its checksum. */
  readonly checksum: string | null;
  /** Whether the program in the repository is the one that runs. */
  readonly isItself: boolean;
  readonly upgrade: boolean;
}

/**
 * Compares the program in a directory with the one that runs. Without `upgrade` it only adds what is missing, and adds
 * nothing to a program that differs: a checksum would say that somebody had looked at it.
 * @throws EdgewiseError `io` when the program that runs is not there as one file, or would vouch for itself
 */
export async function vendoring(directory: string, upgrade: boolean): Promise<Vendoring> {
  const own = await readOwn();
  const files = vendoredFiles(own.text);
  const before = await Promise.all(files.map(async ({ path }) => readThere(join(directory, path))));
  const [program = null, checksum = null] = before;
  const isItself = await isSameFile(own.path, join(directory, programPath));
  const isSame = program === null || program === own.text;
  const action = (index: number): ProgramFile["action"] => {
    const there = before[index] ?? null;
    if (there === files[index]?.text) return "keep";
    if (upgrade) return there === null ? "write" : "renew";
    return there === null && isSame ? "write" : "keep";
  };
  return {
    files: files.map((file, index) => ({ ...file, action: action(index) })),
    notes: notesOn({ own, program, checksum, isItself, upgrade }),
  };
}

function notesOn({ own, program, checksum, isItself, upgrade }: Comparison): readonly Note[] {
  const isWrong = checksum !== null && isOtherChecksum(checksum, program ?? own.text);
  if (upgrade && isItself) {
    if (isWrong) throw vouchesForItself();
    const text = `This is the program in the repository itself. To renew it, run a newer one: node PATH/edgewise.mjs init --upgrade`;
    return [{ level: "info", text }];
  }
  const text = `${checksumPath} is not the checksum of the program beside it, so pipelines refuse to run that. Find out which of the two was changed, then let a program that you trust renew both: \`edgewise init --upgrade\`.`;
  const wrong: readonly Note[] = isWrong && !upgrade ? [{ level: "warning", text }] : [];
  const differs = program !== null && program !== own.text;
  return differs ? [noteOn(versionOfProgram(program), upgrade), ...wrong] : wrong;
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

async function isSameFile(one: string, other: string): Promise<boolean> {
  const [a, b] = await Promise.all([one, other].map(async (path) => realpath(path).catch(() => null)));
  return a !== null && a === b;
}

function noteOn(there: string | null, upgrade: boolean): Note {
  const found = there === null ? "a program of unknown version" : `edgewise ${there}`;
  if (!upgrade) {
    const text = `The repository holds ${found}, which differs from this edgewise ${version}. \`edgewise init --upgrade\` renews it.`;
    return { level: "info", text };
  }
  if (there !== null && isOlder(version, there)) {
    return {
      level: "warning",
      text: `The repository held ${found}, and now holds the older edgewise ${version}. To undo this, restore .edgewise from Git.`,
    };
  }
  const text =
    there === version
      ? `The repository held another build of edgewise ${version}, and now holds this one.`
      : `The repository held ${found}, and now holds edgewise ${version}.`;
  return { level: "info", text };
}

async function readOwn(): Promise<OwnProgram> {
  try {
    return { path: fileURLToPath(singleFile), text: await readFile(singleFile, "utf8") };
  } catch (cause) {
    throw new EdgewiseError(
      "io",
      "edgewise can't put itself into the repository: dist/edgewise.mjs, which holds the whole program, is missing where edgewise is installed, or can't be read",
      { cause, remedy: "Run `npm run build` there, or use --no-vendor to leave the program out." },
    );
  }
}

/** Far more than the program will ever have. */
const mostBytes = 32_000_000;

/** A file of the repository; null when it doesn't exist. */
async function readThere(path: string): Promise<string | null> {
  try {
    return (await readBounded(path, { most: mostBytes })).toString("utf8");
  } catch (cause) {
    if (hasCode(cause, "ENOENT")) return null;
    if (hasCode(cause, "ENOTDIR")) {
      throw new EdgewiseError("io", `${dirname(path)} is not a directory, but the program belongs into it`, {
        cause,
        remedy: "Rename it, or leave the program out with --no-vendor.",
      });
    }
    const why = cause instanceof NotReadable ? cause.message : String(cause);
    throw new EdgewiseError("io", `${path} can't be read: ${why}`, {
      cause,
      remedy: "Remove it, and run the command again.",
    });
  }
}
