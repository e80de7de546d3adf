import type { Spec } from "../json.js";
import { type Impact, isOn } from "../kinds/impact.js";
import { addressOf } from "../kinds/names.js";
import { NormalForms } from "../kinds/normal-form.js";
import type { Live } from "../live/live.js";
import { deadReferences } from "./dead-references.js";
import { type LiveIndex, type LiveResource, addressOfLive, indexLive } from "./live-index.js";
import type { Action, Change, FieldChange, Plan, RefusalCode, Warning } from "./plan-format.js";

export const findingTypes = ["missing", "modified", "unexpected", "unmanaged", "expiring", "dangling"] as const;

/**
 * What kind of drift it is. `modified`: fields differ; `missing`: a manifest has no live resource; `unexpected`: the
 * stack owns a live resource that no manifest describes; `unmanaged`: no stack owns it; `expiring`: a certificate that
 * expires soon; `dangling`: the stack owns a live resource that refers to something that is gone.
 */
export type FindingType = (typeof findingTypes)[number];

/** One way in which live and manifests differ. */
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
  /** Whether there are no findings. */
  readonly clean: boolean;
  readonly findings: readonly Finding[];
  readonly warnings: readonly Warning[];
}

export interface DriftOptions {
  readonly stack: string;
  readonly previousStacks: readonly string[];
  /** Whether resources that no stack owns are findings. */
  readonly unmanaged: boolean;
  /** A certificate that expires within this time is a finding, in milliseconds; null = never. */
  readonly expiresWithinMs: number | null;
  /** Only these addresses are looked at for references that dangle; null = all. */
  readonly only: readonly string[] | null;
  /** The time now, in milliseconds since 1970. */
  readonly now: number;
}

/**
 * Turns a plan into drift findings: how live differs from the manifests.
 * @param normalForms what was brought to normal form ahead; default: nothing was
 */
export function driftOf(
  plan: Plan,
  live: Live,
  options: DriftOptions,
  normalForms: NormalForms = new NormalForms(),
): Drift {
  const index = indexLive(live, options, normalForms);
  const sources = new Map(plan.changes.map((change) => [change.address, change.source]));
  const touched = new Set(plan.changes.map((change) => change.id));
  const findings: Finding[] = plan.changes.map(findingOf);
  const dangling = danglingFindings({ plan, live, index, sources, only: options.only });
  // A refusal may leave a difference without a change.
  const reported = new Set<string>([...plan.changes, ...dangling].map(({ address }) => address));
  for (const { code, address, message } of plan.refusals) {
    const type = typesOfRefusals[code];
    if (type === undefined || address === undefined || reported.has(address)) continue;
    findings.push({
      address,
      id: null,
      type,
      fields: [],
      source: null,
      impact: "none",
      message: `${address}: ${message}`,
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
  const { stack, baseUrl, toolVersion, warnings } = plan;
  return { format: "edgewise.drift/v1", stack, baseUrl, toolVersion, clean: findings.length === 0, findings, warnings };
}

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
  readonly only: DriftOptions["only"];
}): readonly Finding[] {
  const allowed = new Set(plan.lifted.flatMap(({ code, address }) => (code === "reference-not-live" ? [address] : [])));
  return index.all.flatMap((resource): Finding[] => {
    const address = addressOfLive(resource);
    if (!resource.owned || allowed.has(address) || only?.includes(address) === false) return [];
    const dead = deadReferences(resource.kind, withoutModulesThatAreOff(resource), { index, live });
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

function withoutModulesThatAreOff({ kind, spec }: LiveResource): Spec {
  const on = kind.fieldList.filter(({ field, name }) => field.module === undefined || isOn(spec[name] ?? null));
  return Object.fromEntries(on.map(({ name }) => [name, spec[name] ?? null]));
}

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
  const paths = fields.map((field) => field.path);
  const shown = paths.length <= 4 ? paths.join(", ") : `${paths.slice(0, 4).join(", ")} and ${paths.length - 4} more`;
  const notes = fields.flatMap(({ note }) => (note === undefined ? [] : [`. ${note}`])).join("");
  return `${address} (${id ?? ""}) differs from its manifest${shown === "" ? "" : ` in ${shown}`}${notes}`;
}

function unmanagedFinding(resource: LiveResource): Finding {
  const address = addressOf(resource.kind.kind, resource.id);
  return {
    ...findingBase(resource, address),
    type: "unmanaged",
    message: `the ${resource.kind.title} ${resource.id} is unmanaged: it has no marker and no manifest`,
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
  return `the ${resource.kind.title} ${addressOfLive(resource)} ${when} (${ends})`;
}
