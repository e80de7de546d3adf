import type { Impact } from "../kinds/impact.js";
import { addressOf } from "../kinds/names.js";
import type { Live } from "../live/live.js";
import type { Manifest } from "../manifest/manifest.js";
import { listFew } from "../text/layout.js";
import { deadReferences } from "./dead-references.js";
import { identityOf, identityTexts } from "./inventory.js";
import { type LiveIndex, type LiveResource, addressOfLive, indexLive, withoutDisabled } from "./live-index.js";
import {
  type Action,
  type Change,
  type FieldChange,
  type Plan,
  type RefusalCode,
  type Warning,
  shownCommit,
  worstImpact,
} from "./plan-format.js";

export const findingTypes = [
  "missing",
  "modified",
  "unexpected",
  "unmanaged",
  "expiring",
  "dangling",
  "pending",
] as const;

/**
 * What kind of drift it is. `modified`: fields differ; `missing`: a manifest has no live resource; `unexpected`: the
 * stack owns a live resource that no manifest describes; `unmanaged`: no stack owns it; `expiring`: a certificate that
 * expires soon; `dangling`: the stack owns a live resource that refers to something that is gone; `pending`: merged after
 * the commit that was applied last, and not drift.
 */
export type FindingType = (typeof findingTypes)[number];

/** One way in which live and manifests differ. A resource of which only a part is pending has two. */
export interface Finding {
  /** `TLSEdge/api`; for a resource that no manifest names, `TLSEdge/<id>`. */
  readonly address: string;
  readonly id: string | null;
  readonly type: FindingType;
  /** As in a plan: `before` is live, `after` is what the manifest says. */
  readonly fields: readonly FieldChange[];
  /** Where the manifest is, when there is one. */
  readonly source: { readonly file: string; readonly line: number } | null;
  readonly message: string;
  readonly impact: Impact;
}

/** What `drift` found, as data (schemas/drift.schema.json). */
export interface Drift {
  readonly format: "edgewise.drift/v1";
  readonly stack: string;
  readonly baseUrl: string;
  readonly toolVersion: string;
  /** Whether there are no findings but pending ones. */
  readonly clean: boolean;
  readonly findings: readonly Finding[];
  readonly warnings: readonly Warning[];
  /** The commit that `--base` names, when there was one: it was applied last. */
  readonly base?: string;
  /** The commit whose manifests were read, with `--ref`. */
  readonly commit?: string;
  /** The value of `--ref`. */
  readonly ref?: string;
}

export interface DriftOptions {
  readonly stack: string;
  readonly previousStacks: readonly string[];
  /** Whether resources that no stack owns are findings. */
  readonly unmanaged: boolean;
  /** A certificate that expires within this time is a finding, in milliseconds; null = never. */
  readonly expiresWithinMs: number | null;
  /** Only these addresses are looked at for references that dangle; null or absent = all. */
  readonly only?: readonly string[] | null;
  /** The time now, in milliseconds since 1970. */
  readonly now: number;
  /** What the manifests describe, changed or not; absent = findings name only the source of what changed. */
  readonly desired?: readonly Pick<Manifest, "address" | "source">[];
  /** The same changes with the impact of applying them, when the plan has a base. They describe what is pending. */
  readonly unapplied?: readonly Change[];
}

/**
 * Turns a plan into drift findings: how live differs from the manifests. Of a plan with a base, what the manifests alone
 * changed since is pending.
 */
