import { join } from "node:path";
import { EdgewiseError } from "../../errors.js";
import { hasCode } from "../../files/file-errors.js";
import { NotReadable, readBounded } from "../../files/read-bounded.js";
import type { InitFile } from "../../init/init-files.js";
import { isOlder, vendoredFiles, versionOfProgram } from "../../init/vendored-program.js";
import { type OwnProgram, ownProgram } from "../../own-files.js";
import { version } from "../../version.js";

/** A file of the program in a repository, and what is to be done about it. */
export interface ProgramFile extends InitFile {
  readonly action: "write" | "renew" | "keep";
}

export interface Vendoring {
  readonly files: readonly ProgramFile[];
  /** What to tell about the versions; null when the program is new, or the same. */
  readonly note: { readonly level: "info" | "warning"; readonly text: string } | null;
}

/**
 * Compares the program in a directory with the one that runs. Without `upgrade` it only adds what is missing, and adds
 * nothing to a program that differs: a checksum would say that somebody had looked at it.
 * @throws EdgewiseError `io` when the program that runs is not there as one file
 */
export async function vendoring(directory: string, upgrade: boolean): Promise<Vendoring> {
  const files = vendoredFiles(await readOwn());
  const before = await Promise.all(files.map(async ({ path }) => readThere(join(directory, path))));
  const [program = null] = before;
  const isSame = program === null || program === files[0]?.text;
  const action = (index: number): ProgramFile["action"] => {
    const there = before[index] ?? null;
    if (there === files[index]?.text) return "keep";
    if (upgrade) return there === null ? "write" : "renew";
    return there === null && isSame ? "write" : "keep";
  };
  return {
    files: files.map((file, index) => ({ ...file, action: action(index) })),
    note: isSame ? null : noteOn(versionOfProgram(program), upgrade),
  };
}

function noteOn(there: string | null, upgrade: boolean): Vendoring["note"] {
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
    return await ownProgram();
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
    const why = cause instanceof NotReadable ? cause.message : String(cause);
    throw new EdgewiseError("io", `${path} can't be read: ${why}`, {
      cause,
      remedy: "Remove it, and run the command again.",
    });
  }
}
