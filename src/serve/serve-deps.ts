import type { Clock } from "../api/client.js";
import type { AccountOutcome, AccountPassInput, PassApprovals, PassDeps } from "./pass/pass.js";
import type { ServeEvent } from "./serve-events.js";
import type { FleetAccount, FleetEntry, StackTarget } from "./fleet/fleet.js";
import type { ApprovalReader } from "./git/source-reader.js";
import type { SourceReader } from "./git/source-reader.js";
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
  readonly expand: ExpandEntries;
  /** What a configuration claims for its stack; null = it is broken, or asks for what it may not have. */
  readonly readClaims: (target: StackTarget, configuration: string) => StackClaims | null;
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

export interface FoundConfigs {
  readonly entry: FleetEntry;
  readonly configs: readonly { readonly path: string; readonly match: string | null }[];
}

/** What the entries of one source stand for. A target with a problem is still a target: it fails, and says why. */
export interface ExpandedEntries {
  readonly targets: readonly StackTarget[];
  readonly problems: readonly { readonly stack: string; readonly message: string }[];
}

export type ExpandEntries = (found: readonly FoundConfigs[]) => ExpandedEntries;

/** What of its account a target claims beside what the fleet file says. */
export interface StackClaims {
  /** The marker that the entry, or else its configuration, gives it; null = its pass will tell what is wrong. */
  readonly marker: string | null;
  readonly previousStacks: readonly string[];
}

export function jittered(ms: number, random: () => number): number {
  return ms * (0.9 + 0.2 * random());
}
