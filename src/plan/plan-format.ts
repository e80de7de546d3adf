import { createHash } from "node:crypto";
import type { Json } from "../core/json.js";
import { Secret } from "../core/secret.js";
import { type ImpactReason, noImpact, worstOf } from "../kinds/impact.js";
import type { Address } from "../kinds/names.js";

export type Action = "create" | "update" | "replace" | "delete" | "adopt" | "orphan";

/** `unknown`: a secret that was rotated or changed live. */
export type Origin = "desired" | "drift" | "both" | "unknown";

export type FieldChange = ImpactReason &
  Readonly<{
    /** `spec.hostports`, `spec.tls_termination.min_version`, `metadata.marker`. */
    path: string;
    before: Json;
    after: Json;
    sensitive?: boolean;
    unknown?: boolean;
    /** Sources of secrets in `after`. */
    unavailable?: readonly string[];
    /** Why it is changed without being named. */
    note?: string;
    origin?: Origin | null;
  }>;

export type Change = ImpactReason &
  Readonly<{
    address: Address;
    action: Action;
    /** Of a replace, the old one's. */
    id: string | null;
    source: Readonly<{ file: string; line: number }> | null;
    fields: readonly FieldChange[];
    origin: Origin | null;
    notes: readonly string[];
  }>;

export type Binding = Readonly<{ address: Address; part: "id" | "addr" }> | { readonly secret: string };

/** `same`: the resource's step before; `last`: it need only have ended. */
export type WaitReason = "same" | "use" | "unuse" | "free" | "late" | "last";

export type OperationKind = "create" | "patch" | "module-put" | "module-delete" | "delete";

export type OperationRequest = Readonly<{
  kind: OperationKind;
  method: "POST" | "PATCH" | "PUT" | "DELETE";
  path: string;
  pathBind?: Readonly<{ address: Address; part: "id" }>;
  address: Address;
  resourceId: string | null;
  body: Json;
  /** By JSON pointer into `body`. */
  bind: { readonly [pointer: string]: Binding };
}>;

export type Operation = OperationRequest &
  Readonly<{
    /** The plan could be run one by one in this order. */
    id: string;
    after: readonly string[];
    waits: { readonly [operation: string]: WaitReason };
    why: string | null;
    /** What live must still say right before something is removed. */
    expects?: Expectation;
    /** Of a release that breaks a cycle. */
    temporary?: HandOver;
    /** Of other releases, and deletes. */
    handsOver?: HandOver;
  }>;

export type Expectation = Readonly<{
  fingerprint: string;
  referrers?: readonly string[];
}>;

export type HandOver = Readonly<{
  /** Null after a delete. */
  restore: Json;
  takers: readonly string[];
  claims?: { readonly [claim: string]: string };
}>;

export type Precondition = Readonly<{
  address: Address;
  id: string;
  fingerprint: string;
  ignore?: readonly string[];
}>;

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

export type Refusal = Readonly<{
  code: RefusalCode;
  address?: Address;
  policy?: string;
  /** When only what this stack does not own is the reason. */
  stacks?: readonly string[];
  message: string;
  remedy: string;
  /** `desired`: the base's manifests would not be refused so. */
  origin?: "desired" | "drift";
}>;

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
  "verify-failed",
  "verify-interrupted",
] as const;

export type WarningCode = (typeof warningCodes)[number] | RefusalCode | `allowed-${RefusalCode}`;

export type Warning = Readonly<{
  code: WarningCode;
  message: string;
  address?: string;
}>;

export type Summary = { readonly [A in Action | "unchanged"]: number };

export type Selection = Readonly<{
  only: readonly Address[] | null;
  exclude?: readonly Address[];
  labels: readonly string[];
  files: readonly string[] | null;
  prune: boolean;
}>;

export type Relaxations = Readonly<{
  allow: readonly string[];
  maxDeletes: string | null;
  allowEmpty: boolean;
  takeOver: boolean;
  destroy: boolean;
}>;

export type Lifted = Readonly<{
  code: RefusalCode;
  address: Address;
  policy?: string;
}>;

export type UnavailableSecret = Readonly<{
  address: Address;
  source: string;
}>;

export type Provenance = Readonly<{
  commit: string | null;
  ref?: string;
  selection: Selection;
  relaxations: Relaxations;
  comparedWith?: string;
}>;

export const unspecified: Provenance = {
  commit: null,
  selection: { only: null, labels: [], files: null, prune: true },
  relaxations: { allow: [], maxDeletes: null, allowEmpty: false, takeOver: false, destroy: false },
};

/** The plan as data (schemas/plan.schema.json). Holds no secret. */
export type Plan = Provenance &
  Readonly<{
    format: "edgewise.plan/v1";
    stack: string;
    baseUrl: string;
    toolVersion: string;
    hash: string;
    summary: Summary;
    changes: readonly Change[];
    operations: readonly Operation[];
    preconditions: readonly Precondition[];
    refusals: readonly Refusal[];
    warnings: readonly Warning[];
    rehearsal: Readonly<{ converges: boolean; steps: number }> | null;
    unserved?: readonly string[];
    lifted: readonly Lifted[];
    /** They count as unchanged, or as `unknown`. */
    unavailableSecrets: readonly UnavailableSecret[];
    base?: string;
  }>;

export type ShownCommit = Readonly<{
  commit: string;
  ref: string;
}>;

/** Null = made from what is on disk. */
export function shownCommit({ commit, ref }: Partial<Pick<Provenance, "commit" | "ref">>): ShownCommit | null {
  return ref === undefined || commit === undefined || commit === null ? null : { commit, ref };
}

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

export function moduleAt(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
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

/** A checksum, not a signature. */
export function hashPlan(plan: Omit<Plan, "hash" | "toolVersion">): string {
  const { hash: _hash, toolVersion: _version, ...rest } = plan as Plan;
  return fingerprint(rest);
}
