import { EdgewiseError } from "../../../src/core/errors.ts";
import { soleClaims } from "../../../src/serve/store/sole-claims.ts";
import { accountIdentity } from "../../../src/serve/fleet/fleet.ts";
import type { Plan } from "../../../src/plan/plan-format.ts";
import type { AccountRecord, HistoryEntry, SourceRecord, StackRecord, ToldRecord } from "../../../src/serve/records.ts";
import type {
  AccountClaim,
  HistoryPage,
  ServeStore,
  StoredChanges,
  StoredHeal,
  StoredState,
  WantedAccount,
} from "../../../src/serve/store/store.ts";
import type { SimulatedClock } from "./simulated-clock.ts";

interface Row {
  readonly json: string;
  /** Which change of the database it was. */
  readonly changed: number;
}

interface Holding {
  readonly session: MemoryStore;
  readonly identity: string;
  readonly lost: AbortController;
}

const quietMs = 40_000;

/**
 * Records in memory, kept as JSON, so that nobody shares objects with them: a database that several simulated processes share in
 * virtual time, as PostgreSQL, or what one process after the other has for itself, as a state directory.
 */
export class MemoryDatabase {
  readonly tables = { stack: new Map<string, Row>(), account: new Map<string, Row>(), source: new Map<string, Row>() };
  readonly plans = new Map<string, string>();
  readonly told = new Map<string, string>();
  readonly heals: StoredHeal[] = [];
  history: readonly HistoryEntry[] = [];
  /** By identity: who holds an account. */
  readonly held = new Map<string, Holding>();
  /** By account: who claimed it and did not give it back. */
  readonly holders = new Map<string, { readonly identity: string }>();
  readonly quietUntil = new Map<string, number>();
  readonly sent = new Map<string, { readonly session: MemoryStore; readonly count: number }>();
  teller: MemoryStore | null = null;
  changes = 0;
  up = true;
  /** How long the way to it takes, in milliseconds. */
  latency: () => number = () => 1;
  /** By account: when it was last taken from a holder that did not give it back; in elapsed milliseconds. */
  readonly takenOver = new Map<string, number>();
  /** Called before each change, with what is to be kept: a test may count, or throw. */
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
    if (!up) this.teller?.cut();
  }
}

/** What a process has of it. */
export class MemoryStore implements ServeStore {
  readonly shared: boolean;
  readonly #database: MemoryDatabase;
  readonly #known = new Map<string, number>();
  readonly #claims = new Set<Holding>();
  #read = 0;
  #dead = false;

  constructor(database: MemoryDatabase) {
    this.#database = database;
    this.shared = database.shared;
  }

  /** Everything that was recorded, oldest first. */
  get history(): readonly HistoryEntry[] {
    return this.#database.history;
  }

  /** As kill -9: nothing that it asked for is answered any more, and what it held is free. */
  kill(): void {
    this.#dead = true;
    this.cut();
  }

