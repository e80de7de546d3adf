import type { StackTarget } from "./fleet/fleet.js";
import type { Address } from "../kinds/names.js";
import type { Impact } from "../kinds/impact.js";
import type { OperationResult } from "../apply/result.js";
import type { SourcePlaces } from "../plan/plan-secrets.js";
import type { Action } from "../plan/plan-format.js";

export const stackStates = ["synced", "pending", "waiting", "refused", "failed", "orphaned", "unknown"] as const;

export type StackState = (typeof stackStates)[number];

export const waitReasons = ["approval", "window", "suspended", "paused", "brake", "locked", "rewound"] as const;

export type WaitReason = (typeof waitReasons)[number];

export type ChangeOrigin = "commit" | "drift" | "both";

export interface ShownState {
  readonly state: StackState;
  readonly reason: WaitReason | null;
  readonly message: string;
}

export interface StackStatus extends ShownState {
  readonly since: number;
  readonly commit: string | null;
  readonly appliedCommit: string | null;
  readonly lookedAt: number | null;
  readonly impact: Impact;
  readonly changes: { readonly [O in ChangeOrigin]: number };
  readonly digest: string | null;
  readonly nextLook: number;
  readonly uncomparedSecrets: number;
}

export interface StackMemory {
  /** By address: the fingerprints of both sides when they were last in sync. */
  readonly synced: { readonly [address: string]: string };
  readonly ids?: { readonly [address: string]: string };
  /** By address: the places in policies whose live texts may come from secrets. */
  readonly sources?: SourcePlaces;
  readonly failures: number;
  readonly failing?: boolean;
  /** Within the last 24 hours; recorded before the delete is sent. */
  readonly deletes: readonly number[];
  /** Within the last hour, by `Kind/name path`. */
  readonly restored: { readonly [field: string]: readonly number[] };
  /** What differed at the first look after an outage, by address. */
  readonly sighted: { readonly [address: string]: string } | null;
  /** Git could not be read at the last pass. */
  readonly blind: boolean;
  readonly contested: { readonly [field: string]: { readonly since: number; readonly lastSeen: number } };
  /** At a start: a pass was cut off, and a request of it may still be on its way. */
  readonly writing?: { readonly since: number } | null;
  readonly approval?: ApprovalMemory;
}

export interface ApprovalMemory {
  readonly key: string;
  readonly waiting: WaitingEffect | null;
  readonly spending: readonly SpentApproval[];
  readonly spent: readonly { readonly tag: string; readonly digest: string }[];
}

export interface WaitingEffect {
  readonly nonce: string;
  readonly digest: string;
  readonly baseUrl: string;
  readonly marker: string;
  readonly sides: readonly EffectSide[];
}

export interface EffectSide {
  readonly address: Address;
  readonly desired: string | null;
  readonly lost: string | null;
  readonly secrets: readonly SecretEffect[];
}

export interface SecretEffect {
  readonly reference: string;
  readonly source: string;
  readonly hmac: string | null;
}

export interface SpentApproval extends Approval {
  readonly at: number;
  readonly changes: readonly ApprovedChange[];
}

export interface Approval {
  readonly tag: string;
  readonly digest: string;
  readonly approver: string;
  readonly message: string;
}

export interface ApprovedChange extends Omit<EffectSide, "secrets"> {
  readonly action: Action;
  readonly id: string | null;
  readonly parts: readonly string[];
}

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

export interface StackRecord {
  readonly name: string;
  readonly account: string;
  readonly source: string;
  readonly stack: string | null;
  readonly status: StackStatus;
  readonly memory: StackMemory;
}

export interface AccountRecord {
  readonly name: string;
  readonly brake: Brake | null;
  /** When its lists could not be read for the last time: the first look since writes nothing. 0 = never. */
  readonly blindAt: number;
  readonly heals: { readonly [stack: string]: number };
  /** Stacks of released brakes: they don't count again until they were once in order. */
  readonly released: readonly string[];
}

export function newAccountRecord(name: string): AccountRecord {
  return { name, brake: null, blindAt: 0, heals: {}, released: [] };
}

export interface Brake {
  readonly id: string;
  readonly cause: "stacks" | "blind";
  readonly message: string;
  readonly since: number;
  readonly lastSeen: number;
  readonly quietMs: number;
}

export interface SourceRecord {
  readonly name: string;
  readonly followed: string | null;
  /** With another address or ref, what was followed says nothing. */
  readonly origin?: string;
  readonly checked?: { readonly signedBy: string; readonly configs: readonly string[] } | null;
  readonly tip: string | null;
  readonly fetchedAt: number | null;
  readonly problem: SourceProblem | null;
}

export interface SourceProblem {
  readonly code: "unreachable" | "missing" | "rewound" | "unsigned" | "too-large" | "unusable";
  readonly message: string;
  readonly since: number;
}

export interface HistoryEntry {
  readonly at: string;
  readonly stack: string;
  readonly commit: string | null;
  readonly event: string;
  readonly outcome: string;
  readonly impact: Impact;
  readonly operations: readonly OperationResult[];
  readonly approval: (Approval & { readonly at: string }) | null;
  readonly message: string;
}
