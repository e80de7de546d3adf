import type { Spec, Value } from "../core/json.js";
import { Secret } from "../core/secret.js";
import type { Deletion, Kind } from "../kinds/kind.js";
import { isValueObject } from "../kinds/policy.js";
import type { Live } from "../live/live.js";
import { type Differences, specPath, valueAt } from "./diff.js";
import { type LiveResource, deletionOf, mayReferTo } from "./live-index.js";
import type { OperationContext } from "./plan-context.js";
import { unavailableSources } from "./plan-secrets.js";

/** What may refer to it can't be listed, so it is not deleted. */
export function isSheltered({ kind }: Kind, { unreadable }: Live): boolean {
  return unreadable.some((one) => mayReferTo(one.kind, kind));
}

export function guardDelete(context: OperationContext, resource: LiveResource, desired?: Deletion): void {
  const { kind, address, findings, live } = context;
  if (isSheltered(kind, live)) {
    findings.refuse(
      "still-referenced",
      null,
      `${address}: ${resource.id} would be deleted, but the resources that may refer to it can't be read`,
      "use a key that can read them; or keep what is replaced (lifecycle.replaced: orphan), and delete duplicates yourself",
    );
  }
  const isMarked = deletionOf(resource) === "protect";
  if (isMarked || desired === "protect") {
    findings.refuse(
      "deletion-protected",
      address,
      `${resource.id} is protected from deletion${isMarked && desired !== "protect" ? " by its marker" : ""}`,
      "keep its manifest, or apply it with lifecycle.deletion: delete (or orphan) first; to delete it anyway, {allow}",
    );
  }
  refuseHazards(context, resource.spec, null);
}

export function refuseHazards(
  { kind, address, findings }: OperationContext,
  before: Spec | null,
  after: Spec | null,
): void {
  for (const { code, message, remedy } of kind.hazards(before, after)) findings.refuse(code, address, message, remedy);
}

export function reportUnavailable(context: OperationContext, spec: Spec, written: readonly string[]): void {
  const check = (path: string, value: Value): void => {
    if (!(value instanceof Secret) || value.missing === null) return;
    const message = `spec.${path} is not available here; apply will need it (${value.missing})`;
    context.findings.warn("secret-unavailable", message, context.address);
  };
  for (const name of written) {
    const value = spec[name] ?? null;
    check(name, value);
    for (const [member, part = null] of isValueObject(value) ? Object.entries(value) : [])
      check(`${name}.${member}`, part);
  }
  recordUnavailable(context, spec, written);
}

export function reportUncompared(context: OperationContext, spec: Spec, { changed, uncertain }: Differences): void {
  const { address, findings } = context;
  for (const path of uncertain) {
    const value = valueAt(spec, path);
    const reason = value instanceof Secret && value.missing !== null ? ` (${value.missing})` : "";
    findings.warn(
      "secret-unknown",
      `${path} is a secret that is not available here: it counts as unchanged${reason}`,
      address,
    );
  }
  const names = new Set(changed.map(({ field }) => field));
  reportUnavailable(context, spec, [...names]);
  const others = uncertain.flatMap((path) => specPath(path)?.field ?? []).filter((name) => !names.has(name));
  recordUnavailable(context, spec, [...new Set(others)]);
}

function recordUnavailable({ address, findings }: OperationContext, spec: Spec, fields: readonly string[]): void {
  const sources = fields.flatMap((name) => unavailableSources(spec[name] ?? null));
  findings.unavailable.push(...sources.map((source) => ({ address, source })));
}
