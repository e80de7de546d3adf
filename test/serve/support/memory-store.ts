import { EdgewiseError } from "../../../src/errors.ts";
import type { Plan } from "../../../src/plan/plan-format.ts";
import type { AccountRecord, HistoryEntry, SourceRecord, StackRecord, ToldRecord } from "../../../src/serve/records.ts";
import { soleClaims } from "../../../src/serve/store/sole-claims.ts";
import type {
  AccountClaim,
  HistoryPage,
  ServeStore,
  StoredChanges,
  StoredState,
  WantedAccount,
} from "../../../src/serve/store/store.ts";

/**
 * A store that survives nothing but a new loop over it. Records are kept as JSON, so that nobody shares objects with
 * it, and what JSON can't hold is noticed.
 */
export class MemoryStore implements ServeStore {
  readonly shared = false;
  readonly #kept = {
    stacks: new Map<string, string>(),
    accounts: new Map<string, string>(),
    sources: new Map<string, string>(),
    plans: new Map<string, string>(),
    told: new Map<string, string>(),
  };
  #history: readonly HistoryEntry[] = [];
  usable = true;
  closed = false;
  /** Called before each change, with what is to be kept: a test may count, or throw. */
  onWrite: (what: string, value: unknown) => void = () => undefined;

  /** Everything that was recorded, oldest first. */
  get history(): readonly HistoryEntry[] {
    return this.#history;
  }

  /** Whether this process may still write to the service. */
  assertHeld(): void {
    if (!this.usable) throw new EdgewiseError("io", "the store is no longer held");
  }

  async load(): Promise<StoredState> {
    const { stacks, accounts, sources } = this.#kept;
    return {
      stacks: parsed<StackRecord>(stacks),
      accounts: parsed<AccountRecord>(accounts),
      sources: parsed<SourceRecord>(sources),
      damaged: new Map(),
    };
  }

  async changes(): Promise<StoredChanges> {
    return { stacks: [], accounts: [], sources: [], abandoned: [] };
  }

  async claim(wanted: readonly WantedAccount[], most: number): Promise<readonly AccountClaim[]> {
    return soleClaims(wanted, most, { assertHeld: () => this.assertHeld(), isHeld: () => true });
  }

  async saveTransition(record: StackRecord, history: readonly HistoryEntry[]): Promise<true> {
    await this.appendHistory(history);
    await this.saveStack(record);
    return true;
  }

  async saveStack(record: StackRecord): Promise<void> {
    this.#write("stack", record, () => this.#kept.stacks.set(record.name, JSON.stringify(record)));
  }

  async forgetStack(name: string): Promise<void> {
    this.#write("forget", name, () => {
      this.#kept.stacks.delete(name);
      this.#kept.plans.delete(name);
      this.#kept.told.delete(name);
    });
  }

  async saveAccount(record: AccountRecord): Promise<void> {
    this.#write("account", record, () => this.#kept.accounts.set(record.name, JSON.stringify(record)));
  }

  async saveSource(record: SourceRecord): Promise<true> {
    this.#write("source", record, () => this.#kept.sources.set(record.name, JSON.stringify(record)));
    return true;
  }

  async readSource(name: string): Promise<SourceRecord | null> {
    return parsed<SourceRecord>(this.#kept.sources).get(name) ?? null;
  }

  isTeller(): boolean {
    return true;
  }

  async saveHeal(): Promise<void> {
    throw new Error("who tells leaves nothing to others");
  }

  async loadHeals(): Promise<readonly []> {
    return [];
  }

  async removeHeal(): Promise<void> {
    throw new Error("there is no heal");
  }

  async savePlan(stack: string, plan: Plan | null): Promise<void> {
    this.#write("plan", plan, () =>
      plan === null ? this.#kept.plans.delete(stack) : this.#kept.plans.set(stack, JSON.stringify(plan)),
    );
  }

  async readPlan(stack: string): Promise<Plan | null> {
    const text = this.#kept.plans.get(stack);
    return text === undefined ? null : (JSON.parse(text) as Plan);
  }

  async loadTold(): Promise<ReadonlyMap<string, ToldRecord>> {
    return parsed<ToldRecord>(this.#kept.told);
  }

  async saveTold(record: ToldRecord): Promise<void> {
    this.#write("told", record, () => this.#kept.told.set(record.name, JSON.stringify(record)));
  }

  async appendHistory(entries: readonly HistoryEntry[]): Promise<void> {
    this.#write("history", entries, () => (this.#history = [...this.#history, ...entries]));
  }

  async readHistory(
    stack: string,
    { limit, after }: { readonly limit: number; readonly after: string | null },
  ): Promise<HistoryPage> {
    const own = this.#history.filter((entry) => entry.stack === stack).toReversed();
    const start = after === null ? 0 : Number(after);
    const end = start + limit;
    return { entries: own.slice(start, end), next: end < own.length ? String(end) : null };
  }

  async pruneHistory(before: number): Promise<void> {
    this.#history = this.#history.filter(({ at }) => Date.parse(at) >= before);
  }

  async isUsable(): Promise<boolean> {
    return this.usable;
  }

  async close(): Promise<void> {
    this.closed = true;
  }

  #write(what: string, value: unknown, keep: () => void): void {
    this.onWrite(what, value);
    if (!this.usable) throw new Error("the store can't be written");
    keep();
  }
}

function parsed<T>(texts: ReadonlyMap<string, string>): ReadonlyMap<string, T> {
  return new Map([...texts].map(([name, text]) => [name, JSON.parse(text) as T]));
}
