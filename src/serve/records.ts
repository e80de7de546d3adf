import type { StackTarget } from "./fleet/fleet.js";
import type { Address } from "../kinds/names.js";
import type { Impact } from "../kinds/impact.js";
import type { OperationResult } from "../apply/result.js";
import type { SourcePlaces } from "../plan/plan-secrets.js";
import type { Action } from "../plan/plan-format.js";

/** The worst first. */
export const stackStates = ["failed", "refused", "unknown", "orphaned", "waiting", "pending", "synced"] as const;

export type StackState = (typeof stackStates)[number];

export const waitReasons = ["approval", "window", "suspended", "paused", "brake", "locked", "rewound"] as const;

export type WaitReason = (typeof waitReasons)[number];

export type ChangeOrigin = "commit" | "drift" | "both";

export type ShownState = Readonly<{
  state: StackState;
  reason: WaitReason | null;
  message: string;
}>;

export type StackStatus = ShownState &
  Readonly<{
    since: number;
    commit: string | null;
    appliedCommit: string | null;
    lookedAt: number | null;
    impact: Impact;
    changes: { readonly [O in ChangeOrigin]: number };
    digest: string | null;
    nextLook: number;
    uncomparedSecrets: number;
  }>;

export type StackMemory = Readonly<{
  /** By address: the fingerprints of both sides when they were last in sync. */
  synced: { readonly [address: string]: string };
  ids?: { readonly [address: string]: string };
  /** By address: the places in policies whose live texts may come from secrets. */
  sources?: SourcePlaces;
  failures: number;
  failing?: boolean;
  /** Within the last 24 hours; recorded before the delete is sent. */
  deletes: readonly number[];
  /** Within the last hour, by `Kind/name path`. */
  restored: { readonly [field: string]: readonly number[] };
  /** What differed at the first look after an outage, by address. */
  sighted: { readonly [address: string]: string } | null;
  blind: boolean;
  contested: { readonly [field: string]: Readonly<{ since: number; lastSeen: number }> };
  /** At a start: a pass was cut off, and a request of it may still be on its way. */
  writing?: { readonly since: number } | null;
  approval?: ApprovalMemory;
}>;

export type ApprovalMemory = Readonly<{
  key: string;
  waiting: WaitingEffect | null;
  spending: readonly SpentApproval[];
  spent: readonly Readonly<{ tag: string; digest: string }>[];
}>;

export type WaitingEffect = Readonly<{
  nonce: string;
  digest: string;
  baseUrl: string;
  marker: string;
  sides: readonly EffectSide[];
}>;

export type EffectSide = Readonly<{
  address: Address;
  desired: string | null;
  lost: string | null;
  secrets: readonly SecretEffect[];
}>;

export type SecretEffect = Readonly<{
  reference: string;
  source: string;
  hmac: string | null;
}>;

export type SpentApproval = Approval &
  Readonly<{
    at: number;
    changes: readonly ApprovedChange[];
  }>;

export type Approval = Readonly<{
  tag: string;
  digest: string;
  approver: string;
  message: string;
}>;

export type ApprovedChange = Omit<EffectSide, "secrets"> &
  Readonly<{
    action: Action;
    id: string | null;
    parts: readonly string[];
  }>;

export const newStackMemory: StackMemory = {
  synced: {},
  failures: 0,
  deletes: [],
  restored: {},
  sighted: null,
  blind: false,
  contested: {},
};

export function unknownStatus(now: number): StackStatus {
  const none = { reason: null, commit: null, appliedCommit: null, lookedAt: null, digest: null, uncomparedSecrets: 0 };
  const changes = { commit: 0, drift: 0, both: 0 };
  const message = "not looked at yet";
  return { ...none, state: "unknown", message, since: now, impact: "none", changes, nextLook: now };
}

export function newStackRecord({ entry, name, stack }: StackTarget, now: number): StackRecord {
  const { account, source } = entry;
  return { name, account, source, stack, status: unknownStatus(now), memory: newStackMemory };
}

export type StackRecord = Readonly<{
  name: string;
  account: string;
  source: string;
  stack: string | null;
  status: StackStatus;
  memory: StackMemory;
}>;

export type AccountRecord = Readonly<{
  name: string;
  brake: Brake | null;
  /** When its lists could not be read for the last time; 0 = never. */
  blindAt: number;
  heals: { readonly [stack: string]: number };
  /** Stacks of released brakes, until they were once in order. */
  released: readonly string[];
}>;

export function newAccountRecord(name: string): AccountRecord {
  return { name, brake: null, blindAt: 0, heals: {}, released: [] };
}

export type Brake = Readonly<{
  id: string;
  cause: "stacks" | "blind";
  message: string;
  since: number;
  lastSeen: number;
  quietMs: number;
}>;

export type SourceRecord = Readonly<{
  name: string;
  followed: string | null;
  /** With another address or ref, what was followed says nothing. */
  origin?: string;
  checked?: Readonly<{ signedBy: string; configs: readonly string[] }> | null;
  tip: string | null;
  fetchedAt: number | null;
  problem: SourceProblem | null;
}>;

export type SourceProblem = Readonly<{
  code: "unreachable" | "missing" | "rewound" | "unsigned" | "too-large" | "unusable";
  message: string;
  since: number;
}>;

export type HistoryEntry = Readonly<{
  at: string;
  stack: string;
  commit: string | null;
  event: string;
  outcome: string;
  impact: Impact;
  operations: readonly OperationResult[];
  approval: (Approval & { readonly at: string }) | null;
  message: string;
}>;
