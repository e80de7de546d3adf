import type { Plan } from "../../plan/plan-format.js";
import type { AccountRecord, HistoryEntry, SourceRecord, StackRecord, ToldRecord } from "../records.js";

/** Everything that the loop remembers, when it starts. */
export interface StoredState {
  readonly stacks: ReadonlyMap<string, StackRecord>;
  readonly accounts: ReadonlyMap<string, AccountRecord>;
  readonly sources: ReadonlyMap<string, SourceRecord>;
  /** What of it was damaged, in sentences. What is not known is there as what allows least. */
  readonly warnings: readonly string[];
}

/** A page of history, newest first. */
export interface HistoryPage {
  readonly entries: readonly HistoryEntry[];
  /** Give it as `after` for the next page; null = there is none. */
  readonly next: string | null;
}

/**
 * What survives the process. Each save is atomic and done when its promise is; it rejects with an EdgewiseError `io`
 * when it can't be written, and when this process is no longer the one that may. The loop does not know whether it is a
 * directory or a database.
 *
 * The order of a write to the service: the memory that says so is saved (a delete, a field that is put back), then
 * {@link assertHeld} passes, then the request is sent. A process that can't save can look, but not write: what it did
 * would count for nothing after a restart. Saves of one record happen in the order of the calls.
 */
export interface ServeStore {
  /**
   * Passes while this process alone may write. Call it before every write to the service: it is cheap.
   * @throws EdgewiseError `io` when another process took over, or may have, while this one stood still
   */
  assertHeld(): void;
  load(): Promise<StoredState>;
  saveStack(record: StackRecord): Promise<void>;
  /** Removes what is kept of a stack but its history. */
  forgetStack(name: string): Promise<void>;
  saveAccount(record: AccountRecord): Promise<void>;
  saveSource(record: SourceRecord): Promise<void>;
  /** The plan of the last look; null = there is nothing to do. It holds no secret. */
  savePlan(stack: string, plan: Plan | null): Promise<void>;
  /** @throws EdgewiseError `io` when it is damaged: nobody knows whether there is something to do */
  readPlan(stack: string): Promise<Plan | null>;
  /** What was told, by the name of its record. Apart from {@link load}, as the loop itself does not need it. */
  loadTold(): Promise<ReadonlyMap<string, ToldRecord>>;
  saveTold(record: ToldRecord): Promise<void>;
  appendHistory(entries: readonly HistoryEntry[]): Promise<void>;
  /** @throws EdgewiseError `usage` when `after` is not from a page */
  readHistory(stack: string, page: { readonly limit: number; readonly after: string | null }): Promise<HistoryPage>;
  /** Removes history from before a time, in milliseconds since 1970; up to a day may stay longer. */
  pruneHistory(before: number): Promise<void>;
  /** Whether it can be written now: for readiness. Never throws. */
  isUsable(): Promise<boolean>;
  close(): Promise<void>;
}
