import { EdgewiseError } from "../core/errors.js";
import type { Spec } from "../core/json.js";
import { count } from "../core/text.js";
import { hostportKey } from "../kinds/codecs.js";
import { kindOfId, kinds } from "../kinds/registry.js";
import { type Kind, type Reference, claimText } from "../kinds/kind.js";
import { describeLock, isExpired } from "../kinds/lock-object.js";
import { type Address, addressOf, kindOf, nameOf } from "../kinds/names.js";
import { secretsIn } from "../kinds/policy.js";
import type { Manifest } from "../manifest/manifest.js";
import { withoutIgnored } from "./diff.js";
import { type LiveIndex, addressOfLive, keyOf, push, referencesIn, referrersAmong, shapeOf } from "./live-index.js";
import type { MaxDeletes, PlanContext } from "./plan-context.js";
import type { ResourceChange } from "./build-change.js";
import type { ProposedState } from "./match.js";
import { idOf, type Ordered } from "./order.js";

type Planned = Readonly<{
  manifests: readonly Manifest[];
  proposed: readonly ProposedState[];
  changes: readonly ResourceChange[];
  changed: readonly ResourceChange[];
  ordered: Ordered;
}>;

type PlannedState = Planned & { readonly resulting: readonly ResultingResource[] };

type ResultingResource = Pick<ResourceChange, "kind"> &
  NonNullable<ResourceChange["result"]> &
  Readonly<{ address: Address | null; orphaned: boolean }>;

export function runGuards(planned: Planned, context: PlanContext): void {
  const state = { ...planned, resulting: resultingState(planned.changes, context.index) };
  for (const guard of guards) guard(state, context);
}

function resultingState(changes: readonly ResourceChange[], index: LiveIndex): readonly ResultingResource[] {
  const planned = changes.flatMap(({ address, change, kind, result }): ResultingResource[] =>
    result === null ? [] : [{ kind, ...result, address, orphaned: change?.action === "orphan" }],
  );
  const concerned = new Set(changes.flatMap(({ deleted }) => deleted.map(({ key }) => key)));
  for (const { resource } of planned) if (resource !== null) concerned.add(resource.key);
  const others = index.all.filter(({ key }) => !concerned.has(key));
  return [
    ...planned,
    ...others.map((one) => ({ kind: one.kind, spec: one.spec, resource: one, address: null, orphaned: false })),
  ];
}

const guards: readonly ((state: PlannedState, context: PlanContext) => void)[] = [
  refuseNamesAsSecrets,
  checkLostMarkers,
  checkClaims,
  checkReferrers,
  checkLiveReferences,
  checkSingletons,
  checkDeletes,
  checkEmpty,
  refuseCycles,
  warnAboutGaps,
  warnAboutUnused,
];

function refuseNamesAsSecrets({ changed, manifests }: PlannedState) {
  if (changed.length === 0) return;
  const shown = new Set<string>(
    changed.flatMap(({ address, sequence }) => [
      address,
      nameOf(address),
      ...sequence.flatMap(({ frees, takes }) => [...frees, ...takes].map(claimText)),
    ]),
  );
  const open = manifests.find(({ kind, spec }) =>
    kinds[kind].fieldList
      .flatMap(({ field, name }) => (field.writeOnly === true ? [] : secretsIn(spec[name])))
      .some((secret) => secret.missing === null && shown.has(secret.reveal())),
  );
  if (open === undefined) return;
  const { address, source } = open;
  const message = `${source.file}:${source.line}: a secret of ${address} is an address, a name or a hostport of the plan`;
  throw new EdgewiseError("manifests", message, { remedy: "Choose another secret." });
}

