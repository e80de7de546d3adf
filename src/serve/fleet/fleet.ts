import type { Json } from "../../core/json.js";
import type { MaxDeletes } from "../../plan/options.js";
import type { Window } from "../decide/windows.js";

export interface FleetPlace {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** A file or an environment variable that holds a secret. A file is absolute and read again whenever it is needed. */
export type SecretSource = { readonly file: string } | { readonly env: string };

/** The operator's file, loaded and checked (schemas/fleet.schema.json). Durations are milliseconds, paths absolute. */
export interface Fleet {
  readonly file: string;
  readonly pause: boolean;
  readonly sources: ReadonlyMap<string, FleetSource>;
  readonly accounts: ReadonlyMap<string, FleetAccount>;
  readonly entries: readonly FleetEntry[];
  readonly forgotten: ReadonlySet<string>;
  readonly http: FleetHttp;
  readonly notify: readonly FleetNotification[];
  readonly historyMs: number;
}

export interface FleetSource {
  readonly name: string;
  readonly git: string;
  readonly ref: string;
  /** A full commit id that is followed instead of the tip; null = the tip is followed. */
  readonly pin: string | null;
  /** Full ids of tips that are followed although they do not descend from the last followed commit. */
  readonly accept: readonly string[];
  readonly pollMs: number;
  readonly credentials: SecretSource | null;
  /** The file of allowed signers (Git's ssh format), absolute; null = unsigned tips are followed. */
  readonly signedBy: string | null;
  readonly hook: SecretSource | null;
  readonly place: FleetPlace;
}

export interface FleetAccount {
  readonly name: string;
  readonly baseUrl: string;
  readonly versionHeader: string;
  readonly moduleEndpoints: readonly string[];
  readonly key: SecretSource;
  readonly requestsPerMinute: number | null;
  readonly place: FleetPlace;
}

export interface FleetEntry {
  readonly name: string;
  readonly source: string;
  /** The path of its configuration in the source; with one `*`, of the configurations of all its stacks. */
  readonly config: string;
  readonly environment: string | null;
  readonly account: string;
  /** The marker; `*` in it stands for what the pattern matched; null = what the configuration says. */
  readonly stack: string | null;
  /** The directory that holds its secrets, absolute; `*` as in `stack`; null = it sees none. */
  readonly secrets: string | null;
  readonly variables: { readonly [name: string]: Json };
  readonly allow: StackAllowance;
  readonly policy: StackPolicy;
  readonly place: FleetPlace;
}

export interface StackAllowance {
  readonly previousStacks: readonly string[];
  readonly adopt: readonly string[];
  /** Ids of HTTPS edges whose modules (and those of their routes) it may manage. */
  readonly modulesOf: readonly string[];
  readonly guards: readonly ("maxDeletes" | "allow")[];
}

/** The worst impact that is carried out unasked. */
export type Autonomy = "never" | "none" | "cosmetic" | "routing" | "security";

/** How a stack is kept; `defaults` of the file are merged in. */
export interface StackPolicy {
  readonly intervalMs: number;
  readonly apply: { readonly commit: Autonomy; readonly drift: Autonomy };
  readonly windows: readonly Window[];
  readonly suspend: { readonly until: number | null; readonly reason: string } | null;
  /** The file of allowed signers whose tags approve, absolute; null = nothing can be approved. */
  readonly approvers: string | null;
  readonly brake: BrakePolicy;
  readonly deadlineMs: number;
}

export interface BrakePolicy {
  readonly stacks: MaxDeletes;
  readonly deletesPerDay: number;
  readonly writers: number;
  readonly release: readonly string[];
}

export interface FleetHttp {
  readonly host: string;
  readonly port: number;
  readonly token: SecretSource | null;
}

export const notificationKinds = ["drift", "waiting", "failed", "recovered", "braked", "orphaned"] as const;

export interface FleetNotification {
  readonly url: SecretSource;
  readonly on: readonly (typeof notificationKinds)[number][];
}

export interface StackTarget {
  /** Unique in the fleet: the entry's name, or `entry/match`. */
  readonly name: string;
  readonly entry: FleetEntry;
  readonly config: string;
  /** The marker; null = what the configuration says. */
  readonly stack: string | null;
  readonly secrets: string | null;
}

/** Whether an entry stands for one stack of each match. */
export function isPattern({ config }: Pick<FleetEntry, "config">): boolean {
  return config.includes("*");
}

/** The stack of an entry that is no pattern. */
export function targetOf(entry: FleetEntry): StackTarget {
  const { config, name, secrets, stack } = entry;
  return { name, entry, config, stack, secrets };
}

/** Finds the entry that a stack's name is of, whether or not a commit describes the stack. */
export function entryFinder({ entries }: Pick<Fleet, "entries">): (stack: string) => FleetEntry | undefined {
  const byName = new Map(entries.map((entry) => [entry.name, entry]));
  return (stack) => {
    const [name = ""] = stack.split("/", 1);
    const entry = byName.get(name);
    return entry !== undefined && isPattern(entry) === (name !== stack) ? entry : undefined;
  };
}

/**
 * Names an account by what it is, not by what it is called: two names for one address and one key are one account, and a
 * marker means the same in both.
 */
export function accountIdentity({ baseUrl, key }: Pick<FleetAccount, "baseUrl" | "key">): string {
  return JSON.stringify([baseUrl, "file" in key ? key.file : null, "env" in key ? key.env : null]);
}

export function placeText({ file, line, column }: FleetPlace): string {
  return `${file}:${line}:${column}`;
}

/** An entry and its place, as messages name them: `stacks.prod (fleet.yaml:8:3)`. */
export function lineOf({ name, place }: Pick<FleetEntry, "name" | "place">): string {
  return `stacks.${name} (${placeText(place)})`;
}
