import { EdgewiseError } from "../../errors.js";
import { unwritableBecause } from "../../files/file-errors.js";
import { damagedAccount, damagedSource, damagedStack } from "./damaged-records.js";
import { type DamagedFile, keepDamaged, loadRecords, saveRecord } from "./record-files.js";
import type { Disk } from "./state-disk.js";
import { type StateFormat, accountFormat, sourceFormat, stackFormat, toldFormat } from "./state-formats.js";
import type { StoredState } from "./store.js";

/**
 * Reads everything that is kept. What is damaged is replaced by what allows least, in the store as well, so that another
 * start changes nothing about that; the damaged file stays beside it for whoever wants to look.
 * @param now milliseconds since 1970
 * @throws EdgewiseError `io`
 */
export async function loadState(
  disk: Disk,
  at: { readonly directory: string; readonly token: string },
  now: number,
): Promise<StoredState> {
  const warnings: string[] = [];
  const load = async <T extends { readonly name: string }>(
    format: StateFormat<T & { readonly format: string }>,
    instead: (name: string, message: string) => T,
  ): Promise<ReadonlyMap<string, T>> => {
    const { damaged, records } = await loadRecords(disk, at.directory, format);
    const all = new Map<string, T>(records);
    for (const each of damaged) {
      const message = wordsFor(each, format.subject);
      if (each.name === null && format.folder === accountFormat.folder) throw namelessAccount(each);
      warnings.push(message);
      await keepDamaged(disk, each.file, at.token);
      if (each.name === null) continue;
      const record = instead(each.name, message);
      all.set(each.name, record);
      await saveRecord(disk, record, format, at);
    }
    return all;
  };
  try {
    const stacks = await load(stackFormat, (name, message) => damagedStack(name, message, now));
    const accounts = await load(accountFormat, (name, message) => damagedAccount(name, message, now));
    const sources = await load(sourceFormat, (name, message) => damagedSource(name, message, now, stacks.values()));
    for (const each of (await loadRecords(disk, at.directory, toldFormat)).damaged)
      warnings.push(`${each.file} is damaged: what receivers were told is told again. Correct it, or remove it`);
    return { stacks, accounts, sources, warnings };
  } catch (cause) {
    throw unwritableBecause(at.directory, cause);
  }
}

function wordsFor({ file, name }: DamagedFile, subject: string): string {
  const whose = name === null ? `${subject} of ${file}` : `${subject} ${name}`;
  return `what was kept of ${whose} can't be read: ${file} is damaged, a copy is ${file}.damaged`;
}

/** Without its name, its brake can't be engaged. */
function namelessAccount({ file }: DamagedFile): EdgewiseError {
  return new EdgewiseError("io", `${file} is damaged, and nothing tells which account it is about`, {
    remedy: "Move it away: edgewise then goes on as if nothing had stopped writes in that account.",
  });
}
