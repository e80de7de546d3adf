import { basename, join, resolve } from "node:path";
import { EdgewiseError } from "../../core/errors.js";
import type { Workplace } from "../../files/write-file.js";
import type { Plan } from "../../plan/plan-format.js";
import type { FleetAccount } from "../fleet/fleet.js";
import type { AccountRecord, SourceRecord, StackRecord } from "../records.js";
import {
  appendHistory,
  namesIn,
  pruneHistory,
  readHistory,
  readIfThere,
  removeFile,
  replaceFile,
  sideBySide,
} from "./state-files.js";
import type { OutboxEntry } from "../notify/notification.js";
import {
  type StateFormat,
  accountFormat,
  damageWords,
  directoryFormat,
  outboxFormat,
  parsePlan,
  parseState,
  renderState,
  sourceFormat,
  stackFormat,
  stateFileName,
} from "./state-formats.js";
import {
  type AccountClaim,
  type HistoryPage,
  type Saved,
  type ServeStore,
  type StoredChanges,
  type StoredState,
  cutOffMs,
} from "./store.js";
import { chmodSync, existsSync, lstatSync, mkdirSync, readdirSync } from "node:fs";
import { unwritableBecause } from "../../files/file-errors.js";
import { othersAccess, ownUid } from "../../files/others-access.js";
import { type LockTimes, type ProcessLock, takeProcessLock } from "../../files/process-lock.js";

/** A file per stack, account, source, plan and notification, each replaced in one step, and the history by day. */
export async function openDirectoryStore(directory: string, place: Pick<Workplace, "cwd">): Promise<DirectoryStore> {
  return new DirectoryStore(await holdState(directory, place));
}

type Named = { readonly name: string };

export class DirectoryStore implements ServeStore {
  readonly shared = false;
  readonly directory: string;
  readonly #held: HeldState;
  readonly #damaged = new Map<string, string>();
  readonly #quiet = new Map<string, number>();
  readonly #outbox = new Map<string, OutboxEntry>();
  #lastEntry = 0;
  #turn: Promise<unknown> = Promise.resolve();
  #closed = false;

  constructor(held: HeldState) {
    this.directory = held.path;
    this.#held = held;
  }

  async load(): Promise<StoredState> {
    this.#assertHeld();
    const stacks = await this.#loadAll(stackFormat);
    for (const record of stacks.values()) this.#noteCutOff(record);
    for (const name of (await namesIn(this.directory, "outbox")).filter((each) => each.endsWith(".json")).toSorted()) {
      const file = join(this.directory, "outbox", name);
      const entry = parseState((await readIfThere(file)) ?? "", file, outboxFormat);
      if (entry !== null) this.#outbox.set(file, entry);
      this.#lastEntry = Math.max(this.#lastEntry, Number.parseInt(name, 10) || 0);
    }
    const [accounts, sources] = [await this.#loadAll(accountFormat), await this.#loadAll(sourceFormat)];
    return { stacks, accounts, sources, damaged: this.#damaged };
  }

  async changes(): Promise<StoredChanges> {
    this.#assertHeld();
    const again = async <T extends Named>(format: StateFormat<T>): Promise<readonly T[]> => {
      const own = [...this.#damaged.keys()].filter((key) => key.startsWith(`${format.sort} `));
      const files = own.map((key) => join(this.directory, format.folder, `${key.slice(format.sort.length + 1)}.json`));
      const records = await Promise.all(files.map((file) => this.#read(file, format)));
      return records.filter((record) => record !== null);
    };
    const stacks = await again(stackFormat);
    for (const record of stacks) this.#noteCutOff(record);
    return { stacks, accounts: await again(accountFormat), sources: await again(sourceFormat), abandoned: [] };
  }

  async claim(wanted: readonly FleetAccount[]): Promise<readonly AccountClaim[]> {
    return wanted.map(({ name }) => {
      const quietMs = (this.#quiet.get(name) ?? 0) - performance.now();
      return {
        account: name,
        quietUntil: quietMs > 0 ? Math.ceil(Date.now() + quietMs) : 0,
        sentByOthers: 0,
        lost: new AbortController().signal,
        assertHeld: async () => this.#assertHeld(),
        isHeld: () => this.#held.lock.problem() === null,
        release: async () => undefined,
      };
    });
  }

  /** History and notifications come first: a saved record finds there how it came to be, also after a kill. */
  save({ accounts, history, outbox, stacks }: Saved): Promise<boolean> {
    return this.#inTurn(async () => {
      await appendHistory(this.directory, history);
      for (const entry of outbox) {
        this.#lastEntry += 1;
        const file = join(this.directory, "outbox", `${String(this.#lastEntry).padStart(15, "0")}.json`);
        await replaceFile(file, renderState(entry, outboxFormat));
        this.#outbox.set(file, entry);
      }
      for (const record of accounts) await this.#saveRecord(record, accountFormat);
      await sideBySide(stacks, (record) => this.#saveRecord(record, stackFormat));
      return true;
    });
  }

  saveSource(record: SourceRecord): Promise<boolean> {
    return this.#inTurn(async () => {
      await this.#saveRecord(record, sourceFormat);
      return true;
    });
  }

  forgetStack(name: string): Promise<void> {
    return this.#inTurn(async () => {
      for (const folder of ["plans", stackFormat.folder]) await removeFile(this.#file(folder, name));
    });
  }

  savePlan(stack: string, plan: Plan | null): Promise<void> {
    const file = this.#file("plans", stack);
    return this.#inTurn(() => (plan === null ? removeFile(file) : replaceFile(file, `${JSON.stringify(plan)}\n`)));
  }

  async readPlan(stack: string): Promise<Plan | null> {
    const file = this.#file("plans", stack);
    const text = await readIfThere(file);
    return text === null ? null : parsePlan(text, stack, file);
  }

  readHistory(stack: string, page: { readonly limit: number; readonly after: string | null }): Promise<HistoryPage> {
    return readHistory(this.directory, stack, page);
  }

  async prune(history: number, outbox: number): Promise<void> {
    this.#assertHeld();
    await pruneHistory(this.directory, history);
    for (const [file, { since }] of this.#outbox) if (since < outbox) await this.removeNotification(file);
  }

  async claimNotification(receiver: string): Promise<(OutboxEntry & { readonly id: string }) | null> {
    for (const [id, entry] of this.#outbox) if (entry.receiver === receiver) return { ...entry, id };
    return null;
  }

  removeNotification(id: string): Promise<void> {
    return this.#inTurn(async () => {
      await removeFile(id);
      this.#outbox.delete(id);
    });
  }

  async isUsable(): Promise<boolean> {
    const probe = join(this.directory, "lock.probe");
    return this.#inTurn(async () => {
      await replaceFile(probe, "\n");
      await removeFile(probe);
    }).then(
      () => true,
      () => false,
    );
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#turn;
    await this.#held.lock.release();
  }

