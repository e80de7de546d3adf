import { describeLock, isExpired } from "../../kinds/lock-object.js";
import { type Address, addressOf, kindOf } from "../../kinds/names.js";
import { kinds } from "../../kinds/registry.js";
import { deadReferences, referencesTo } from "../dead-references.js";
import { withoutIgnored } from "../defaults.js";
import { addressOfLive, keyOf, push, referencesIn, referrersAmong } from "../live-index.js";
import type { PlanContext } from "../plan-context.js";
import { type PlannedState, type ResultingResource, nameOfResulting } from "../resource-change.js";

/** `still-referenced`, and a warning of unseen referrers. */
export function checkReferrers({ changed, resulting }: PlannedState, { index, findings }: PlanContext): void {
  const deleted = changed.flatMap((change) => change.deleted.map(({ key }) => [key, change.address] as const));
  if (deleted.length === 0) return;
  const referrers = referrersAmong(resulting, index);
  const left = new Map<Address, ResultingResource[]>();
  for (const [key, address] of deleted)
    for (const { resource } of referrers.get(key) ?? []) push(left, address, resource);
  for (const [address, resources] of left) {
    const names = new Set(resources.map(nameOfResulting));
    const stacks = new Set(resources.flatMap(({ resource }) => resource?.marker?.stack ?? []));
    const areOthers = resources.every((one) => one.address === null && one.resource?.owned === false);
    findings.refuse(
      "still-referenced",
      address,
      `${[...names].join(", ")} still ${names.size === 1 ? "refers" : "refer"} to it`,
      "point the referrer elsewhere, delete it first, or keep this manifest; if a module can only be disabled and the service has DELETE for it, list it in api.moduleEndpoints; to leave it dangling on purpose, {allow}",
      areOthers ? { stacks: [...stacks].toSorted() } : {},
    );
  }
  for (const address of new Set(deleted.map(([, one]) => one))) {
    const hidden = kinds[kindOf(address)].hiddenReferrers;
    if (hidden === undefined) continue;
    findings.warn("referrers-invisible", `${hidden} may still refer to it: the API can't list them`, address);
  }
}

/** `reference-not-live`: what is not live, or what this plan deletes, as allowed. */
export function checkLiveReferences({ changed, proposed }: PlannedState, context: PlanContext): void {
  const allowed = context.findings.liftedFor("still-referenced");
  const deleted = new Set(
    changed.flatMap(({ address, deleted: gone }) => (allowed.has(address) ? gone.map(({ key }) => key) : [])),
  );
  for (const { match, remarks, spec } of proposed) {
    const { address, current, desired, kind, manifest } = match;
    const declared = current === null ? desired : withoutIgnored(desired, manifest.lifecycle.ignore);
    // Modules that are written with the live reference, because they can't be removed.
    const disabled = Object.fromEntries(remarks.disabled.map((name) => [name, spec[name] ?? null]));
    const named = [
      ...deadReferences(kind, declared, context).map((dead) => ({ ...dead, why: "is not live" })),
      ...referencesTo(deleted, { kind, spec: declared }, context).map((one) => ({ ...one, why: "this plan deletes" })),
    ].map(({ path, target, why }) => `${path} refers to ${target}, which ${why}`);
    const sent = deadReferences(kind, disabled, context).map(
      ({ path, target }) => `disabling ${path}, which has no DELETE, refers to ${target} again, which is not live`,
    );
    if (named.length + sent.length === 0) continue;
    context.findings.refuse(
      "reference-not-live",
      address,
      [...named, ...sent].join("; "),
      named.length > 0
        ? "correct it or remove it; to have it made, describe it in a manifest and refer to that by its name; to send it all the same, {allow}"
        : "name something live in the module, with enabled: false; if the service has DELETE for the module, list it in api.moduleEndpoints; to send it all the same, {allow}",
    );
  }
}

/** `ownership-lost`: a create beside a live resource whose marker was wiped, while an edge refers to it. */
export function checkLostMarkers({ changed, proposed }: PlannedState, { index, findings }: PlanContext): void {
  const made = new Set(changed.flatMap(({ address, change }) => (change?.action === "create" ? [address] : [])));
  if (made.size === 0) return;
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
          (old) =>
            old.marker === null && old.kind.kind === reference.kind && !kept.has(old.key) && !matched.has(old.key),
        );
      if (lost === undefined || !made.delete(address)) continue;
      findings.refuse(
        "ownership-lost",
        address,
        `${match.address} refers to ${lost.id}, which has no marker: its metadata was probably overwritten, and a second ${lost.kind.title} would be created beside it`,
        `write \`metadata: {id: ${lost.id}}\` in the manifest to adopt it again; to create a new one anyway, {allow}`,
      );
    }
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
