import { createHash } from "node:crypto";
import type { Json } from "../core/json.js";
import { Secret } from "../core/secret.js";
import { type ImpactReason, noImpact, worstOf } from "../kinds/impact.js";
import type { Address } from "../kinds/names.js";

export type Action = "create" | "update" | "replace" | "delete" | "adopt" | "orphan";

/** `unknown`: a secret that was rotated or changed live. */
export type Origin = "desired" | "drift" | "both" | "unknown";

export interface FieldChange extends ImpactReason {
  /** `spec.hostports`, `spec.tls_termination.min_version`, `metadata.marker`. */
  readonly path: string;
  readonly before: Json;
  readonly after: Json;
  readonly sensitive?: boolean;
  readonly unknown?: boolean;
  /** Sources of secrets in `after` that are not available here. */
  readonly unavailable?: readonly string[];
  /** Why the manifest asks for it without naming the field. */
  readonly note?: string;
  readonly origin?: Origin | null;
}

export interface Change extends ImpactReason {
  readonly address: Address;
  readonly action: Action;
  /** Null when it is created; for a replace, the id of the old one. */
  readonly id: string | null;
  readonly source: { readonly file: string; readonly line: number } | null;
  readonly fields: readonly FieldChange[];
  readonly origin: Origin | null;
  readonly notes: readonly string[];
}

export type Binding = { readonly address: Address; readonly part: "id" | "addr" } | { readonly secret: string };

/** `same` resource's step before; `unuse`: it stops using what this deletes; `last`: it need only have ended. */
export type WaitReason = "same" | "use" | "unuse" | "free" | "late" | "last";

export type OperationKind = "create" | "patch" | "module-put" | "module-delete" | "delete";

export interface OperationRequest {
  readonly kind: OperationKind;
  readonly method: "POST" | "PATCH" | "PUT" | "DELETE";
  readonly path: string;
  readonly pathBind?: { readonly address: Address; readonly part: "id" };
  readonly address: Address;
  /** Null for creates and for what is made in this run. */
  readonly resourceId: string | null;
  readonly body: Json;
  /** By JSON pointer into `body`. */
  readonly bind: { readonly [pointer: string]: Binding };
}

export interface Operation extends OperationRequest {
  /** In an order in which the plan could be run one by one. */
  readonly id: string;
  readonly after: readonly string[];
  readonly waits: { readonly [operation: string]: WaitReason };
  readonly why: string | null;
  /** What live must still say right before something is removed. */
  readonly expects?: Expectation;
  /** For a release that breaks a cycle. */
  readonly temporary?: HandOver;
  /** For other releases, and deletes. */
  readonly handsOver?: HandOver;
}

export interface Expectation {
  /** Of the resource's or module's normal form, without secrets. */
  readonly fingerprint: string;
  readonly referrers?: readonly string[];
}

export interface HandOver {
  /** The body that takes it back; null after a delete. */
  readonly restore: Json;
  readonly takers: readonly string[];
  readonly claims?: { readonly [claim: string]: string };
}

/** For readers: `apply` plans again and compares. */
export interface Precondition {
  readonly address: Address;
  readonly id: string;
  readonly fingerprint: string;
  /** Paths that the fingerprint leaves out. */
  readonly ignore?: readonly string[];
}

export const refusalCodes = [
  "deletion-protected",
  "irreversible",
  "lockout",
  "too-many-deletes",
  "empty-desired",
  "ownership-conflict",
  "ownership-lost",
  "id-not-live",
  "adopt-needs-replace",
  "duplicate-marker",
  "address-in-use",
  "still-referenced",
  "reference-not-live",
  "ordering-cycle",
  "does-not-converge",
  "stale-plan",
  "locked",
  "policy",
] as const;
export type RefusalCode = (typeof refusalCodes)[number];

export interface Refusal {
  readonly code: RefusalCode;
  readonly address?: Address;
  readonly policy?: string;
  /** When only what this stack does not own is the reason. */
  readonly stacks?: readonly string[];
  readonly message: string;
  readonly remedy: string;
  /** `desired`: the base's manifests would not be refused so. */
  readonly origin?: "desired" | "drift";
}

export const warningCodes = [
  "account-locked",
  "another-exists",
  "id-gone",
  "kind-unreadable",
  "malformed-marker",
  "managed-by-service",
  "module-disabled",
  "module-dropped",
  "not-pruned",
  "referrers-invisible",
  "secret-unavailable",
  "secret-unknown",
  "traffic-gap",
  "unused-allow",
  "changed-meanwhile",
  "events-failed",
  "hostport-unserved",
  "internal-error",
  "lock-left",
  "lock-lost",
  "not-converged",
  "released-hostport-restored",
  "response-differs",
  "restore-failed",
  "secret-not-sent",
  "verify-failed",
  "verify-interrupted",
] as const;

