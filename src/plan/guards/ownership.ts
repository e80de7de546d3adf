import type { Reference } from "../../kinds/kind.js";
import { describeLock, isExpired } from "../../kinds/lock-object.js";
import { addressOf } from "../../kinds/names.js";
import { kinds } from "../../kinds/registry.js";
import { addressOfLive, eachReference, keyOf } from "../live-index.js";
import type { PlanContext } from "../plan-context.js";
import type { PlannedState } from "./planned-state.js";

/**
 * Refuses a create when the new resource would take the place of a live one without a marker that an edge refers to:
 * its metadata was probably wiped, and a second one would be made beside it (`ownership-lost`).
 */
export function checkLostMarkers({ changed, proposed }: PlannedState, { index, findings }: PlanContext): void {
  const made = new Set(changed.flatMap(({ address, change }) => (change?.action === "create" ? [address] : [])));
  if (made.size === 0) return;
  const matched = new Set(proposed.flatMap(({ match: { current } }) => (current === null ? [] : [current.key])));
  const refused = new Set<string>();
  for (const { match, spec } of proposed) {
    const { current, kind } = match;
    if (current === null) continue;
    const kept = new Set<string | null>();
    const named: { readonly reference: Reference; readonly field: string }[] = [];
    eachReference(kind, spec, (reference, field) => {
      kept.add(keyOf(reference, index));
      if ("name" in reference.target) named.push({ reference, field });
    });
    for (const { reference, field } of named) {
      const { kind: wanted, target } = reference;
      if (wanted === null || !("name" in target) || !made.has(addressOf(wanted, target.name))) continue;
      const address = addressOf(wanted, target.name);
      eachReference(kind, current.spec, (old, oldField) => {
        const key = oldField === field ? keyOf(old, index) : null;
        const lost = key === null ? undefined : index.byInstance.get(key);
        if (lost === undefined || lost.marker !== null || lost.kind.kind !== wanted) return;
        if (kept.has(key) || matched.has(key ?? "") || refused.has(address)) return;
        refused.add(address);
        findings.refuse(
          "ownership-lost",
          address,
          `${match.address} refers to ${lost.id}, which has no marker: its metadata was probably overwritten, and a second ${lost.kind.title} would be created beside it`,
          `write \`metadata: {id: ${lost.id}}\` in the manifest to adopt it again; to create a new one anyway, {allow}`,
        );
      });
    }
  }
}

/** Warns of locks, kinds that can't be listed and markers that can't be read, before anything is planned. */
export function warnAboutLive({ live, index, findings, options }: PlanContext): void {
  for (const lock of live.locks ?? []) {
    if (lock.run === options.lockRun || (options.now !== undefined && isExpired(lock, options.now))) continue;
    findings.warn("account-locked", `the account is locked: ${describeLock(lock)}`);
  }
  for (const { kind, status } of live.unreadable) {
    const { title, collection } = kinds[kind];
    findings.warn(
      "kind-unreadable",
      `the list of ${title} resources (${collection?.path ?? ""}) answered ${status}; no manifest uses the kind, so it is left alone`,
    );
  }
  for (const resource of index.malformed) {
    findings.warn(
      "malformed-marker",
      'the metadata has a member "edgewise" that is not a valid marker; the resource counts as unowned',
      addressOfLive(resource),
    );
  }
}
