import type { Json, Spec, Value } from "../core/json.js";
import { MASK, Secret, secretLabel } from "../core/secret.js";
import { asJson } from "../kinds/codecs.js";
import { type ImpactReason, noImpact, security } from "../kinds/impact.js";
import type { Field, Kind } from "../kinds/kind.js";
import type { Marker } from "../kinds/marker.js";
import { kindOf } from "../kinds/names.js";
import { SecretPolicy, isValueObject, partsOf, shownBoth, withParts } from "../kinds/policy.js";
import { kinds } from "../kinds/registry.js";
import { type Difference, fieldAt, specPath } from "./diff.js";
import type { OperationContext } from "./plan-context.js";
import { type Change, type FieldChange, worstImpact } from "./plan-format.js";
import { unavailableSources } from "./plan-secrets.js";

type Judging = Pick<OperationContext, "kind" | "judged">;

type Compared = Readonly<{
  before: Spec;
  after: Spec;
  changed: readonly Difference[];
}>;

export function changesOfUpdate(context: Judging, { before, after, changed }: Compared): FieldChange[] {
  return changed.flatMap((difference) => {
    const field = fieldAt(context.kind, difference.path);
    if (field === undefined) return [];
    return [fieldChange({ ...difference, field }, impactOf(context, difference.field, before, after))];
  });
}

export function changesOfWhole(context: Judging, before: Spec | null, after: Spec | null): FieldChange[] {
  const spec = before ?? after ?? {};
  return context.kind.fieldList.flatMap(({ name, field }) => {
    const value = spec[name] ?? null;
    const isEmpty = value === null || value === "" || (Array.isArray(value) && value.length === 0);
    if (isEmpty || field.write === "never") return [];
    const sides = { path: `spec.${name}`, field, before: before && value, after: after && value };
    return [fieldChange(sides, impactOf(context, name, before, after))];
  });
}

export function changesOfReplace(context: Judging, compared: Compared): FieldChange[] {
  const secrets = context.kind.fieldList.flatMap(({ name, field }) => {
    const value = compared.after[name] ?? null;
    if (context.judged === "drift" || field.writeOnly !== true || field.secret !== true || value === null) return [];
    return [fieldChange({ path: `spec.${name}`, field, before: value, after: value }, noImpact)];
  });
  return [...changesOfUpdate(context, compared), ...secrets];
}

function impactOf({ kind, judged }: Judging, name: string, before: Spec | null, after: Spec | null): ImpactReason {
  const [from, to] = judged === "change" ? [before, after] : [after, before];
  const field = kind.fields[name];
  // A deleted edge's modules leave nothing unguarded.
  if (field === undefined || (to === null && field.module !== undefined)) return noImpact;
  return field.impact(from?.[name] ?? null, to?.[name] ?? null, { before: from, after: to });
}

export function impactOfDelete({ kind, judged }: Judging, spec: Spec, fields: readonly FieldChange[]): ImpactReason {
  // The drift that a delete undoes lost nothing.
  const hazards = judged === "drift" ? [] : kind.hazards(spec, null);
  const loss = hazards.find(({ code }) => code === "irreversible");
  return loss === undefined ? worstImpact(fields) : { impact: "irreversible", reason: loss.message };
}

export function markerChange(before: Marker | null, after: Marker | null): FieldChange {
  const json = (marker: Marker | null): Json => (marker === null ? null : { ...marker });
  return { path: "metadata.marker", before: json(before), after: json(after), impact: "none", reason: null };
}

type Sides = Readonly<{
  path: string;
  field: Field;
  before: Value;
  after: Value;
}>;

function fieldChange(sides: Sides, { impact, reason }: ImpactReason): FieldChange {
  const { path, field, after } = sides;
  const unavailable = unavailableSources(after);
  const needsOther = field.codec.references?.(after).some(({ target }) => "name" in target) === true;
  const [from, to] = shownSides(sides);
  return {
    path,
    before: from,
    after: to,
    ...(field.secret === true ? { sensitive: true } : {}),
    ...(unavailable.length > 0 || needsOther ? { unknown: true } : {}),
    ...(unavailable.length > 0 ? { unavailable } : {}),
    impact,
    reason,
  };
}

function shownSides({ field, before, after }: Sides): readonly [Json, Json] {
  const [from, to] = [hidden(field, before), hidden(field, after)];
  const policies = from instanceof SecretPolicy || to instanceof SecretPolicy;
  if (policies && from !== null && to !== null) return shownBoth(from, to);
  return [from instanceof Secret && !policies ? MASK : masked(from), masked(to)];
}

function hidden({ module, secret }: Field, value: Value): Value {
  if (secret === true) {
    const isWrapped = value instanceof Secret && !(value instanceof SecretPolicy);
    return value === null || value === "" || isWrapped ? value : MASK;
  }
  if (module === undefined || !isValueObject(value)) return value;
  const members = Object.entries(value).map(([name, part = null]) => {
    const member = module.members[name];
    return [name, member?.secret === true ? hidden(member, part) : part];
  });
  return Object.fromEntries(members) as Value;
}

function masked(value: Value): Json {
  if (value instanceof SecretPolicy) return value.toJSON();
  if (value instanceof Secret) return secretLabel(value);
  return asJson(withParts(value, partsOf(value), (part) => masked(part.value)));
}

/** A rule that needs a field that doesn't change assumes the worst. */
export function judgeFields({ action, address, fields: given, id, notes }: Change): Change {
  const kind: Kind = kinds[kindOf(address)];
  const context = { kind, judged: "change" } as const;
  const [before, after] = [specOf(given, "before"), specOf(given, "after")];
  const changed = given.flatMap(({ path, before: old, after: next }): Difference[] => {
    const field = specPath(path)?.field;
    return field === undefined ? [] : [{ field, path, before: old, after: next }];
  });
  const judged =
    action === "create" || action === "delete"
      ? changesOfWhole(context, action === "create" ? null : before, action === "create" ? after : null)
      : changesOfUpdate(context, { before, after, changed });
  const byPath = new Map(judged.map((field) => [field.path, field]));
  const fields = given.map(({ path, before: old, after: next, unknown = false }): FieldChange => {
    const own = byPath.get(path);
    if (own !== undefined) return { ...own, unknown };
    const impact = specPath(path) === null ? noImpact : security("this version of edgewise does not know the field");
    return { path, before: old, after: next, ...impact };
  });
  const impact = action === "delete" ? impactOfDelete(context, before, fields) : worstImpact(fields);
  return { address, action, id, source: null, fields, ...impact, origin: null, notes };
}

function specOf(fields: readonly FieldChange[], side: "before" | "after"): Spec {
  const spec: Record<string, Value> = {};
  for (const { path, [side]: value } of fields) {
    const { field, member } = specPath(path) ?? {};
    if (field === undefined) continue;
    spec[field] = member === undefined ? value : { ...(spec[field] as Spec | undefined), [member]: value };
  }
  return spec;
}