/** A create beside what an edge refers to and lost its marker. */
function checkLostMarkers({ changed, proposed }: PlannedState, { index, findings }: PlanContext) {
  const made = new Set(changed.flatMap(({ address, change }) => (change?.action === "create" ? [address] : [])));
  const matched = new Set(proposed.map(({ match }) => match.current?.key));
  for (const { match, spec } of proposed) {
    const { current, kind } = match;
    const wanted = current === null ? [] : referencesIn(kind, spec);
    const kept = new Set(wanted.map(({ reference }) => keyOf(reference, index)));
    for (const { reference, field } of wanted) {
      if (reference.kind === null || !("name" in reference.target)) continue;
      const address = addressOf(reference.kind, reference.target.name);
      const lost = referencesIn(kind, current?.spec ?? {})
        .filter((old) => old.field === field)
        .flatMap((old) => index.byInstance.get(keyOf(old.reference, index) ?? "") ?? [])
        .find(
          ({ key, kind: old, marker }) =>
            marker === null && old.kind === reference.kind && !kept.has(key) && !matched.has(key),
        );
      if (lost === undefined || !made.delete(address)) continue;
      findings.refuse(
        "ownership-lost",
        address,
        `${match.address} refers to ${lost.id}, which has lost its marker: a second ${lost.kind.title} would be created beside it`,
        `write \`metadata: {id: ${lost.id}}\` in the manifest to adopt it again; to create a new one anyway, {allow}`,
      );
    }
  }
}

function checkClaims({ changed, resulting }: PlannedState, { findings }: PlanContext) {
  const holders = new Map<string, ResultingResource[]>();
  for (const resource of resulting)
    for (const claim of resource.kind.claims(resource.spec)) push(holders, claim, resource);
  for (const { address: taker, sequence } of changed) {
    for (const claim of new Set(sequence.flatMap(({ takes }) => takes))) {
      const other = holders.get(claim)?.find(({ address }) => address !== taker);
      if (other === undefined) continue;
      const message = `${claimText(claim)} is ${other.kind.claimWords.held} by ${nameOfResulting(other)}`;
      findings.refuse("address-in-use", taker, message, remedyFor(other, claimText(claim)));
    }
  }
}

function nameOfResulting({ kind, resource, address }: ResultingResource): string {
  if (address !== null) return address;
  if (resource === null) return kind.title;
  if (resource.owned) return addressOfLive(resource);
  const owner = resource.marker === null ? "which no stack owns" : `of stack ${JSON.stringify(resource.marker.stack)}`;
  return `${kind.title} ${resource.id} (${owner})`;
}

function remedyFor({ resource, address, kind, orphaned }: ResultingResource, claimed: string) {
  if (orphaned)
    return `it is orphaned: delete it instead (lifecycle.deletion: delete), or remove ${claimed} from it first`;
  if (resource === null || address !== null) return `declare ${claimed} in one manifest only`;
  const id = `\`metadata: {id: ${resource.id}}\` in the manifest`;
  if (resource.marker === null) return `adopt that ${kind.title} by writing ${id}, or remove ${claimed} from it`;
  if (resource.owned)
    return `include ${addressOfLive(resource)} in this run (--only; without its manifest, leave out --no-prune or -f)`;
  return `have stack ${JSON.stringify(resource.marker.stack)} release it first, or take that ${kind.title} over: write ${id}, and give --take-over`;
}

const listModule = "list its module in api.moduleEndpoints if the service has DELETE for it";

function checkReferrers({ changed, resulting }: PlannedState, { index, findings }: PlanContext) {
  const referrers = referrersAmong(resulting, index);
  for (const { address, deleted, kind } of changed) {
    const { hiddenReferrers } = kind;
    if (deleted.length > 0 && hiddenReferrers !== undefined)
      findings.warn(
        "referrers-invisible",
        `${hiddenReferrers} may still refer to it: the API can't list them`,
        address,
      );
    const resources = deleted.flatMap(({ key }) => (referrers.get(key) ?? []).map(({ resource }) => resource));
    if (resources.length === 0) continue;
    const names = new Set(resources.map(nameOfResulting));
    const stacks = new Set(resources.flatMap(({ resource }) => resource?.marker?.stack ?? []));
    const areOthers = resources.every((one) => one.address === null && one.resource?.owned === false);
    findings.refuse(
      "still-referenced",
      address,
      `${[...names].join(", ")} still ${names.size === 1 ? "refers" : "refer"} to it`,
      `point the referrer elsewhere, delete it first, or keep this manifest; ${listModule}; to leave it dangling, {allow}`,
      areOthers ? { stacks: [...stacks].toSorted() } : {},
    );
  }
}