  #assertHeld(): void {
    const problem = this.#closed ? "it is closed" : this.#held.lock.problem();
    if (problem === null) return;
    throw new EdgewiseError("io", `nothing is written: the state directory ${this.directory} is not held: ${problem}`, {
      remedy: "Run one `edgewise serve` for each state directory.",
    });
  }

  /** What the process before was writing when it was cut off may still arrive. */
  #noteCutOff({ account, memory }: StackRecord): void {
    if ((memory.writing ?? null) !== null) this.#quiet.set(account, performance.now() + cutOffMs);
  }

  #file(folder: string, name: string): string {
    return join(this.directory, folder, `${stateFileName(name)}.json`);
  }

  async #loadAll<T extends Named>(format: StateFormat<T>): Promise<ReadonlyMap<string, T>> {
    const records = new Map<string, T>();
    const names = await namesIn(this.directory, format.folder);
    await sideBySide(names, async (name) => {
      if (!name.endsWith(".json")) return;
      const record = await this.#read(join(this.directory, format.folder, name), format);
      if (record !== null) records.set(record.name, record);
    });
    return records;
  }

  async #read<T extends Named>(file: string, format: StateFormat<T>): Promise<T | null> {
    const base = basename(file, ".json");
    const text = await readIfThere(file);
    const record = text === null ? null : parseState(text, file, format);
    // A file that was copied to another name speaks of another stack.
    const isGood = text === null || (record !== null && stateFileName(record.name) === base);
    if (isGood) this.#damaged.delete(`${format.sort} ${base}`);
    else this.#damaged.set(`${format.sort} ${base}`, damageWords(file, format.sort));
    return isGood ? record : null;
  }

  async #saveRecord<T extends AccountRecord | SourceRecord | StackRecord>(
    record: T,
    format: StateFormat<T>,
  ): Promise<void> {
    const text = renderState(record, format);
    if (!this.#damaged.has(`${format.sort} ${stateFileName(record.name)}`))
      await replaceFile(this.#file(format.folder, record.name), text);
  }

  /** Changes something after all earlier changes, if this process still may. */
  #inTurn<T>(change: () => Promise<T>): Promise<T> {
    const mine = this.#turn.then(() => {
      this.#assertHeld();
      return change();
    });
    this.#turn = mine.catch(() => undefined);
    return mine;
  }
}

const folders = ["stacks", "accounts", "followed", "plans", "outbox", "history", "sources"];

const ownNames = /^(?:lock(?:\.|$)|format\.json|told$)/;

interface HeldState {
  readonly path: string;
  readonly lock: ProcessLock;
}

const patientTimes: LockTimes = { renewMs: 2_000, watchMs: 15_000 };

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
