import { EdgewiseError } from "../errors.js";
import { type LockTimes, holderWords, takeProcessLock } from "../files/process-lock.js";
import { type Workplace, fileTarget } from "../files/write-target.js";

/** A data file that no other sandbox may use meanwhile. */
export interface DataFileLock {
  release(): Promise<void>;
}

/**
 * Takes a data file for this sandbox alone, with a file `FILE.lock` beside it. Pipes and devices are not locked.
 * @param file absolute
 * @throws EdgewiseError `io` when another sandbox holds it, or the lock can't be written
 */
export async function lockDataFile(file: string, place: Workplace, times?: LockTimes): Promise<DataFileLock> {
  const { existing, path } = fileTarget(file, place);
  if (existing !== null && !existing.isFile()) return { release: async () => {} };
  const lock = `${path}.lock`;
  const found = await takeProcessLock(lock, times);
  if (found.taken) return found;
  throw new EdgewiseError(
    "io",
    `the data file ${file} can't be used: another sandbox holds it${holderWords(found.holder)}`,
    { remedy: `Stop that sandbox, or name another file. If it no longer runs, remove ${lock}.` },
  );
}
