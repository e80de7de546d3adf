import { EdgewiseError } from "../../../src/errors.ts";
import { accountIdentity } from "../../../src/serve/fleet/same-stacks.ts";
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
  readonly session: SharedSession;
  readonly identity: string;
  readonly lost: AbortController;
}

const quietMs = 40_000;

/** A database in memory that several simulated processes share, in virtual time: what the PostgreSQL store is to a loop. */
export class SharedDatabase {
  readonly clock: SimulatedClock;
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
  readonly sent = new Map<string, { readonly session: SharedSession; readonly count: number }>();
  teller: SharedSession | null = null;
  changes = 0;
  up = true;
  /** How long the way to it takes, in milliseconds. */
  latency: () => number = () => 1;
  /** By account: when it was last taken from a holder that did not give it back; in elapsed milliseconds. */
  readonly takenOver = new Map<string, number>();
  /** Called before each change of a record, with what is to be kept. */
  onWrite: (table: string, record: unknown) => void = () => undefined;

  constructor(clock: SimulatedClock) {
    this.clock = clock;
  }

  connect(): SharedSession {
    return new SharedSession(this);
  }

  /** Stopped: every connection ends, and with it every lock. Started: whoever asks again is connected. */
  turn(up: boolean): void {
    this.up = up;
    if (!up) for (const { session } of this.held.values()) session.cut();
    if (!up) this.teller?.cut();
  }
}

/** What one process sees of it. */
export class SharedSession implements ServeStore {
  readonly shared = true;
  readonly #database: SharedDatabase;
  readonly #known = new Map<string, number>();
  readonly #claims = new Set<Holding>();
  #read = 0;
  #dead = false;

  constructor(database: SharedDatabase) {
    this.#database = database;
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
    await this.#turn();
    if (this.#claims.size === 0) throw new EdgewiseError("io", `the account ${record.account} is not held`);
    this.#put("stack", record);
  }

  async saveTransition(record: StackRecord, history: readonly HistoryEntry[]): Promise<boolean> {
    await this.#turn();
    const now = this.#database.tables.stack.get(record.name)?.changed;
    if (now !== this.#known.get(record.name)) return false;
    this.#put("stack", record);
    this.#database.history = [...this.#database.history, ...history];
    return true;
  }

  async forgetStack(name: string): Promise<void> {
    await this.#turn();
    this.#database.tables.stack.delete(name);
  }

  async saveAccount(record: AccountRecord): Promise<void> {
    await this.#turn();
    if (this.#claims.size === 0) throw new EdgewiseError("io", `the account ${record.name} is not held`);
    this.#put("account", record);
  }

  async readSource(name: string): Promise<SourceRecord | null> {
    await this.#turn();
    return parsed<SourceRecord>(this.#database.tables.source).get(name) ?? null;
  }

  async saveSource(record: SourceRecord, before: SourceRecord | null): Promise<boolean> {
    await this.#turn();
    const now = parsed<SourceRecord>(this.#database.tables.source).get(record.name) ?? null;
    if ((now?.followed ?? null) !== (before?.followed ?? null)) return false;
    this.#put("source", record);
    return true;
  }

  async savePlan(stack: string, plan: Plan | null): Promise<void> {
    await this.#turn();
    if (plan === null) this.#database.plans.delete(stack);
    else this.#database.plans.set(stack, JSON.stringify(plan));
  }

  async readPlan(stack: string): Promise<Plan | null> {
    await this.#turn();
    const text = this.#database.plans.get(stack);
    return text === undefined ? null : (JSON.parse(text) as Plan);
  }

  isTeller(): boolean {
    if (this.#dead || !this.#database.up) return false;
    this.#database.teller ??= this;
    return this.#database.teller === this;
  }

  async loadTold(): Promise<ReadonlyMap<string, ToldRecord>> {
    await this.#turn();
    return new Map([...this.#database.told].map(([name, json]) => [name, JSON.parse(json) as ToldRecord]));
  }

  async saveTold(record: ToldRecord): Promise<void> {
    await this.#turn();
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
    await this.#turn();
    this.#database.history = [...this.#database.history, ...entries];
  }

  async readHistory(stack: string, { limit }: { readonly limit: number }): Promise<HistoryPage> {
    await this.#turn();
    const own = this.#database.history.filter((entry) => entry.stack === stack).toReversed();
    return { entries: own.slice(0, limit), next: null };
  }

  async pruneHistory(): Promise<void> {
    await this.#turn();
  }

  async isUsable(): Promise<boolean> {
    return this.#database.up;
  }

  async close(): Promise<void> {
    this.cut();
  }

  /** The way to the database takes a moment. */
  async #turn(): Promise<void> {
    await this.#database.clock.sleep(this.#database.latency());
    if (this.#dead) await new Promise(() => {});
    if (!this.#database.up) throw new EdgewiseError("io", "the database can't be reached");
  }

  #put(table: keyof SharedDatabase["tables"], record: { readonly name: string }): void {
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
