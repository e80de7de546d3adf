import type { Plan } from "../../plan/plan-format.js";
import type { AccountRecord, SourceRecord, StackRecord } from "../records.js";
import type { Trouble } from "../troubles.js";
import type { HistoryPage } from "../store/store.js";

/** What HTTP may see of the loop, and the one thing that it may ask for: `markDue`. */
export interface ServeView {
  /** Every stack of the fleet; one that was never looked at has a status that says so. */
  stacks(): readonly StackView[];
  stack(name: string): StackView | null;
  /** What the last look planned; null = there is nothing to do. */
  plan(stack: string): Promise<Plan | null>;
  history(stack: string, page: { readonly limit: number; readonly after: string | null }): Promise<HistoryPage>;
  sources(): readonly SourceRecord[];
  accounts(): readonly AccountRecord[];
  troubles(): readonly Trouble[];
  passing(): number;
  heartbeat(): number;
  /** Why it is not ready, as sentences. Outages of the service and of Git are no reason. Never throws. */
  unreadiness(): Promise<readonly string[]>;
  markDue(source: string, at: number): void;
}

export interface StackView {
  readonly record: StackRecord;
  readonly intervalMs: number;
  /** Whether anybody can approve what waits; missing = nobody knows. */
  readonly approvable?: boolean;
}