export function driftOf(plan: Plan, live: Live, options: DriftOptions): Drift {
  const index = indexLive(live, options);
  const sources = new Map<string, Finding["source"]>();
  for (const { address, source } of [...(options.desired ?? []), ...plan.changes]) sources.set(address, source);
  const touched = new Set(plan.changes.map((change) => change.id));
  const unapplied = new Map((options.unapplied ?? []).map((change) => [change.address, change]));
  const findings = plan.changes.flatMap((change) => findingsOf(change, unapplied.get(change.address) ?? change));
  const dangling = danglingFindings({ plan, live, index, sources, only: options.only ?? null });
  // A refusal may leave a difference without a change.
  const reported = new Set<string>([...plan.changes, ...dangling].map(({ address }) => address));
  for (const refusal of plan.refusals) {
    const { code, address, message, origin } = refusal;
    const type = typesOfRefusals[code];
    if (type === undefined || address === undefined || reported.has(address)) continue;
    const isPending = origin === "desired";
    findings.push({
      address,
      id: null,
      type: isPending ? "pending" : type,
      fields: [],
      source: sources.get(address) ?? null,
      impact: "none",
      message: isPending
        ? `${address} was changed in its manifest since the last apply, and the next one is refused: ${message}`
        : `${address}: ${message}`,
    });
  }
  for (const resource of index.all) {
    if (
      options.unmanaged &&
      resource.kind.collection !== null &&
      resource.marker === null &&
      (resource.kind.managedByService?.(resource.wire) ?? null) === null &&
      !touched.has(resource.id)
    ) {
      findings.push(unmanagedFinding(resource));
    }
    const expiring = options.expiresWithinMs === null ? null : expiry(resource, options.expiresWithinMs, options.now);
    if (expiring !== null) {
      const address = addressOfLive(resource);
      findings.push({
        ...findingBase(resource, address),
        type: "expiring",
        message: expiring,
        source: sources.get(address) ?? null,
      });
    }
  }
  findings.push(...dangling);
  const { stack, baseUrl, toolVersion, base } = plan;
  const warnings = plan.warnings.filter(({ code }) => !aboutApplying.has(code));
  const clean = findings.every(({ type }) => type === "pending");
  return {
    format: "edgewise.drift/v1",
    stack,
    baseUrl,
    toolVersion,
    clean,
    findings,
    warnings,
    ...(base === undefined ? {} : { base }),
    ...shownCommit(plan),
  };
}

/** The codes of warnings about the operations of a plan: nothing is applied here. */
const aboutApplying: ReadonlySet<string> = new Set(["traffic-gap", "referrers-invisible", "module-disabled"]);

const typesOfActions: { readonly [A in Action]: FindingType } = {
  create: "missing",
  update: "modified",
  replace: "modified",
  adopt: "modified",
  delete: "unexpected",
  orphan: "unexpected",
};

/** The refusals that mean a difference between live and the manifests. */
const typesOfRefusals: { readonly [C in RefusalCode]?: FindingType } = {
  "id-not-live": "missing",
  "duplicate-marker": "unexpected",
  "ownership-conflict": "modified",
  "reference-not-live": "dangling",
};

/**
 * The resources of the stack that refer to what is gone, save those that the configuration allows to. A module that is
 * off refers to nothing.
 */
function danglingFindings({
  plan,
  live,
  index,
  sources,
  only,
}: {
  readonly plan: Plan;
  readonly live: Live;
  readonly index: LiveIndex;
  readonly sources: ReadonlyMap<string, Finding["source"]>;
  readonly only: readonly string[] | null;
}): readonly Finding[] {
  const allowed = new Set(plan.lifted.flatMap(({ code, address }) => (code === "reference-not-live" ? [address] : [])));
  return index.all.flatMap((resource): Finding[] => {
    const address = addressOfLive(resource);
    if (!resource.owned || allowed.has(address) || only?.includes(address) === false) return [];
    const dead = deadReferences(resource.kind, withoutDisabled(resource.kind, resource.spec), { index, live });
    if (dead.length === 0) return [];
    const gone = dead.map(({ path, target }) => `${target} (${path})`).join(" and ");
    return [
      {
        ...findingBase(resource, address),
        type: "dangling",
        source: sources.get(address) ?? null,
        impact: "routing",
        message: `${address} (${resource.id}) refers to ${gone}, which ${dead.length === 1 ? "is" : "are"} gone`,
      },
    ];
  });
}

