import type { Clock } from "../api/client.js";
import type { AccountOutcome, AccountPassInput, PassApprovals, PassDeps } from "./pass/pass.js";
import type { ServeEvent } from "./serve-events.js";
import type { FleetAccount } from "./fleet/fleet.js";
import type { ApprovalReader, SourceReader } from "./git/source-reader.js";
import type { ServeStore } from "./store/store.js";

/** Everything that the loop needs from the outside. With all of it simulated, a year passes in a second. */
export interface ServeDeps {
  /** Shows the time on the wall, which somebody may set: windows and records are about that time. */
  readonly clock: Clock;
  /** Measures pauses: setting the time on the wall does not move it. Absent = nobody sets that. */
  readonly steadyClock?: Clock;
  readonly random: () => number;
  readonly store: ServeStore;
  readonly reader: SourceReader;
  readonly approvals?: ApprovalReader & { readonly draw: PassApprovals["draw"] };
  readonly connect: PassDeps["connect"];
  readonly pass: (input: AccountPassInput, deps: PassDeps) => Promise<AccountOutcome>;
  readonly emit: (event: ServeEvent) => void;
  readonly onOutbox?: () => void;
  readonly traffic?: AccountTraffic;
  readonly mask: (text: string) => string;
  readonly dryRun: boolean;
}

export interface AccountTraffic {
  sentLately(account: FleetAccount): number;
  /** By others: they count towards the account's limit here. */
  countOthers(account: FleetAccount, count: number): void;
}

export function jittered(ms: number, random: () => number): number {
  return ms * (0.9 + 0.2 * random());
}
