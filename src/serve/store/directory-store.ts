import { chmodSync, existsSync, lstatSync, mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { EdgewiseError } from "../../core/errors.js";
import { unwritableBecause } from "../../files/file-errors.js";
import { othersAccess, ownUid } from "../../files/others-access.js";
import { type ProcessLock, takeProcessLock } from "../../files/process-lock.js";
import type { Plan } from "../../plan/plan-format.js";
import type { FleetAccount } from "../fleet/fleet.js";
import type { OutboxEntry } from "../notify/notification.js";
import type { SourceRecord } from "../records.js";
import {
  appendHistory,
  namesIn,
  pruneHistory,
  readHistory,
  readIfThere,
  removeFile,
  replaceFile,
  someAtOnce,
} from "./state-files.js";
import {
  type Named,
  type StateFormat,
  accountFormat,
  damageWords,
  directoryFormat,
  outboxFormat,
  parsePlan,
  parseState,
  recordKey,
  renderState,
  sourceFormat,
  stackFormat,
  stateFileName,
} from "./state-formats.js";
import {
  type AccountClaim,
  type HistoryPage,
  type PageQuery,
  type QueuedNotification,
  type Records,
  type Saved,
  type ServeStore,
  type StoredChanges,
  type StoredState,
  cutOffMs,
  storedState,
} from "./store.js";

interface Place {
  readonly cwd: string;
}

/** A file per stack, account, source, plan and notification, each replaced in one step, and the history by day. */
export async function openDirectoryStore(directory: string, place: Place): Promise<DirectoryStore> {
  return new DirectoryStore(await holdState(directory, place));
}

export class DirectoryStore implements ServeStore {
  readonly shared = false;
  readonly directory: string;
  readonly #lock: ProcessLock;
  readonly #damaged = new Map<string, string>();
  readonly #quiet = new Map<string, number>();
  readonly #outbox = new Map<string, OutboxEntry>();
  #lastEntry = 0;
  #turn: Promise<unknown> = Promise.resolve();
  #closed = false;

  constructor({ lock, path }: HeldState) {
    this.directory = path;
    this.#lock = lock;
  }

  async load(): Promise<StoredState> {
    this.#assertHeld();
    const filesIn = (folder: string): readonly string[] =>
      namesIn(join(this.directory, folder)).flatMap((name) => (name.endsWith(".json") ? [name.slice(0, -5)] : []));
    const records = this.#readRecords(({ folder }) => filesIn(folder));
    for (const name of filesIn("outbox")) {
      const file = join(this.directory, "outbox", `${name}.json`);
      const entry = parseState(readIfThere(file) ?? "", file, outboxFormat);
      if (entry !== null) this.#outbox.set(file, entry);
      this.#lastEntry = Math.max(this.#lastEntry, Number.parseInt(name, 10) || 0);
    }
    return storedState(records, this.#damaged);
  }

  async changes(): Promise<StoredChanges> {
    this.#assertHeld();
    const damaged = [...this.#damaged.keys()];
    const damagedOf = ({ sort }: StateFormat<Named>): readonly string[] =>
      damaged.flatMap((key) => (key.startsWith(`${sort} `) ? [key.slice(sort.length + 1)] : []));
    return { ...this.#readRecords(damagedOf), abandoned: [] };
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
        isHeld: () => this.#lock.problem() === null,
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
      await someAtOnce(stacks, (record) => this.#saveRecord(record, stackFormat));
      return true;
    });
  }

  saveSource(record: SourceRecord): Promise<boolean> {
    return this.#inTurn(() => this.#saveRecord(record, sourceFormat)).then(() => true);
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
    const text = readIfThere(file);
    return text === null ? null : parsePlan(text, stack, file);
  }

  async readHistory(stack: string, page: PageQuery): Promise<HistoryPage> {
    return readHistory(this.directory, stack, page);
  }

  async prune(history: number, outbox: number): Promise<void> {
    this.#assertHeld();
    await pruneHistory(this.directory, history);
    for (const [file, { since }] of this.#outbox) if (since < outbox) await this.removeNotification(file);
  }

  async claimNotification(receiver: string): Promise<QueuedNotification | null> {
    for (const [id, entry] of this.#outbox) if (entry.receiver === receiver) return { ...entry, id };
    return null;
  }

  removeNotification(id: string): Promise<void> {
    return this.#inTurn(async () => {
      await removeFile(id);
      this.#outbox.delete(id);
    });
  }

  isUsable(): Promise<boolean> {
    return this.#inTurn(() => writeFormat(this.directory)).then(
      () => true,
      () => false,
    );
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#turn;
    await this.#lock.release();
  }

  #assertHeld(): void {
    const problem = this.#closed ? "it is closed" : this.#lock.problem();
    if (problem === null) return;
    const message = `nothing is written: the state directory ${this.directory} is not held: ${problem}`;
    throw new EdgewiseError("io", message, { remedy: "Run one `edgewise serve` for each state directory." });
  }

  #file(folder: string, name: string): string {
    return join(this.directory, folder, `${stateFileName(name)}.json`);
  }

  #readRecords(namesOf: (format: StateFormat<Named>) => readonly string[]): Records {
    const read = <T extends Named>(format: StateFormat<T>): readonly T[] =>
      namesOf(format).flatMap((name) => {
        const file = join(this.directory, format.folder, `${name}.json`);
        const text = readIfThere(file);
        const record = text === null ? null : parseState(text, file, format);
        // A file that was copied to another name speaks of another stack.
        const isGood = record !== null && stateFileName(record.name) === name;
        if (isGood || text === null) this.#damaged.delete(`${format.sort} ${name}`);
        else this.#damaged.set(`${format.sort} ${name}`, damageWords(file, format.sort));
        return isGood ? [record] : [];
      });
    const stacks = read(stackFormat);
    // What the process before was writing when it was cut off may still arrive.
    for (const { account, memory } of stacks)
      if ((memory.writing ?? null) !== null) this.#quiet.set(account, performance.now() + cutOffMs);
    return { stacks, accounts: read(accountFormat), sources: read(sourceFormat) };
  }

  async #saveRecord<T extends Named>(record: T, format: StateFormat<T>): Promise<void> {
    const text = renderState(record, format);
    if (!this.#damaged.has(recordKey(format.sort, record.name)))
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

type HeldState = Readonly<{
  path: string;
  lock: ProcessLock;
}>;

export async function holdState(directory: string, { cwd }: Place): Promise<HeldState> {
  const path = resolve(cwd, directory);
  secure(path, directory);
  const file = join(path, "lock");
  const remedy = `Stop that one, or name another directory with --state. If it no longer runs, remove ${file}.`;
  const heldBy = (holder: string) => unusable(directory, `another \`edgewise serve\` holds it${holder}`, remedy);
  const lock = await takeProcessLock(file, heldBy, { renewMs: 2_000, watchMs: 15_000 });
  try {
    const format = join(path, "format.json");
    parseState(readIfThere(format) ?? "", format, directoryFormat);
    await writeFormat(path);
    for (const folder of folders) make(join(path, folder), directory);
    return { path, lock };
  } catch (error) {
    await lock.release();
    throw error;
  }
}

function writeFormat(path: string): Promise<void> {
  return replaceFile(join(path, "format.json"), renderState({}, directoryFormat));
}

/** Another user who could replace a file in there could make edgewise forget what it must not do. */
function secure(path: string, directory: string): void {
  const wasThere = existsSync(path);
  make(path, directory);
  const refuse = (why: string, remedy: string): never => {
    throw unusable(directory, why, remedy);
  };
  const [stats, uid] = [lstatSync(path), ownUid()];
  if (stats.isSymbolicLink()) refuse("it is a symbolic link", "Use the path of the directory itself.");
  if (uid !== null && stats.uid !== uid)
    refuse(`it belongs to another user (uid ${stats.uid})`, "Name a directory of your own with --state.");
  const access = othersAccess(stats, uid);
  const writes = wasThere ? (access.everybodyWrites ?? access.groupWrites) : null;
  if (writes !== null) refuse(`it ${writes}`, "Look at what is in there, then close it with `chmod 700`.");
  const names = namesIn(path);
  if (!names.includes("format.json") && !names.every((name) => /^(?:lock|format\.json)(?:\.|$)/.test(name)))
    refuse("it is not empty, and not a state directory", "Name an empty or a new directory with --state.");
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
