import type { Plan } from "../../plan/plan-format.js";
import type { AccountRecord, SourceRecord, StackRecord } from "../records.js";
import type { Trouble } from "../troubles.js";
import type { HistoryPage } from "../store/store.js";

/** What HTTP may see of the loop, and the one thing that it may ask for: `markDue`. */
export interface ServeView {
  /** Every stack of the fleet, by name; one that was never looked at has a status that says so. Not copied, so cheap. */
  stacks(): readonly StackView[];
  /** Null = the fleet has none of this name. */
  stack(name: string): StackView | null;
  /** What the last look planned; null = there is nothing to do. @throws EdgewiseError when the store can't be read */
  plan(stack: string): Promise<Plan | null>;
  /** @throws EdgewiseError when the store can't be read */
  history(stack: string, page: { readonly limit: number; readonly after: string | null }): Promise<HistoryPage>;
  sources(): readonly SourceRecord[];
  accounts(): readonly AccountRecord[];
  /** What goes on that no stack's state says. */
  troubles(): readonly Trouble[];
  /** How many accounts this process passes now. */
  passing(): number;
  /** When the loop last turned, in milliseconds since 1970. It turns when nothing is due, too. */
  heartbeat(): number;
  /** Why it is not ready, as sentences; empty = it is. Outages of the service and of Git are no reason. Never throws. */
  unreadiness(): Promise<readonly string[]>;
  /** A source is due to be fetched at a time (milliseconds since 1970), or sooner. Never throws. */
  markDue(source: string, at: number): void;
}

/** A stack, and how often it is looked at. */
export interface StackView {
  readonly record: StackRecord;
  readonly intervalMs: number;
  /** Whether anybody can approve what waits; missing = nobody knows. */
  readonly approvable?: boolean;
}
