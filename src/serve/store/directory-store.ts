import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { EdgewiseError } from "../../core/errors.js";
import type { LockTimes } from "../../files/process-lock.js";
import type { Workplace } from "../../files/write-file.js";
import { parseJson } from "../../core/parse-json.js";
import type { Plan } from "../../plan/plan-format.js";
import { validatePlan } from "../../schema/validate-plan.js";
import type { AccountRecord, HistoryEntry, SourceRecord, StackRecord, ToldRecord } from "../records.js";
import { appendEntries, historyFile, readEntries, removeDays } from "./history-files.js";
import { loadRecords, readDamaged, readIfThere, readRecord, recordFile, saveRecord } from "./record-files.js";
import { type HeldState, holdState } from "./state-directory.js";
import { type Disk, Turns, removeFile, replaceFile, systemDisk } from "./state-disk.js";
import { type StateFormat, accountFormat, sourceFormat, stackFormat, toldFormat } from "./state-formats.js";
import { soleClaims } from "./sole-claims.js";
import type { AccountClaim, HistoryPage, ServeStore, StoredChanges, StoredState, WantedAccount } from "./store.js";

export interface DirectoryStoreOptions {
  /** Absolute, or relative to the working directory. Made unless it is there; its parent must be. */
  readonly directory: string;
  readonly place: Workplace;
  readonly disk?: Disk;
  readonly lockTimes?: LockTimes;
}

/** A store in a directory, which belongs to this process until it is closed. */
export interface DirectoryStore extends ServeStore {
  /** Absolute. */
  readonly directory: string;
  /** @throws EdgewiseError `io` when another process took over, or may have, while this one stood still */
  assertHeld(): void;
}

/** Planning a large account may keep the process busy for seconds: that must not look like its end. */
export const patientTimes: LockTimes = { renewMs: 2_000, watchMs: 15_000 };

/** How many history files are written at once. */
const writers = 8;

/**
 * Opens the state directory of one machine (schemas/state.schema.json, history.schema.json, plan.schema.json): a file per
 * stack, account, source and plan, each replaced in one step, and the history by day. Whenever the process or the power
 * ends, each file is as it was before or after a save.
 * @throws EdgewiseError `io` when another process holds it, or it can't be used: see {@link holdState}
 */
export async function openDirectoryStore(options: DirectoryStoreOptions): Promise<DirectoryStore> {
  const { directory, disk = systemDisk, lockTimes = patientTimes, place } = options;
  const token = randomUUID().slice(0, 8);
  const held = await holdState(directory, place, { disk, token, lockTimes });
  return new FileStore(held, disk, token);
}

class FileStore implements DirectoryStore {
  readonly shared = false;
  readonly directory: string;
  readonly #held: HeldState;
  readonly #disk: Disk;
  readonly #token: string;
  readonly #damaged = new Map<string, string>();
  readonly #turns = new Turns();
  #closed = false;

  constructor(held: HeldState, disk: Disk, token: string) {
    this.directory = held.path;
    this.#held = held;
    this.#disk = disk;
    this.#token = token;
  }

  assertHeld(): void {
    const problem = this.#closed ? "it is closed" : this.#held.lock.problem();
    if (problem === null) return;
    throw new EdgewiseError("io", `nothing is written: the state directory ${this.directory} is not held: ${problem}`, {
      remedy: "Run one `edgewise serve` for each state directory.",
    });
  }

