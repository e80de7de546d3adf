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
  /** From 0 to below 1. */
  readonly random: () => number;
  readonly store: ServeStore;
  readonly reader: SourceReader;
  /** Absent = nothing can be approved. */
  readonly approvals?: ApprovalReader & { readonly draw: PassApprovals["draw"] };
  readonly connect: PassDeps["connect"];
  readonly pass: (input: AccountPassInput, deps: PassDeps) => Promise<AccountOutcome>;
  readonly expand: ExpandEntries;
  /** What a configuration claims for its stack; null = it is broken, or asks for what it may not have. */
  readonly readClaims: (target: StackTarget, configuration: string) => StackClaims | null;
  readonly emit: (event: ServeEvent) => void;
  /** Called when a notification waits to be sent. Absent = none is. */
  readonly onOutbox?: () => void;
  /** The requests of the last minute, by account, so that processes share its limit. Absent = they don't. */
  readonly traffic?: AccountTraffic;
  /** Masks secrets in texts that come from elsewhere. */
  readonly mask: (text: string) => string;
  /** Decide and say, write nothing to the service. */
  readonly dryRun: boolean;
}

/** How many requests were sent to an account in the last minute. */
export interface AccountTraffic {
  /** By this process. */
  sentLately(account: FleetAccount): number;
  /** By others: they count towards the account's limit here. */
  countOthers(account: FleetAccount, count: number): void;
}

/** An entry of the fleet file, with the configurations that the source's commit holds for it. */
export interface FoundConfigs {
  readonly entry: FleetEntry;
  /** `match`: what the `*` matched; null for an entry that names one configuration. */
  readonly configs: readonly { readonly path: string; readonly match: string | null }[];
}

/** What the entries of one source stand for. A target with a problem is still a target: it fails, and says why. */
export interface ExpandedEntries {
  readonly targets: readonly StackTarget[];
  readonly problems: readonly { readonly stack: string; readonly message: string }[];
}

/** Entries and configurations to targets. Pure. */
export type ExpandEntries = (found: readonly FoundConfigs[]) => ExpandedEntries;

/** What of its account a target claims beside what the fleet file says. */
export interface StackClaims {
  /** The marker that the entry, or else its configuration, gives it; null = its pass will tell what is wrong. */
  readonly marker: string | null;
  /** Former markers whose resources it takes. */
  readonly previousStacks: readonly string[];
}

/** How long until something that is done about every `ms` is done again: ±10 %, so that what began together parts. */
export function jittered(ms: number, random: () => number): number {
  return ms * (0.9 + 0.2 * random());
}
