import { chmodSync, existsSync, mkdirSync, realpathSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { EdgewiseError } from "../../core/errors.js";
import { unwritableBecause } from "../../files/file-errors.js";
import { othersAccess, ownUid } from "../../files/others-access.js";
import { type ProcessLock, takeProcessLock } from "../../files/process-lock.js";
import type { Plan } from "../../plan/plan-format.js";
import { type FleetAccount, accountIdentity } from "../fleet/fleet.js";
import type { OutboxEntry } from "../notify/notification.js";
import type { HistoryEntry, SourceRecord } from "../records.js";
import { appendLines, namesIn, readIfThere, removeFile, replaceFile, someAtOnce } from "./state-files.js";
import {
  type RecordSort,
  type Sorts,
  damageWords,
  noSuchPlace,
  parseHistory,
  parsePlan,
  parseState,
  recordKey,
  renderHistory,
  renderState,
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

type Place = Readonly<{ cwd: string }>;

// `sources` holds the clones.
const folders = { stack: "stacks", account: "accounts", source: "followed" } as const;
const otherFolders = ["plans", "outbox", "history", "sources"];

/** A file per record, each replaced in one step, and the history by day. */
export async function openDirectoryStore(directory: string, place: Place): Promise<DirectoryStore> {
  const { lock, path } = await holdState(directory, place);
  return new DirectoryStore(path, lock);
}

export class DirectoryStore implements ServeStore {
  readonly shared = false;
  readonly #damaged = new Map<string, string>();
  readonly #quiet = new Map<string, number>();
  readonly #claimed = new Set<string>();
  readonly #outbox = new Map<string, OutboxEntry>();
  #lastEntry = 0;
  #turn: Promise<unknown> = Promise.resolve();
  #closed = false;

  constructor(
    readonly directory: string,
    private readonly lock: ProcessLock,
  ) {}

  async load(): Promise<StoredState> {
    this.#assertHeld();
    const filesIn = (folder: string): readonly string[] =>
      namesIn(join(this.directory, folder)).flatMap((name) => (name.endsWith(".json") ? [name.slice(0, -5)] : []));
    const records = this.#readRecords((sort) => filesIn(folders[sort]));
    for (const name of filesIn("outbox")) {
      const file = join(this.directory, "outbox", `${name}.json`);
      const entry = parseState("outbox", readIfThere(file) ?? "", file);
      if (entry !== null) this.#outbox.set(file, entry);
      this.#lastEntry = Math.max(this.#lastEntry, Number.parseInt(name, 10) || 0);
    }
    return storedState(records, this.#damaged);
  }

  async changes(): Promise<StoredChanges> {
    this.#assertHeld();
    const damaged = [...this.#damaged.keys()].map((key) => key.split(" "));
    const damagedOf = (sort: RecordSort) => damaged.flatMap(([of, name]) => (of === sort && name ? [name] : []));
    return { ...this.#readRecords(damagedOf), abandoned: [] };
  }

  async claim(wanted: readonly FleetAccount[]): Promise<readonly AccountClaim[]> {
    return wanted.flatMap((account) => {
      const [{ name }, identity] = [account, accountIdentity(account)];
      if (this.#claimed.has(identity)) return [];
      this.#claimed.add(identity);
      const quietMs = (this.#quiet.get(name) ?? 0) - performance.now();
      return {
        account: name,
        quietUntil: quietMs > 0 ? Math.ceil(Date.now() + quietMs) : 0,
        sentByOthers: 0,
        lost: new AbortController().signal,
        assertHeld: async () => this.#assertHeld(),
        isHeld: () => this.lock.problem() === null,
        release: async () => void this.#claimed.delete(identity),
      };
    });
  }

  /** History and notifications first: after a kill, a saved record has them. */
  save({ accounts, history, outbox, stacks }: Saved): Promise<boolean> {
    return this.#inTurn(async () => {
      await appendHistory(this.directory, history);
      for (const entry of outbox) {
        this.#lastEntry += 1;
        const file = join(this.directory, "outbox", `${String(this.#lastEntry).padStart(15, "0")}.json`);
        await replaceFile(file, renderState("outbox", entry));
        this.#outbox.set(file, entry);
      }
      for (const record of accounts) await this.#saveRecord("account", record);
      await someAtOnce(stacks, (record) => this.#saveRecord("stack", record));
      return true;
    });
  }

  saveSource(record: SourceRecord): Promise<boolean> {
    return this.#inTurn(() => this.#saveRecord("source", record)).then(() => true);
  }

  forgetStack(name: string): Promise<void> {
    return this.#inTurn(async () => {
      for (const folder of ["plans", folders.stack]) await removeFile(this.#file(folder, name));
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

  async readHistory(stack: string, { limit, after }: PageQuery): Promise<HistoryPage> {
    const [, fromDay = null, fromLine] = /^(\d{4}-\d\d-\d\d):(\d{1,15})$/.exec(after ?? "") ?? [];
    if (after !== null && fromDay === null) throw noSuchPlace();
    const entries: HistoryEntry[] = [];
    let last = "";
    for (const day of daysIn(this.directory).toReversed()) {
      if (fromDay !== null && day > fromDay) continue;
      const lines = readIfThere(historyFile(this.directory, day, stack))?.split("\n") ?? [];
      const end = day === fromDay ? Math.min(Number(fromLine), lines.length) : lines.length;
      for (let index = end - 1; index >= 0; index -= 1) {
        const entry = parseHistory(lines[index] ?? "");
        if (entry?.stack !== stack) continue;
        if (entries.length >= Math.max(1, limit)) return { entries, next: last };
        entries.push(entry);
        last = `${day}:${index}`;
      }
    }
    return { entries, next: null };
  }

  async prune(history: number, outbox: number): Promise<void> {
    this.#assertHeld();
    for (const day of daysIn(this.directory))
      if (Date.parse(day) + dayMs <= history) await removeFile(join(this.directory, "history", day));
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
    await this.lock.release();
  }

  #assertHeld(): void {
    const problem = this.#closed ? "it is closed" : this.lock.problem();
    if (problem === null) return;
    const message = `nothing is written: the state directory ${this.directory} is not held: ${problem}`;
    throw new EdgewiseError("io", message, "Run one `edgewise serve` for each state directory.");
  }

  #file(folder: string, name: string): string {
    return join(this.directory, folder, `${stateFileName(name)}.json`);
  }

  #readRecords(namesOf: (sort: RecordSort) => readonly string[]): Records {
    const read = <S extends RecordSort>(sort: S): readonly Sorts[S][] =>
      namesOf(sort).flatMap((name) => {
        const file = join(this.directory, folders[sort], `${name}.json`);
        const text = readIfThere(file);
        const record = text === null ? null : parseState(sort, text, file);
        // A file that was copied to another name speaks of another stack.
        const isGood = record !== null && stateFileName(record.name) === name;
        if (isGood || text === null) this.#damaged.delete(`${sort} ${name}`);
        else this.#damaged.set(`${sort} ${name}`, damageWords(file, sort));
        return isGood ? [record] : [];
      });
    const stacks = read("stack");
    // What the process before was writing when it was cut off may still arrive.
    for (const { account, memory } of stacks)
      if ((memory.writing ?? null) !== null) this.#quiet.set(account, performance.now() + cutOffMs);
    return { stacks, accounts: read("account"), sources: read("source") };
  }

  async #saveRecord<S extends RecordSort>(sort: S, record: Sorts[S]): Promise<void> {
    const text = renderState(sort, record);
    if (!this.#damaged.has(recordKey(sort, record.name)))
      await replaceFile(this.#file(folders[sort], record.name), text);
  }

  #inTurn<T>(change: () => Promise<T>): Promise<T> {
    const mine = this.#turn.then(() => {
      this.#assertHeld();
      return change();
    });
    this.#turn = mine.catch(() => undefined);
    return mine;
  }
}

export async function holdState(directory: string, { cwd }: Place) {
  const path = secure(resolve(cwd, directory), directory);
  const file = join(path, "lock");
  const remedy = `Stop that one, or name another directory with --state. If it no longer runs, remove ${file}.`;
  const heldBy = (holder: string) => unusable(directory, `another \`edgewise serve\` holds it${holder}`, remedy);
  const lock = await takeProcessLock(file, heldBy, { renewMs: 2_000, watchMs: 15_000 });
  try {
    const format = join(path, "format.json");
    parseState("directory", readIfThere(format) ?? "", format);
    await writeFormat(path);
    for (const folder of [...Object.values(folders), ...otherFolders]) make(join(path, folder), directory);
    return { path, lock };
  } catch (error) {
    await lock.release();
    throw error;
  }
}

function writeFormat(path: string): Promise<void> {
  return replaceFile(join(path, "format.json"), renderState("directory", {}));
}

/** Another user who could replace a file in there could make edgewise forget what it must not do. */
function secure(named: string, directory: string): string {
  const wasThere = existsSync(named);
  make(named, directory);
  // Whoever owns a link to it could change it later.
  const path = realpathSync(named);
  const [stats, uid] = [statSync(path), ownUid()];
  const { everybodyWrites, groupWrites } = othersAccess(stats, uid);
  const isOwn = uid === null || stats.uid === uid;
  const access = isOwn ? wasThere && (everybodyWrites ?? groupWrites) : `belongs to another user (uid ${stats.uid})`;
  if (access) throw unusable(directory, `it ${access}`, "Use a directory of your own, closed with `chmod 700`.");
  const names = namesIn(path);
  if (!names.includes("format.json") && !names.every((name) => /^(?:lock|format\.json)(?:\.|$)/.test(name)))
    throw unusable(directory, "it is not empty, and not a state directory", "Name an empty or a new one with --state.");
  chmodSync(path, 0o700);
  return path;
}

function make(path: string, directory: string): void {
  try {
    mkdirSync(path, { mode: 0o700, recursive: true });
  } catch (cause) {
    throw unwritableBecause(directory, cause);
  }
}

function unusable(directory: string, why: string, remedy: string): EdgewiseError {
  return new EdgewiseError("io", `the state directory ${directory} can't be used: ${why}`, remedy);
}

const dayMs = 24 * 60 * 60 * 1000;

async function appendHistory(directory: string, entries: readonly HistoryEntry[]): Promise<void> {
  const byFile = new Map<string, string>();
  for (const entry of entries) {
    const file = historyFile(directory, entry.at.slice(0, 10), entry.stack);
    byFile.set(file, `${byFile.get(file) ?? ""}${renderHistory(entry)}\n`);
  }
  await someAtOnce([...byFile], async ([file, lines]) => {
    await appendLines(file, lines).catch((cause: unknown) => {
      throw unwritableBecause(file, cause);
    });
  });
}

function historyFile(directory: string, day: string, stack: string): string {
  return join(directory, "history", day, `${stateFileName(stack)}.ndjson`);
}

function daysIn(directory: string): readonly string[] {
  return namesIn(join(directory, "history")).filter((name) => /^\d{4}-\d\d-\d\d$/.test(name));
}
