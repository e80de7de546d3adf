import { EdgewiseError } from "../../../src/core/errors.ts";
import type { OutboxEntry } from "../../../src/serve/notify/notification.ts";
import { accountIdentity } from "../../../src/serve/fleet/fleet.ts";
import type { FleetAccount } from "../../../src/serve/fleet/fleet.ts";
import type { Plan } from "../../../src/plan/plan-format.ts";
import type { AccountRecord, HistoryEntry, SourceRecord, StackRecord } from "../../../src/serve/records.ts";
import {
  type AccountClaim,
  type HistoryPage,
  type Saved,
  type ServeStore,
  type StoredChanges,
  type StoredState,
  cutOffMs,
} from "../../../src/serve/store/store.ts";
import type { SimulatedClock } from "./simulated-clock.ts";

interface Row {
  readonly json: string;
  /** Which change of the database it was, and of which process. */
  readonly changed: number;
  readonly writer: MemoryStore;
}

interface Holding {
  readonly session: MemoryStore;
  readonly identity: string;
  readonly lost: AbortController;
}

/**
 * Records in memory, kept as JSON, so that nobody shares objects with them: a database that several simulated processes share in
 * virtual time, as PostgreSQL, or what one process after the other has for itself, as a state directory.
 */
export class MemoryDatabase {
  readonly tables = { stack: new Map<string, Row>(), account: new Map<string, Row>(), source: new Map<string, Row>() };
  readonly plans = new Map<string, string>();
  readonly outbox = new Map<string, { readonly entry: OutboxEntry; by: MemoryStore | null; until: number }>();
  history: readonly HistoryEntry[] = [];
  readonly held = new Map<string, Holding>();
  readonly holders = new Map<string, Holding>();
  readonly quietUntil = new Map<string, number>();
  readonly sent = new Map<string, { readonly session: MemoryStore; readonly count: number }>();
  changes = 0;
  up = true;
  latency: () => number = () => 1;
  /** By account: when it was last taken from a holder that did not give it back; in elapsed milliseconds. */
  readonly takenOver = new Map<string, number>();
  onWrite: (what: string, value: unknown) => void = () => undefined;

  constructor(
    readonly clock: SimulatedClock,
    readonly shared = true,
  ) {}

  connect(): MemoryStore {
    return new MemoryStore(this);
  }

  /** Stopped: every connection ends, and with it every lock. Started: whoever asks again is connected. */
  turn(up: boolean): void {
    this.up = up;
    if (!up) for (const { session } of this.held.values()) session.cut();
  }
}

export class MemoryStore implements ServeStore {
  readonly shared: boolean;
  readonly #database: MemoryDatabase;
  readonly #known = new Map<string, number>();
  readonly #claims = new Map<AccountClaim, Holding>();
  readonly #dead = new Set<Holding>();
  #read = 0;
  #killed = false;

  constructor(database: MemoryDatabase) {
    this.#database = database;
    this.shared = database.shared;
  }

  get history(): readonly HistoryEntry[] {
    return this.#database.history;
  }

  /** As kill -9: nothing that it asked for is answered any more, and what it held is free. */
  kill(): void {
    this.#killed = true;
    this.cut();
  }