  /** The connection breaks: what it held is free, and it learns of it. */
  cut(): void {
    const { held } = this.#database;
    for (const holding of this.#claims) {
      if (held.get(holding.identity) === holding) held.delete(holding.identity);
      if (!this.#dead) holding.lost.abort();
    }
    this.#claims.clear();
    this.#read = 0;
    if (this.#database.teller === this) this.#database.teller = null;
  }

  async load(): Promise<StoredState> {
    await this.#turn();
    this.#read = this.#database.changes;
    const { account, source, stack } = this.#database.tables;
    this.#learn(stack);
    return { stacks: parsed(stack), accounts: parsed(account), sources: parsed(source), damaged: new Map() };
  }

  async changes(): Promise<StoredChanges> {
    await this.#turn();
    if (!this.shared) return { stacks: [], accounts: [], sources: [], abandoned: [] };
    const since = this.#read;
    const { account, source, stack } = this.#database.tables;
    this.#read = this.#database.changes;
    const changed = <T>(table: ReadonlyMap<string, Row>): ReadonlyMap<string, T> =>
      parsed(new Map([...table].filter(([, row]) => row.changed > since)));
    this.#learn(stack);
    const abandoned = [...this.#database.holders].flatMap(([name, { identity }]) =>
      this.#database.held.has(identity) ? [] : [name],
    );
    return {
      stacks: [...changed<StackRecord>(stack).values()],
      accounts: [...changed<AccountRecord>(account).values()],
      sources: [...changed<SourceRecord>(source).values()],
      abandoned,
    };
  }

  async claim(wanted: readonly WantedAccount[], most: number): Promise<readonly AccountClaim[]> {
    await this.#turn();
    if (!this.shared) return soleClaims(wanted, most, { assertHeld: () => this.#assertUp(), isHeld: () => true });
    const { clock, held, holders, quietUntil, sent, tables } = this.#database;
    const claims: AccountClaim[] = [];
    for (const { account, stacks } of wanted) {
      const identity = accountIdentity(account);
      if (claims.length >= most || held.has(identity)) continue;
      const holding: Holding = { session: this, identity, lost: new AbortController() };
      held.set(identity, holding);
      this.#claims.add(holding);
      if (holders.has(account.name)) {
        quietUntil.set(account.name, clock.now() + quietMs);
        this.#database.takenOver.set(account.name, clock.elapsed);
      }
      holders.set(account.name, { identity });
      const own = sent.get(account.name);
      this.#learn(tables.stack);
      const current = {
        account: parsed<AccountRecord>(tables.account).get(account.name) ?? null,
        stacks: new Map([...parsed<StackRecord>(tables.stack)].filter(([name]) => stacks.includes(name))),
        sources: parsed<SourceRecord>(tables.source),
      };
      claims.push({
        account: account.name,
        quietUntil: quietUntil.get(account.name) ?? 0,
        sentByOthers: own === undefined || own.session === this ? 0 : own.count,
        current,
        lost: holding.lost.signal,
        assertHeld: async () => {
          await this.#turn();
          if (held.get(identity) !== holding) throw new EdgewiseError("io", "the account is another process's by now");
        },
        isHeld: () => held.get(identity) === holding,
        release: async (count) => {
          await this.#turn().catch(() => undefined);
          if (held.get(identity) !== holding) return;
          held.delete(identity);
          this.#claims.delete(holding);
          holders.delete(account.name);
          sent.set(account.name, { session: this, count });
        },
      });
    }
    return claims;
  }

  async saveStack(record: StackRecord): Promise<void> {
    await this.#write(record.account);
    this.#put("stack", record);
  }

  async saveTransition(record: StackRecord, history: readonly HistoryEntry[]): Promise<boolean> {
    await this.#write();
    const now = this.#database.tables.stack.get(record.name)?.changed;
    if (this.shared && now !== this.#known.get(record.name)) return false;
    this.#append(history);
    this.#put("stack", record);
    return true;
  }

  async forgetStack(name: string): Promise<void> {
    await this.#write();
    this.#database.onWrite("forget", name);
    const { plans, tables, told } = this.#database;
    for (const kept of [plans, tables.stack, told]) kept.delete(name);
  }

  async saveAccount(record: AccountRecord): Promise<void> {
    await this.#write(record.name);
    this.#put("account", record);
  }

  async readSource(name: string): Promise<SourceRecord | null> {
    await this.#turn();
    return parsed<SourceRecord>(this.#database.tables.source).get(name) ?? null;
  }

  async saveSource(record: SourceRecord, before: SourceRecord | null): Promise<boolean> {
    await this.#write();
    const now = parsed<SourceRecord>(this.#database.tables.source).get(record.name) ?? null;
    if (this.shared && (now?.followed ?? null) !== (before?.followed ?? null)) return false;
    this.#put("source", record);
    return true;
  }

  async savePlan(stack: string, plan: Plan | null): Promise<void> {
    await this.#write();
    this.#database.onWrite("plan", plan);
    if (plan === null) this.#database.plans.delete(stack);
    else this.#database.plans.set(stack, JSON.stringify(plan));
  }

  async readPlan(stack: string): Promise<Plan | null> {
    await this.#turn();
    const text = this.#database.plans.get(stack);
    return text === undefined ? null : (JSON.parse(text) as Plan);
  }

  isTeller(): boolean {
    if (!this.shared) return true;
    if (this.#dead || !this.#database.up) return false;
    this.#database.teller ??= this;
    return this.#database.teller === this;
  }

  async loadTold(): Promise<ReadonlyMap<string, ToldRecord>> {
    await this.#turn();
    return new Map([...this.#database.told].map(([name, json]) => [name, JSON.parse(json) as ToldRecord]));
  }

  async saveTold(record: ToldRecord): Promise<void> {
    await this.#write();
    this.#database.onWrite("told", record);
    this.#database.told.set(record.name, JSON.stringify(record));
  }

  async saveHeal(heal: Omit<StoredHeal, "id">): Promise<void> {
    await this.#turn();
    this.#database.heals.push({ ...heal, id: String(++this.#database.changes) });
  }

  async loadHeals(): Promise<readonly StoredHeal[]> {
    await this.#turn();
    return [...this.#database.heals];
  }

  async removeHeal(id: string): Promise<void> {
    await this.#turn();
    const { heals } = this.#database;
    heals.splice(0, heals.length, ...heals.filter((heal) => heal.id !== id));
  }

  async appendHistory(entries: readonly HistoryEntry[]): Promise<void> {
    await this.#write();
    this.#append(entries);
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

  async pruneHistory(before: number): Promise<void> {
    await this.#write();
    this.#database.history = this.history.filter(({ at }) => Date.parse(at) >= before);
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
    if (this.#dead) await new Promise(() => {});
    this.#assertUp();
  }

  /** @param account whose record is written: in a database it must be held */
  async #write(account?: string): Promise<void> {
    await this.#turn();
    this.#assertUp();
    if (this.shared && account !== undefined && this.#claims.size === 0)
      throw new EdgewiseError("io", `the account ${account} is not held`);
  }

  #assertUp(): void {
    if (!this.#database.up) throw new EdgewiseError("io", "the store can't be reached");
  }

  #append(entries: readonly HistoryEntry[]): void {
    this.#database.onWrite("history", entries);
    this.#database.history = [...this.history, ...entries];
  }

  #put(table: keyof MemoryDatabase["tables"], record: { readonly name: string }): void {
    const changed = ++this.#database.changes;
    this.#database.onWrite(table, record);
    this.#database.tables[table].set(record.name, { json: JSON.stringify(record), changed });
    if (table === "stack") this.#known.set(record.name, changed);
  }

  #learn(stacks: ReadonlyMap<string, Row>): void {
    for (const [name, { changed }] of stacks) this.#known.set(name, changed);
  }
}

function parsed<T>(rows: ReadonlyMap<string, Row>): ReadonlyMap<string, T> {
  return new Map([...rows].map(([name, { json }]) => [name, JSON.parse(json) as T]));
}