  async load(): Promise<StoredState> {
    this.assertHeld();
    const load = <T extends { readonly name: string }>(format: StateFormat<T>): Promise<ReadonlyMap<string, T>> =>
      loadRecords(this.directory, format, this.#damaged);
    const stacks = await load(stackFormat);
    const [accounts, sources] = [await load(accountFormat), await load(sourceFormat)];
    return { stacks, accounts, sources, damaged: this.#damaged };
  }

  async changes(): Promise<StoredChanges> {
    this.assertHeld();
    const stacks = await readDamaged(this.directory, stackFormat, this.#damaged);
    const accounts = await readDamaged(this.directory, accountFormat, this.#damaged);
    // A damaged source is read again before it is fetched.
    return { stacks, accounts, sources: [], abandoned: [] };
  }

  async claim(wanted: readonly WantedAccount[], most: number): Promise<readonly AccountClaim[]> {
    return soleClaims(wanted, most, {
      assertHeld: () => this.assertHeld(),
      isHeld: () => this.#held.lock.problem() === null,
    });
  }

  async saveTransition(record: StackRecord, history: readonly HistoryEntry[]): Promise<true> {
    await this.appendHistory(history);
    await this.saveStack(record);
    return true;
  }

  saveStack(record: StackRecord): Promise<void> {
    return this.#write(this.#file(record.name, stackFormat.folder), () =>
      saveRecord(this.#disk, record, stackFormat, this.#at()),
    );
  }

  async forgetStack(name: string): Promise<void> {
    for (const folder of ["plans", toldFormat.folder, stackFormat.folder]) await this.#remove(this.#file(name, folder));
  }

  saveAccount(record: AccountRecord): Promise<void> {
    return this.#write(this.#file(record.name, accountFormat.folder), () =>
      saveRecord(this.#disk, record, accountFormat, this.#at()),
    );
  }

  async saveSource(record: SourceRecord): Promise<true> {
    await this.#write(this.#file(record.name, sourceFormat.folder), () =>
      saveRecord(this.#disk, record, sourceFormat, this.#at()),
    );
    return true;
  }

  async readSource(name: string): Promise<SourceRecord | null> {
    this.assertHeld();
    return readRecord(this.#file(name, sourceFormat.folder), sourceFormat, this.#damaged);
  }

  isTeller(): boolean {
    return true;
  }

  async saveHeal(): Promise<void> {
    // This process tells by itself.
  }

  async loadHeals(): Promise<readonly []> {
    return [];
  }

  async removeHeal(): Promise<void> {
    // There is none.
  }

  async loadTold(): Promise<ReadonlyMap<string, ToldRecord>> {
    this.assertHeld();
    // What is damaged is told again.
    return loadRecords(this.directory, toldFormat, new Map());
  }

  saveTold(record: ToldRecord): Promise<void> {
    return this.#write(this.#file(record.name, toldFormat.folder), () =>
      saveRecord(this.#disk, record, toldFormat, this.#at()),
    );
  }

  savePlan(stack: string, plan: Plan | null): Promise<void> {
    const file = this.#file(stack, "plans");
    if (plan === null) return this.#remove(file);
    const bytes = Buffer.from(`${JSON.stringify(plan)}\n`);
    return this.#write(file, () => replaceFile(this.#disk, file, bytes, this.#token));
  }

  async readPlan(stack: string): Promise<Plan | null> {
    const file = this.#file(stack, "plans");
    const text = await readIfThere(file);
    if (text === null) return null;
    const parsed = parseJson(text);
    if ("value" in parsed && isPlan(parsed.value)) return parsed.value;
    throw new EdgewiseError("io", `the plan of the stack ${stack} is damaged: ${file} is not a plan`, {
      remedy: "It is written again when it changes, and after a restart.",
    });
  }

  async appendHistory(entries: readonly HistoryEntry[]): Promise<void> {
    const byFile = new Map<string, HistoryEntry[]>();
    for (const entry of entries) {
      const file = historyFile(this.directory, entry);
      byFile.set(file, [...(byFile.get(file) ?? []), entry]);
    }
    const pending = byFile.entries();
    const write = async (): Promise<void> => {
      for (const [file, own] of pending) await this.#write(file, () => appendEntries(this.#disk, file, own));
    };
    await allOf(Array.from({ length: Math.min(writers, byFile.size) }, write));
  }

  readHistory(stack: string, page: { readonly limit: number; readonly after: string | null }): Promise<HistoryPage> {
    return readEntries(this.directory, stack, page);
  }

  pruneHistory(before: number): Promise<void> {
    return this.#write("history", () => removeDays(this.#disk, this.directory, before));
  }

  async isUsable(): Promise<boolean> {
    const probe = join(this.directory, "lock.probe");
    try {
      await this.#write(probe, async () => {
        await replaceFile(this.#disk, probe, Buffer.from("\n"), this.#token);
        await this.#disk.remove(probe);
      });
      return true;
    } catch {
      return false;
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#turns.idle();
    await this.#held.lock.release();
  }

  #at(): { readonly directory: string; readonly token: string } {
    return { directory: this.directory, token: this.#token };
  }

  #file(name: string, folder: string): string {
    return recordFile(this.directory, name, folder);
  }

  /** Changes a file after all earlier changes of it, if this process still may. */
  #write(file: string, change: () => Promise<void>): Promise<void> {
    return this.#turns.run(file, async () => {
      this.assertHeld();
      await change();
    });
  }

  #remove(file: string): Promise<void> {
    return this.#write(file, () => removeFile(this.#disk, file));
  }
}

function isPlan(value: unknown): value is Plan {
  return validatePlan(value) === null;
}

/** Waits for all, then throws what the first one threw. */
async function allOf(jobs: readonly Promise<void>[]): Promise<void> {
  for (const job of await Promise.allSettled(jobs)) if (job.status === "rejected") throw job.reason;
}