  /** The connection breaks: what it held is free, and it learns of it. */
  cut(): void {
    const { held } = this.#database;
    for (const holding of this.#claims.values()) {
      if (held.get(holding.identity) === holding) held.delete(holding.identity);
      if (!this.#killed) holding.lost.abort();
    }
    this.#claims.clear();
    this.#read = 0;
  }

  async load(): Promise<StoredState> {
    await this.#turn();
    this.#read = 0;
    const { accounts, sources, stacks } = this.#changed(true);
    const { clock, held, quietUntil } = this.#database;
    if (!this.shared) held.clear();
    // What the process before was writing when it was killed may still arrive.
    for (const { account, memory } of this.shared ? [] : stacks)
      if ((memory.writing ?? null) !== null) quietUntil.set(account, clock.now() + cutOffMs);
    const byName = <T extends { readonly name: string }>(all: readonly T[]) =>
      new Map(all.map((one) => [one.name, one]));
    return { stacks: byName(stacks), accounts: byName(accounts), sources: byName(sources), damaged: new Map() };
  }

  async changes(): Promise<StoredChanges> {
    await this.#turn();
    if (!this.shared) return { stacks: [], accounts: [], sources: [], abandoned: [] };
    const { held, holders } = this.#database;
    const dead = [...holders].filter(([, { identity }]) => !held.has(identity));
    const news = dead.filter(([, holding]) => !this.#dead.has(holding));
    for (const [, holding] of dead) this.#dead.add(holding);
    return { ...this.#changed(this.#read === 0), abandoned: news.map(([name]) => name) };
  }

  #changed(all: boolean) {
    const since = this.#read;
    const { account, source, stack } = this.#database.tables;
    this.#read = this.#database.changes;
    const changed = (table: ReadonlyMap<string, Row>): readonly unknown[] =>
      [...table.values()]
        .filter((row) => row.changed > since && (all || row.writer !== this))
        .map(({ json }): unknown => JSON.parse(json));
    for (const [name, row] of stack) this.#known.set(name, row.changed);
    return {
      stacks: changed(stack) as readonly StackRecord[],
      accounts: changed(account) as readonly AccountRecord[],
      sources: changed(source) as readonly SourceRecord[],
    };
  }

  async claim(wanted: readonly FleetAccount[]): Promise<readonly AccountClaim[]> {
    await this.#turn();
    const { clock, held, holders, quietUntil, sent } = this.#database;
    const claims: AccountClaim[] = [];
    for (const account of wanted) {
      const { name } = account;
      const identity = accountIdentity(account);
      if (held.has(identity)) continue;
      const holding: Holding = { session: this, identity, lost: new AbortController() };
      held.set(identity, holding);
      if (holders.has(name)) {
        quietUntil.set(name, clock.now() + cutOffMs);
        this.#database.takenOver.set(name, clock.elapsed);
      }
      if (this.shared) holders.set(name, holding);
      const own = sent.get(name);
      const until = quietUntil.get(name) ?? 0;
      const isHeld = (): boolean => held.get(identity) === holding;
      const claim: AccountClaim = {
        account: name,
        // A clock that was set back makes it no longer.
        quietUntil: until > clock.now() ? Math.min(until, clock.now() + cutOffMs) : 0,
        sentByOthers: own === undefined || own.session === this ? 0 : own.count,
        lost: holding.lost.signal,
        isHeld,
        assertHeld: async () => {
          await this.#turn();
          if (!isHeld()) throw new EdgewiseError("io", "the account is another process's by now");
        },
        release: async (count) => {
          await this.#turn().catch(() => undefined);
          if (!isHeld()) return;
          held.delete(identity);
          this.#claims.delete(claim);
          holders.delete(name);
          sent.set(name, { session: this, count });
        },
      };
      this.#claims.set(claim, holding);
      claims.push(claim);
    }
    return claims;
  }

  async save(saved: Saved, claim: AccountClaim | null): Promise<boolean> {
    await this.#turn();
    this.#assertUp();
    if (this.shared && claim !== null && !claim.isHeld())
      throw new EdgewiseError("io", `the account ${claim.account} is not held`);
    const [first] = saved.stacks;
    const { tables } = this.#database;
    const isFirst = first === undefined || tables.stack.get(first.name)?.changed === this.#known.get(first.name);
    if (this.shared && claim === null && !isFirst) return false;
    if (saved.history.length > 0) this.#database.onWrite("history", saved.history);
    this.#database.history = [...this.history, ...saved.history];
    for (const entry of saved.outbox) {
      this.#database.onWrite("outbox", entry);
      const id = String(++this.#database.changes).padStart(15, "0");
      this.#database.outbox.set(id, { entry, by: null, until: 0 });
    }
    for (const record of saved.accounts) this.#put("account", record);
    for (const record of saved.stacks) this.#put("stack", record);
    return true;
  }

  async saveSource(record: SourceRecord, before: SourceRecord | null): Promise<boolean> {
    await this.#turn();
    this.#assertUp();
    const now = this.#database.tables.source.get(record.name)?.json;
    const followed = now === undefined ? null : (JSON.parse(now) as SourceRecord).followed;
    if (this.shared && followed !== (before?.followed ?? null)) return false;
    this.#put("source", record);
    return true;
  }

  async forgetStack(name: string): Promise<void> {
    await this.#turn();
    this.#assertUp();
    this.#database.onWrite("forget", name);
    this.#database.plans.delete(name);
    this.#database.tables.stack.delete(name);
  }

  async savePlan(stack: string, plan: Plan | null): Promise<void> {
    await this.#turn();
    this.#assertUp();
    this.#database.onWrite("plan", plan);
    if (plan === null) this.#database.plans.delete(stack);
    else this.#database.plans.set(stack, JSON.stringify(plan));
  }

  async readPlan(stack: string): Promise<Plan | null> {
    await this.#turn();
    const text = this.#database.plans.get(stack);
    return text === undefined ? null : (JSON.parse(text) as Plan);
  }

  async readHistory(
    stack: string,
    { limit, after }: { readonly limit: number; readonly after: string | null },
  ): Promise<HistoryPage> {
    await this.#turn();
    const own = this.history.filter((entry) => entry.stack === stack).toReversed();
    const start = Number(after ?? 0);
    const end = start + limit;
    return { entries: own.slice(start, end), next: end < own.length ? String(end) : null };
  }

  async prune(history: number, outbox: number): Promise<void> {
    await this.#turn();
    this.#assertUp();
    this.#database.history = this.history.filter(({ at }) => Date.parse(at) >= history);
    for (const [id, { entry }] of this.#database.outbox) if (entry.since < outbox) this.#database.outbox.delete(id);
  }

  async claimNotification(receiver: string): Promise<(OutboxEntry & { readonly id: string }) | null> {
    await this.#turn();
    this.#assertUp();
    const { clock, outbox } = this.#database;
    for (const [id, row] of outbox) {
      if (row.entry.receiver !== receiver || (row.by !== this && row.until > clock.now())) continue;
      [row.by, row.until] = [this, clock.now() + 60_000];
      return { ...row.entry, id };
    }
    return null;
  }

  async removeNotification(id: string): Promise<void> {
    await this.#turn();
    this.#assertUp();
    this.#database.outbox.delete(id);
  }

  async isUsable(): Promise<boolean> {
    return this.#database.up;
  }

  async close(): Promise<void> {
    this.cut();
  }

  /** The way to the database takes a moment; what one process has for itself can always be read. */
  async #turn(): Promise<void> {
    if (!this.shared) return;
    await this.#database.clock.sleep(this.#database.latency());
    if (this.#killed) await new Promise(() => {});
    this.#assertUp();
  }

  #assertUp(): void {
    if (!this.#database.up) throw new EdgewiseError("io", "the store can't be reached");
  }

  #put(table: keyof MemoryDatabase["tables"], record: { readonly name: string }): void {
    const changed = ++this.#database.changes;
    this.#database.onWrite(table, record);
    this.#database.tables[table].set(record.name, { json: JSON.stringify(record), changed, writer: this });
    if (table === "stack") this.#known.set(record.name, changed);
  }
}
