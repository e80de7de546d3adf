import type { Impact } from "../kinds/impact.js";
import type { Live } from "../live/live.js";
import type { Manifest } from "../manifest/manifest.js";
import { count, listFew } from "../core/text.js";
import { deadReferences } from "./guards.js";
import {
  type LiveIndex,
  type LiveResource,
  addressOfLive,
  identityTexts,
  indexLive,
  push,
  withoutDisabled,
} from "./live-index.js";
import type { PlanOptions } from "./plan-context.js";
import {
  type Action,
  type Change,
  type FieldChange,
  type Plan,
  type RefusalCode,
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
  "tolerated",
  "pending",
] as const;

/** `pending`: merged after the commit that was applied last. */
export type FindingType = (typeof findingTypes)[number];

export function isDrift({ type }: { readonly type: FindingType }): boolean {
  return type !== "pending" && type !== "tolerated";
}

export type Tolerance = Readonly<{
  address: string;
  path: string;
  until: string;
  reason: string;
}>;

export type Finding = Readonly<{
  /** `TLSEdge/<id>` when no manifest names it. */
  address: string;
  id: string | null;
  type: FindingType;
  fields: readonly FieldChange[];
  source: Change["source"];
  message: string;
  impact: Impact;
}>;

export type Drift = Pick<Plan, "stack" | "baseUrl" | "toolVersion" | "warnings" | "base"> &
  Readonly<{
    format: "edgewise.drift/v1";
    clean: boolean;
    findings: readonly Finding[];
    commit?: string;
    ref?: string;
  }>;

export type DriftOptions = Pick<PlanOptions, "stack" | "previousStacks"> &
  Readonly<{
    unmanaged: boolean;
    expiresWithinMs: number | null;
    only?: readonly string[] | null;
    exclude?: readonly string[];
    tolerate?: readonly Tolerance[];
    now: number;
    desired?: readonly Pick<Manifest, "address" | "source">[];
    unapplied?: readonly Change[];
  }>;

export function driftOf(plan: Plan, live: Live, options: DriftOptions): Drift {
  const { desired = [], exclude = [], unapplied = [] } = options;
  const { stack, baseUrl, toolVersion, base } = plan;
  const sources = new Map<string, Finding["source"]>();
  for (const { address, source } of [...desired, ...plan.changes]) sources.set(address, source);
  const applied = new Map(unapplied.map((change) => [change.address, change]));
  const index = indexLive(live, options);
  const dangling = danglingFindings(plan, live, index, options);
  const reported = new Set<string>([...plan.changes, ...dangling].map(({ address }) => address));
  const findings = [
    ...plan.changes.flatMap((change) => findingsOf(change, applied.get(change.address) ?? change)),
    ...plan.refusals.flatMap((refusal): Finding[] => {
      const { code, address, message, origin } = refusal;
      const type = typesOfRefusals[code];
      if (type === undefined || address === undefined || reported.has(address)) return [];
      const about = { address, id: null, ...nothing };
      if (origin !== "desired") return [{ ...about, type, message: `${address}: ${message}` }];
      return [{ ...about, type: "pending", message: `${address} ${changed}, and the next one is refused: ${message}` }];
    }),
    ...index.all.flatMap((resource) => [
      ...unmanagedFindings(resource, plan, options),
      ...expiryFindings(resource, options),
    ]),
    ...dangling,
  ]
    .filter(({ address }) => !exclude.includes(address))
    .flatMap((finding) => tolerated(finding, options))
    .map((finding) => ({ ...finding, source: finding.source ?? sources.get(finding.address) ?? null }));
  return {
    format: "edgewise.drift/v1",
    stack,
    baseUrl,
    toolVersion,
    clean: !findings.some(isDrift),
    findings,
    warnings: plan.warnings.filter(({ code }) => !aboutApplying.has(code)),
    ...(base !== undefined && { base }),
    ...shownCommit(plan),
  };
}

const dayMs = 86_400_000;

const aboutApplying: ReadonlySet<string> = new Set(["traffic-gap", "referrers-invisible", "module-disabled"]);

const differs = "differs from its manifest";
const undescribed = "is live and owned by this stack, but no manifest describes it";
const changed = "was changed in its manifest since the last apply";
const added = "is in a manifest since the last apply: the next one";
const removed = "is in no manifest since the last apply: the next one";

const findingsOfActions: Readonly<Record<Action, readonly [type: FindingType, words: string, pending: string]>> = {
  create: ["missing", "is not live, although a manifest describes it", `${added} creates it`],
  update: ["modified", differs, changed],
  replace: ["modified", differs, `${changed}: the next one replaces it`],
  adopt: ["modified", "is live without this stack's marker", `${added} adopts it`],
  delete: ["unexpected", undescribed, `${removed} deletes it`],
  orphan: ["unexpected", undescribed, `${removed} no longer manages it`],
};

const typesOfRefusals: { readonly [C in RefusalCode]?: FindingType } = {
  "id-not-live": "missing",
  "duplicate-marker": "unexpected",
  "ownership-conflict": "modified",
  "reference-not-live": "dangling",
};