function checkLiveReferences({ changed, proposed }: PlannedState, context: PlanContext) {
  const { findings, index } = context;
  const allowed = findings.liftedFor("still-referenced");
  const dangling = changed.flatMap(({ address, deleted }) => (allowed.has(address) ? deleted : []));
  const deleted = new Set(dangling.map(({ key }) => key));
  for (const { disabled, match, spec } of proposed) {
    const { address, current, desired, kind, manifest } = match;
    const said = current === null ? desired : withoutIgnored(desired, manifest.lifecycle.ignore);
    // A module that can only be disabled is sent with its live reference.
    const declared = { ...said, ...Object.fromEntries(disabled.map((name) => [name, spec[name]])) };
    const found = [
      ...deadReferences(kind, declared, context).map((dead) => ({ ...dead, why: "is not live" })),
      ...referencesIn(kind, said).flatMap(({ reference, field }) =>
        deleted.has(keyOf(reference, index) ?? "")
          ? [{ ...deadReference(reference, field), why: "this plan deletes" }]
          : [],
      ),
    ].map(({ path, target, why }) => {
      const subject = disabled.some((name) => path === `spec.${name}`) ? `disabling ${path}` : path;
      return `${subject} refers to ${target}, which ${why}`;
    });
    if (found.length === 0) continue;
    const other = disabled.length === 0 ? "" : `; ${listModule}`;
    findings.refuse(
      "reference-not-live",
      address,
      found.join("; "),
      `correct it, remove it, or describe it in a manifest and refer to its name${other}; to send it all the same, {allow}`,
    );
  }
}

/** What completely read lists don't have. */
export function deadReferences(kind: Kind, spec: Spec, { index, live }: Pick<PlanContext, "index" | "live">) {
  return referencesIn(kind, spec).flatMap(({ reference, field }) => {
    const { kind: referred, target } = reference;
    if (referred === null || keyOf(reference, index) !== null) return [];
    if (live.unreadable.some((unread) => unread.kind === referred)) return [];
    const isListed = "id" in target ? kindOfId(target.id) === referred : "addr" in target;
    const isAssigned = !("addr" in target) || isAddr(kinds[referred], hostportKey(target.addr), index);
    return isListed && isAssigned ? [deadReference(reference, field)] : [];
  });
}

function deadReference({ kind, target }: Reference, field: string) {
  const name =
    "id" in target ? target.id : "addr" in target ? target.addr : "stack" in target ? target.named : target.name;
  return { path: `spec.${field}`, target: `the ${kind === null ? "" : kinds[kind].title} ${name}` };
}

/** Like a live one but for its digits. */
function isAddr({ addrForm }: Kind, hostport: string, { addrShapes }: LiveIndex) {
  // TLS edges serve their own hosts at this port.
  if (hostport.endsWith(":443")) return false;
  return addrForm?.test(hostport) === true || addrShapes.has(shapeOf(hostport));
}

function checkSingletons({ changed }: PlannedState, { index, findings }: PlanContext) {
  for (const { address, kind, result, sequence } of changed) {
    const what = result && kind.singleton?.(result.spec);
    const other = index.all.find((one) => !one.owned && one.kind === kind && kind.singleton?.(one.spec) === what);
    if (!what || other === undefined || sequence.every(({ makes }) => makes === null)) continue;
    const message = `${other.id}, which this stack doesn't own, already is ${what}; services often allow only one`;
    findings.warn("another-exists", message, address);
  }
}

