import { chmodSync, existsSync, lstatSync, mkdirSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { EdgewiseError } from "../../core/errors.js";
import { unwritableBecause } from "../../files/file-errors.js";
import { othersAccess, ownUid } from "../../files/others-access.js";
import { type LockTimes, type ProcessLock, takeProcessLock } from "../../files/process-lock.js";
import type { Workplace } from "../../files/write-file.js";
import { readIfThere, replaceFile } from "./state-files.js";
import { directoryFormat, parseState, renderState } from "./state-formats.js";

const folders = ["stacks", "accounts", "followed", "plans", "outbox", "history", "sources"];

const ownNames = /^(?:lock(?:\.|$)|format\.json|told$)/;

export interface HeldState {
  readonly path: string;
  readonly lock: ProcessLock;
}

const patientTimes: LockTimes = { renewMs: 2_000, watchMs: 15_000 };

/** Makes a state directory unless it is there, for its owner alone, and takes it for this process. */
export async function holdState(directory: string, { cwd }: Pick<Workplace, "cwd">): Promise<HeldState> {
  const path = resolve(cwd, directory);
  secure(path, directory);
  const file = join(path, "lock");
  const remedy = `Stop that one, or name another directory with --state. If it no longer runs, remove ${file}.`;
  const heldBy = (holder: string) => unusable(directory, `another \`edgewise serve\` holds it${holder}`, remedy);
  const lock = await takeProcessLock(file, heldBy, patientTimes);
  try {
    const format = join(path, "format.json");
    const text = await readIfThere(format);
    // A damaged one says nothing that the records don't say as well.
    if (text === null || parseState(text, format, directoryFormat) === null)
      await replaceFile(format, renderState({}, directoryFormat));
    for (const folder of folders) make(join(path, folder), directory);
    return { path, lock };
  } catch (error) {
    await lock.release();
    throw error;
  }
}

/** Another user who could replace a file in there could make edgewise forget what it must not do. */
function secure(path: string, directory: string): void {
  const wasThere = existsSync(path);
  make(path, directory);
  const stats = lstatSync(path);
  if (stats.isSymbolicLink())
    throw unusable(directory, "it is a symbolic link", "Use the path of the directory itself.");
  const uid = ownUid();
  if (uid !== null && stats.uid !== uid)
    throw unusable(
      directory,
      `it belongs to another user (uid ${stats.uid})`,
      "Name a directory of your own with --state: in a mounted volume, one below its top.",
    );
  const access = othersAccess(stats, uid);
  const writes = wasThere ? (access.everybodyWrites ?? access.groupWrites) : null;
  if (writes !== null)
    throw unusable(directory, `it ${writes}`, "Look at what is in there, then close it with `chmod 700`.");
  const names = readdirSync(path);
  if (!names.includes("format.json") && !names.every((name) => folders.includes(name) || ownNames.test(name)))
    throw unusable(
      directory,
      "it is not empty, and not a state directory",
      "Name an empty directory with --state, or one that doesn't exist.",
    );
  if ((stats.mode & 0o7777) !== 0o700) chmodSync(path, 0o700);
}

function make(path: string, directory: string): void {
  try {
    mkdirSync(path, { mode: 0o700, recursive: true });
  } catch (cause) {
    if (existsSync(path)) throw unusable(directory, `${path} is no directory`, "Move it away: it is made again.");
    throw unwritableBecause(directory, cause);
  }
}

function unusable(directory: string, why: string, remedy: string): EdgewiseError {
  return new EdgewiseError("io", `the state directory ${directory} can't be used: ${why}`, { remedy });
}