function danglingFindings(plan: Plan, live: Live, index: LiveIndex, { only }: DriftOptions): readonly Finding[] {
  const allowed = new Set(plan.lifted.flatMap(({ code, address }) => (code === "reference-not-live" ? [address] : [])));
  return index.mine.flatMap((resource) => {
    const { id, kind, spec } = resource;
    const address = addressOfLive(resource);
    if (allowed.has(address) || only?.includes(address) === false) return [];
    const dead = deadReferences(kind, withoutDisabled(kind, spec), { index, live });
    if (dead.length === 0) return [];
    const gone = dead.map(({ path, target }) => `${target} (${path})`).join(" and ");
    const message = `${address} (${id}) refers to ${gone}, which ${dead.length === 1 ? "is" : "are"} gone`;
    return [{ ...liveFinding(resource, "dangling", message), impact: "routing" as const }];
  });
}

function unmanagedFindings(resource: LiveResource, { changes }: Plan, { unmanaged }: DriftOptions): readonly Finding[] {
  const { id, kind, marker, wire } = resource;
  if (!unmanaged || kind.collection === null || marker !== null || changes.some((change) => change.id === id))
    return [];
  if (kind.managedByService(wire) !== null) return [];
  const names = listFew(identityTexts(kind.identifiedBy.map((member) => wire[member] ?? null)), 4);
  const shown = names === "" ? "" : ` (${names})`;
  const message = `${addressOfLive(resource)} is live${shown}, but it has no marker and no manifest`;
  return [liveFinding(resource, "unmanaged", message)];
}

function expiryFindings(resource: LiveResource, { expiresWithinMs, now }: DriftOptions): readonly Finding[] {
  const ends = resource.kind.expires(resource.wire);
  const left = Date.parse(ends ?? "") - now;
  if (ends === null || expiresWithinMs === null || !(left <= expiresWithinMs)) return [];
  const days = count(Math.floor(Math.abs(left) / dayMs), "day");
  const when = left < 0 ? `expired ${days} ago` : `expires in ${days}`;
  return [liveFinding(resource, "expiring", `${addressOfLive(resource)} ${when} (${ends})`)];
}

const nothing = { fields: [], source: null, impact: "none" } as const;

function liveFinding(resource: LiveResource, type: FindingType, message: string): Finding {
  return { address: addressOfLive(resource), id: resource.id, type, message, ...nothing };
}

function findingsOf(change: Change, unapplied: Change): readonly Finding[] {
  const { action, origin, fields } = change;
  if (origin === "desired") return [pendingFinding(unapplied)];
  const pending = new Set(fields.filter((field) => field.origin === "desired").map(({ path }) => path));
  const drifted = partOf(change, ({ path }) => !pending.has(path));
  if ((action === "delete" || action === "orphan") && origin === "both") {
    const finding = findingOf({ ...drifted, action: "update" });
    const message = `${finding.message}, which was removed since the last apply`;
    return [{ ...finding, message }, pendingFinding(unapplied)];
  }
  const isInParts = action === "update" || action === "replace" || action === "adopt";
  if (!isInParts || pending.size === 0) return [findingOf(change)];
  return [findingOf(drifted), pendingFinding(partOf(unapplied, ({ path }) => pending.has(path)))];
}

function tolerated(finding: Finding, { now, tolerate = [] }: DriftOptions): readonly Finding[] {
  const { address, fields, id, message, type } = finding;
  const left: FieldChange[] = [];
  const over = new Set<string>();
  const accepted = new Map<Tolerance, FieldChange[]>();
  for (const field of type === "modified" ? fields : []) {
    const entry = tolerate.find((one) => one.address === address && `${field.path}.`.startsWith(`${one.path}.`));
    if (entry !== undefined && now < Date.parse(entry.until) + dayMs) push(accepted, entry, field);
    else {
      left.push(field);
      if (entry !== undefined) over.add(`; tolerated until ${entry.until} only: ${entry.reason}`);
    }
  }
  if (accepted.size + over.size === 0) return [finding];
  const counted = message.replace(pathsOf(fields, " in "), () => pathsOf(left, " in ")) + [...over].join("");
  return [
    ...(left.length === 0 ? [] : [{ ...finding, fields: left, impact: worstImpact(left).impact, message: counted }]),
    ...[...accepted].map(([{ reason, until }, own]): Finding => {
      const words = `${address} (${id ?? ""}) ${differs}${pathsOf(own, " in ")}, which is tolerated until ${until}: ${reason}`;
      return { ...finding, type: "tolerated", fields: own, impact: worstImpact(own).impact, message: words };
    }),
  ];
}

function partOf(change: Change, isPart: (field: FieldChange) => boolean): Change {
  const fields = change.fields.filter(isPart);
  return { ...change, fields, ...worstImpact(fields) };
}

function pendingFinding(change: Change): Finding {
  const fields = change.fields.map((field) => ({ ...field, origin: "desired" }) as const);
  const [, , words] = findingsOfActions[change.action];
  return changeFinding(
    { ...change, fields },
    "pending",
    change.action === "update" ? words + pathsOf(fields, ": ") : words,
  );
}

function findingOf(change: Change): Finding {
  const { action, fields } = change;
  const [type, words] = findingsOfActions[action];
  return changeFinding(change, type, words === differs ? words + pathsOf(fields, " in ") : words);
}

function changeFinding({ address, id, fields, source, impact }: Change, type: FindingType, words: string): Finding {
  return { address, id, type, fields, source, message: `${address}${id === null ? "" : ` (${id})`} ${words}`, impact };
}

function pathsOf(fields: readonly FieldChange[], before: string) {
  const shown = listFew(
    fields.map(({ path }) => path),
    4,
  );
  const notes = fields.flatMap(({ note }) => (note === undefined ? [] : [`; ${note}`])).join("");
  return `${shown === "" ? "" : before + shown}${notes}`;
}