/** A change as findings: what the manifests alone changed since the base is pending, the rest is drift. */
function findingsOf(change: Change, unapplied: Change): readonly Finding[] {
  const { action, origin, fields } = change;
  if (origin === "desired") return [pendingFinding(unapplied)];
  const pending = new Set(fields.filter((field) => field.origin === "desired").map(({ path }) => path));
  const live = fields.filter(({ path }) => !pending.has(path));
  if ((action === "delete" || action === "orphan") && origin === "both") {
    const finding = findingOf({ ...partOf(change, live), action: "update" });
    return [
      { ...finding, message: `${finding.message}, which was removed since the last apply` },
      pendingFinding(unapplied),
    ];
  }
  if (!isInParts(action) || pending.size === 0) return [findingOf(change)];
  const merged = unapplied.fields.filter(({ path }) => pending.has(path));
  return [findingOf(partOf(change, live)), pendingFinding(partOf(unapplied, merged))];
}

/** Whether the fields of a change may have come about one by one. */
function isInParts(action: Action): boolean {
  return action === "update" || action === "replace" || action === "adopt";
}

function partOf(change: Change, fields: readonly FieldChange[]): Change {
  return { ...change, fields, ...worstImpact(fields) };
}

function pendingFinding({ address, id, action, source, fields, impact }: Change): Finding {
  const subject = id === null ? address : `${address} (${id})`;
  const message = `${subject} ${pendingWords[action]}${action === "update" ? pathsOf(fields, ": ") : ""}`;
  return {
    address,
    id,
    type: "pending",
    fields: fields.map((field): FieldChange => ({ ...field, origin: "desired" })),
    source,
    message,
    impact,
  };
}

const pendingWords: { readonly [A in Action]: string } = {
  create: "is in a manifest since the last apply: the next one creates it",
  update: "was changed in its manifest since the last apply",
  replace: "was changed in its manifest since the last apply: the next one replaces it",
  adopt: "is in a manifest since the last apply: the next one adopts it",
  delete: "is in no manifest since the last apply: the next one deletes it",
  orphan: "is in no manifest since the last apply: the next one no longer manages it",
};

function findingOf(change: Change): Finding {
  const { address, id, fields, source, impact } = change;
  const type = typesOfActions[change.action];
  return { address, id, type, fields, source, impact, message: messageOf(change, type) };
}

function messageOf({ address, id, action, fields }: Change, type: FindingType): string {
  if (type === "missing") return `${address} is not live, although a manifest describes it`;
  if (type === "unexpected")
    return `${address} (${id ?? ""}) is live and owned by this stack, but no manifest describes it`;
  if (action === "adopt") return `${address} (${id ?? ""}) is live without this stack's marker`;
  return `${address} (${id ?? ""}) differs from its manifest${pathsOf(fields)}`;
}

function pathsOf(fields: readonly FieldChange[], before = " in "): string {
  const paths = fields.map((field) => field.path);
  const shown = paths.length <= 4 ? paths.join(", ") : `${paths.slice(0, 4).join(", ")} and ${paths.length - 4} more`;
  const notes = fields.flatMap(({ note }) => (note === undefined ? [] : [`; ${note}`])).join("");
  return `${shown === "" ? "" : `${before}${shown}`}${notes}`;
}

function unmanagedFinding(resource: LiveResource): Finding {
  const address = addressOf(resource.kind.kind, resource.id);
  const names = listFew(identityTexts(identityOf(resource)), 4);
  return {
    ...findingBase(resource, address),
    type: "unmanaged",
    message: `${address} is live${names === "" ? "" : ` (${names})`}, but it has no marker and no manifest`,
  };
}

function findingBase(resource: LiveResource, address: string): Omit<Finding, "type" | "message"> {
  return { address, id: resource.id, fields: [], source: null, impact: "none" };
}

function expiry(resource: LiveResource, within: number, now: number): string | null {
  const ends = resource.kind.expires?.(resource.wire) ?? null;
  const time = ends === null ? Number.NaN : Date.parse(ends);
  if (ends === null || Number.isNaN(time) || time - now > within) return null;
  const days = Math.floor(Math.abs(time - now) / 86_400_000);
  const count = `${days} ${days === 1 ? "day" : "days"}`;
  const when = time < now ? `expired ${count} ago` : `expires in ${count}`;
  return `${addressOfLive(resource)} ${when} (${ends})`;
}
