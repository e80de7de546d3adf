import type { Json } from "../../core/json.js";
import type { MaxDeletes } from "../../plan/plan-context.js";
import type { Window } from "../decide/windows.js";

export interface FleetPlace {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** A file is absolute, and read again whenever it is needed. */
export type SecretSource = { readonly file: string } | { readonly env: string };

/** Durations are milliseconds, paths absolute. */
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
  readonly pin: string | null;
  readonly accept: readonly string[];
  readonly pollMs: number;
  readonly credentials: SecretSource | null;
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
  readonly config: string;
  readonly environment: string | null;
  readonly account: string;
  /** `*` stands for what the pattern matched; null = what the configuration says. */
  readonly stack: string | null;
  readonly secrets: string | null;
  readonly variables: { readonly [name: string]: Json };
  readonly allow: {
    readonly previousStacks: readonly string[];
    readonly adopt: readonly string[];
    readonly modulesOf: readonly string[];
    readonly guards: readonly ("maxDeletes" | "allow")[];
  };
  readonly policy: StackPolicy;
  readonly place: FleetPlace;
}

export type Autonomy = "never" | "none" | "cosmetic" | "routing" | "security";

export interface StackPolicy {
  readonly intervalMs: number;
  readonly apply: { readonly commit: Autonomy; readonly drift: Autonomy };
  readonly windows: readonly Window[];
  readonly suspend: { readonly until: number | null; readonly reason: string } | null;
  readonly approvers: string | null;
  readonly brake: {
    readonly stacks: MaxDeletes;
    readonly deletesPerDay: number;
    readonly writers: number;
    readonly release: readonly string[];
  };
  readonly deadlineMs: number;
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

export interface StackTarget extends Pick<FleetEntry, "name" | "config" | "stack" | "secrets"> {
  readonly entry: FleetEntry;
}

export function isPattern({ config }: Pick<FleetEntry, "config">): boolean {
  return config.includes("*");
}

export function targetOf(entry: FleetEntry): StackTarget {
  const { config, name, secrets, stack } = entry;
  return { name, entry, config, stack, secrets };
}

export function entryFinder({ entries }: Pick<Fleet, "entries">): (stack: string) => FleetEntry | undefined {
  const byName = new Map(entries.map((entry) => [entry.name, entry]));
  return (stack) => {
    const [name = ""] = stack.split("/", 1);
    const entry = byName.get(name);
    return entry !== undefined && isPattern(entry) === (name !== stack) ? entry : undefined;
  };
}

/** Two names for one address and one key are one account. */
export function accountIdentity({ baseUrl, key }: Pick<FleetAccount, "baseUrl" | "key">): string {
  return JSON.stringify([baseUrl, "file" in key ? key.file : null, "env" in key ? key.env : null]);
}

export function placeText({ file, line, column }: FleetPlace): string {
  return `${file}:${line}:${column}`;
}

export function lineOf({ name, place }: Pick<FleetEntry, "name" | "place">): string {
  return `stacks.${name} (${placeText(place)})`;
}
