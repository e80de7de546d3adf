import type { Json } from "../../core/json.js";
import type { MaxDeletes } from "../../plan/plan-context.js";
import type { Window } from "../decide/windows.js";

export type FleetPlace = Readonly<{ file: string; line: number; column: number }>;

/** A file is absolute, and read again whenever it is needed. */
export type SecretSource = { readonly file: string } | { readonly env: string };

/** Durations are milliseconds, paths absolute. */
export type Fleet = Readonly<{
  file: string;
  pause: boolean;
  sources: ReadonlyMap<string, FleetSource>;
  accounts: ReadonlyMap<string, FleetAccount>;
  entries: readonly FleetEntry[];
  forgotten: ReadonlySet<string>;
  http: FleetHttp;
  notify: readonly FleetNotification[];
  historyMs: number;
}>;

export type FleetSource = Readonly<{
  name: string;
  git: string;
  ref: string;
  pin: string | null;
  accept: readonly string[];
  pollMs: number;
  credentials: SecretSource | null;
  signedBy: string | null;
  hook: SecretSource | null;
  place: FleetPlace;
}>;

export type FleetAccount = Readonly<{
  name: string;
  baseUrl: string;
  versionHeader: string;
  moduleEndpoints: readonly string[];
  key: SecretSource;
  requestsPerMinute: number | null;
  place: FleetPlace;
}>;

export type FleetEntry = Readonly<{
  name: string;
  source: string;
  config: string;
  environment: string | null;
  account: string;
  /** `*` stands for what the pattern matched; null = what the configuration says. */
  stack: string | null;
  secrets: string | null;
  variables: { readonly [name: string]: Json };
  allow: Readonly<{
    previousStacks: readonly string[];
    adopt: readonly string[];
    modulesOf: readonly string[];
    guards: readonly ("maxDeletes" | "allow")[];
  }>;
  policy: StackPolicy;
  place: FleetPlace;
}>;

export type Autonomy = "never" | "none" | "cosmetic" | "routing" | "security";

export type StackPolicy = Readonly<{
  intervalMs: number;
  apply: Readonly<{ commit: Autonomy; drift: Autonomy }>;
  windows: readonly Window[];
  suspend: Readonly<{ until: number | null; reason: string }> | null;
  approvers: string | null;
  brake: Readonly<{
    stacks: MaxDeletes;
    deletesPerDay: number;
    writers: number;
    release: readonly string[];
  }>;
  deadlineMs: number;
}>;

export type FleetHttp = Readonly<{ host: string; port: number; token: SecretSource | null }>;

export const notificationKinds = ["drift", "waiting", "failed", "recovered", "braked", "orphaned"] as const;

export type FleetNotification = Readonly<{
  url: SecretSource;
  on: readonly (typeof notificationKinds)[number][];
}>;

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
