import type { Json, Spec, Value, ValueObject } from "../json.js";
import { type ImpactReason, type WholeResource, noImpact } from "../kinds/impact.js";
import type { Field, Kind, NamedField } from "../kinds/kind.js";
import type { Marker } from "../kinds/marker.js";
import { shownBoth } from "../kinds/policy/policy-codec.js";
import { SecretPolicy } from "../kinds/policy/secret-policy.js";
import { MASK, Secret, secretLabel } from "../secret.js";
import type { Difference } from "./diff.js";
import type { OperationContext } from "./plan-context.js";
import type { FieldChange } from "./plan-format.js";
import { unavailableSources } from "./plan-secrets.js";

/** What `diff` found between two specs. */
interface Compared {
  readonly before: Spec;
  readonly after: Spec;
  readonly changed: readonly Difference[];
}

/** The differences of an update as people see them. The impact of a module's member is that of the whole module. */
export function changesOfUpdate(
  { kind, judged, moves }: OperationContext,
  { before, after, changed }: Compared,
): FieldChange[] {
  const [from, to] = judged === "change" ? [before, after] : [after, before];
  return changed.flatMap((difference) => {
    const { field: name, path, secret: sensitive } = difference;
    const impact = kind.fields[name]?.impact(from[name] ?? null, to[name] ?? null, { before: from, after: to, moves });
    return impact === undefined
      ? []
      : [fieldChange({ path, before: difference.before, after: difference.after, sensitive }, impact)];
  });
}

/** Everything that a new resource is made with. */
export function changesOfCreate({ kind, judged, moves }: OperationContext, spec: Spec): FieldChange[] {
  return eachSet(kind, spec, ({ name, field }, value) => {
    const impact =
      judged === "change"
        ? impactOfMaking(field, value, { after: spec, moves })
        : impactOfLosing(field, value, { before: spec, moves });
    return fieldChange({ path: `spec.${name}`, before: null, after: value, sensitive: field.secret === true }, impact);
  });
}

/** What a replacement is made with: the differences, and the secrets that are sent anew and can't be compared. */
export function changesOfReplace(context: OperationContext, compared: Compared): FieldChange[] {
  const secrets = eachSet(context.kind, compared.after, ({ name, field }, value) => {
    if (field.writeOnly !== true || field.secret !== true) return null;
    return fieldChange({ path: `spec.${name}`, before: value, after: value, sensitive: true }, noImpact);
  });
  return [...changesOfUpdate(context, compared), ...secrets];
}

/** Everything that is lost with a deleted resource. */
export function changesOfDelete({ kind, judged, moves }: OperationContext, spec: Spec): FieldChange[] {
  return eachSet(kind, spec, ({ name, field }, value) => {
    const impact =
      judged === "change"
        ? impactOfLosing(field, value, { before: spec, moves })
        : impactOfMaking(field, value, { after: spec, moves });
    return fieldChange({ path: `spec.${name}`, before: value, after: null, sensitive: field.secret === true }, impact);
  });
}

type Made = Pick<WholeResource, "after" | "moves">;
type Lost = Pick<WholeResource, "before" | "moves">;

function impactOfMaking(field: Field, value: Value, made: Made): ImpactReason {
  return field.impact(null, value, { before: null, ...made });
}

function impactOfLosing(field: Field, value: Value, lost: Lost): ImpactReason {
  // The modules of a deleted edge go with it: they leave nothing unguarded.
  if (field.module !== undefined) return noImpact;
  return field.impact(value, null, { after: null, ...lost });
}

/** The marker's own change, when it has one. */
export function markerChange(before: Marker | null, after: Marker | null): FieldChange {
  const path = "metadata.marker";
  return { path, before: markerJson(before), after: markerJson(after), impact: "none", reason: null };
}

/** A value as a report shows it: secrets masked, with their source. The value itself where it holds none. */
function maskedValue(value: Value): Json {
  return isPlain(value) ? value : withMasks(value);
}

function withMasks(value: Value): Json {
  if (value instanceof SecretPolicy) return value.toJSON();
  if (value instanceof Secret) return secretLabel(value);
  if (Array.isArray(value)) return value.map(withMasks);
  if (typeof value === "object" && value !== null) {
    const members = Object.entries(value as ValueObject);
    return Object.fromEntries(members.map(([name, member]) => [name, withMasks(member ?? null)]));
  }
  return value;
}

/** Whether a value is JSON already, without secrets to mask. */
function isPlain(value: Value | undefined): value is Json {
  if (typeof value !== "object") return value !== undefined;
  if (value === null) return true;
  if (value instanceof Secret) return false;
  if (Array.isArray(value)) return value.every(isPlain);
  const object = value as ValueObject;
  return Object.keys(object).every((name) => isPlain(object[name]));
}

/** The fields of a spec that have a value, and can be written at all. */
function eachSet(kind: Kind, spec: Spec, make: (field: NamedField, value: Value) => FieldChange | null): FieldChange[] {
  return kind.fieldList.flatMap((named) => {
    const value = spec[named.name] ?? null;
    const empty = value === null || value === "" || (Array.isArray(value) && value.length === 0);
    return empty || named.field.write === "never" ? [] : (make(named, value) ?? []);
  });
}

function fieldChange(
  {
    path,
    before,
    after,
    sensitive,
  }: { readonly path: string; readonly before: Value; readonly after: Value; readonly sensitive: boolean },
  { impact, reason }: ImpactReason,
): FieldChange {
  const unavailable = unavailableSources(after);
  const unknown = unavailable.length > 0 || namesSomething(after);
  const [from, to] = shownSides(before, after);
  return {
    path,
    before: from,
    after: to,
    ...(sensitive ? { sensitive } : {}),
    ...(unknown ? { unknown } : {}),
    ...(unavailable.length > 0 ? { unavailable } : {}),
    impact,
    reason,
  };
}

/** Both sides as a report shows them. A live secret has no source, even where only the manifest tells that it is one. */
function shownSides(before: Value, after: Value): readonly [Json, Json] {
  const policies = before instanceof SecretPolicy || after instanceof SecretPolicy;
  if (policies && before !== null && after !== null) return shownBoth(before, after);
  return [before instanceof Secret && !policies ? MASK : maskedValue(before), maskedValue(after)];
}

/** Whether a value holds a reference to something that has to be made first. */
function namesSomething(value: Value): boolean {
  if (Array.isArray(value)) return value.some(namesSomething);
  if (typeof value !== "object" || value === null || value instanceof Secret) return false;
  const object = value as ValueObject;
  const names = Object.keys(object);
  if (names.length === 1 && (names[0] === "name" || names[0] === "address")) return true;
  return names.some((name) => namesSomething(object[name] ?? null));
}

function markerJson(marker: Marker | null): Json {
  return marker === null ? null : { ...marker };
}