/** Refusals are warnings of the plan that an apply makes afterwards. */
export type WarningCode = (typeof warningCodes)[number] | RefusalCode | `allowed-${RefusalCode}`;

export interface Warning {
  readonly code: WarningCode;
  readonly message: string;
  readonly address?: string;
}

export type Summary = { readonly [A in Action | "unchanged"]: number };

export interface Selection {
  readonly only: readonly string[] | null;
  readonly exclude?: readonly string[];
  readonly labels: readonly string[];
  readonly files: readonly string[] | null;
  readonly prune: boolean;
}

export interface Relaxations {
  readonly allow: readonly string[];
  readonly maxDeletes: string | null;
  readonly allowEmpty: boolean;
  readonly takeOver: boolean;
  readonly destroy: boolean;
}

export interface Lifted {
  readonly code: RefusalCode;
  readonly address: Address;
  readonly policy?: string;
}

export interface UnavailableSecret {
  readonly address: Address;
  readonly source: string;
}

export interface Provenance {
  /** Null outside of a Git work tree. */
  readonly commit: string | null;
  readonly ref?: string;
  readonly selection: Selection;
  readonly relaxations: Relaxations;
  /** The value of `--base` with `--offline`. */
  readonly comparedWith?: string;
}

export const unspecified: Provenance = {
  commit: null,
  selection: { only: null, labels: [], files: null, prune: true },
  relaxations: { allow: [], maxDeletes: null, allowEmpty: false, takeOver: false, destroy: false },
};

/** The plan as data (schemas/plan.schema.json). Holds no secret. */
export interface Plan extends Provenance {
  readonly format: "edgewise.plan/v1";
  readonly stack: string;
  readonly baseUrl: string;
  readonly toolVersion: string;
  readonly hash: string;
  readonly summary: Summary;
  readonly changes: readonly Change[];
  readonly operations: readonly Operation[];
  readonly preconditions: readonly Precondition[];
  readonly refusals: readonly Refusal[];
  readonly warnings: readonly Warning[];
  readonly rehearsal: { readonly converges: boolean; readonly steps: number } | null;
  /** Hostports that nothing serves any more. */
  readonly unserved?: readonly string[];
  readonly lifted: readonly Lifted[];
  /** They count as unchanged, or as `unknown`. */
  readonly unavailableSecrets: readonly UnavailableSecret[];
  readonly base?: string;
}

export interface ShownCommit {
  readonly commit: string;
  readonly ref: string;
}

/** Null = made from what is on disk. */
export function shownCommit({ commit, ref }: Partial<Pick<Provenance, "commit" | "ref">>): ShownCommit | null {
  return ref === undefined || commit === undefined || commit === null ? null : { commit, ref };
}

/** `commit 0123456789ab (HEAD~1)` */
export function commitWords({ commit, ref }: ShownCommit): string {
  const short = commit.slice(0, 12);
  return ref === commit || ref === short ? `commit ${short}` : `commit ${short} (${ref})`;
}

export function summaryOf(changes: readonly Change[], unchanged: number): Summary {
  const counts: Record<Action, number> = { create: 0, update: 0, replace: 0, delete: 0, adopt: 0, orphan: 0 };
  for (const { action } of changes) counts[action] += 1;
  return { ...counts, unchanged };
}

export function worstImpact(changes: readonly FieldChange[]): ImpactReason {
  const { impact, reason } = worstOf<ImpactReason>([noImpact, ...changes]) ?? noImpact;
  return { impact, reason };
}

export function relaxationFlags({ allow, allowEmpty, destroy, maxDeletes, takeOver }: Relaxations): readonly string[] {
  return [
    ...allow.map((address) => `--allow ${address}`),
    ...(maxDeletes === null ? [] : [`--max-deletes ${maxDeletes}`]),
    ...(allowEmpty ? ["--allow-empty"] : []),
    ...(takeOver ? ["--take-over"] : []),
    ...(destroy ? ["--destroy"] : []),
  ];
}

/** Equal values, equal bytes; secrets print as a mask. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (typeof value !== "object" || value === null || value instanceof Secret) return JSON.stringify(value ?? null);
  const object = value as { readonly [member: string]: unknown };
  const names = Object.keys(object).filter((name) => object[name] !== undefined);
  const members = names.sort().map((name) => `${JSON.stringify(name)}:${canonicalJson(object[name])}`);
  return `{${members.join(",")}}`;
}

export function fingerprint(value: unknown): string {
  return `sha256:${createHash("sha256").update(canonicalJson(value), "utf8").digest("hex")}`;
}

/** A checksum, not a signature. The tool's version is left out. */
export function hashPlan(plan: Omit<Plan, "hash" | "toolVersion">): string {
  const { hash: _hash, toolVersion: _version, ...rest } = plan as Plan;
  return fingerprint(rest);
}