function checkDeletes({ changed }: PlannedState, { findings, index, options }: PlanContext) {
  const owned = index.mine.length;
  const deletes = changed.reduce((sum, change) => sum + change.deleted.length, 0);
  const bound = deleteBound(options.maxDeletes, owned);
  if (deletes <= bound) return;
  findings.refuse(
    "too-many-deletes",
    null,
    `${deletes} resources would be deleted (replacements included), but at most ${bound} of the stack's ${owned} may be`,
    `check that no manifest is missing; if this is intended, give --max-deletes ${deletes}`,
  );
}

export const defaultMaxDeletes = { count: 3, percent: 25 } as const;

export function deleteBound(max: MaxDeletes | null, owned: number): number {
  const { count, percent } = defaultMaxDeletes;
  if (max === null) return Math.max(count, deleteBound({ percent }, owned));
  return "count" in max ? max.count : Math.floor((owned * max.percent) / 100);
}

function checkEmpty({ manifests }: PlannedState, { findings, index, options }: PlanContext) {
  const owned = index.mine.length;
  if (options.destroy || options.allowEmpty || !options.prune || owned === 0) return;
  if (manifests.some(({ kind }) => kinds[kind].collection !== null)) return;
  findings.refuse(
    "empty-desired",
    null,
    `there are no manifests, and the stack owns ${count(owned, "live resource")} that would be deleted`,
    "check which manifests the configuration names; to delete everything, use --allow-empty or destroy",
  );
}

function refuseCycles({ ordered }: PlannedState, { findings }: PlanContext) {
  for (const cycle of ordered.cycles) {
    const names = [...new Set(cycle.map(({ address }) => address))];
    const [only = null] = names;
    findings.refuse(
      "ordering-cycle",
      names.length === 1 ? only : null,
      `the changes of ${names.join(", ")} wait for each other, and none can be made first`,
      "split the change in two: first apply without what one of them needs from the other, then with it",
    );
  }
}

function warnAboutGaps({ ordered }: PlannedState, { findings }: PlanContext) {
  for (const { claim, freedBy, takenBy } of ordered.gaps) {
    const [from, to] = [ordered.operations[freedBy], ordered.operations[takenBy]];
    if (from === undefined || to === undefined) continue;
    const { held } = kinds[kindOf(to.address)].claimWords;
    const between = `${idOf(freedBy)} (${from.address} releases it) and ${idOf(takenBy)} (${to.address} claims it)`;
    findings.warn("traffic-gap", `${claimText(claim)} is not ${held} between ${between}`, to.address);
  }
}

function warnAboutUnused(_: PlannedState, { findings, options }: PlanContext) {
  for (const entry of options.configuredAllow ?? []) {
    if (findings.lifted.some(({ address }) => address === entry)) continue;
    const message = `guards.allow names ${entry}, but nothing about it was refused; remove the entry`;
    findings.warn("unused-allow", message, entry);
  }
}

export function warnAboutLive({ live, index, findings, options }: PlanContext): void {
  for (const lock of live.locks ?? []) {
    if (lock.run === options.lockRun || (options.now !== undefined && isExpired(lock, options.now))) continue;
    findings.warn("account-locked", `the account is locked: ${describeLock(lock)}`);
  }
  for (const { kind, status } of live.unreadable) {
    const { title, collection } = kinds[kind];
    const list = `the list of ${title} resources (${collection?.path ?? ""})`;
    findings.warn("kind-unreadable", `${list} answered ${status}; no manifest uses the kind, so it is left alone`);
  }
  for (const resource of index.all)
    if (resource.malformed) findings.warn("malformed-marker", malformedMarker, addressOfLive(resource));
}

export const malformedMarker =
  'the metadata has a member "edgewise" that is not a valid marker; the resource counts as unowned';
