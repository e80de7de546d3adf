import { type Json, type Spec, type Value, type ValueObject, isObject } from "../core/json.js";
import { type ImpactReason, type WholeResource, noImpact } from "../kinds/impact.js";
import type { Field, Kind, NamedField } from "../kinds/kind.js";
import type { Marker } from "../kinds/marker.js";
import { shownBoth } from "../kinds/policy/policy-codec.js";
import { SecretPolicy } from "../kinds/policy/secret-policy.js";
import { MASK, Secret, secretLabel } from "../core/secret.js";
import { type Difference, fieldAt } from "./diff.js";
import type { PlanOptions } from "./options.js";
import type { OperationContext } from "./plan-context.js";
import type { FieldChange } from "./plan-format.js";
import { unavailableSources } from "./plan-secrets.js";
import { withoutEchoes } from "./shown-plan.js";

/** What `diff` found between two specs. */
interface Compared {
  readonly before: Spec;
  readonly after: Spec;
  readonly changed: readonly Difference[];
}

/** What a field change depends on, beside both sides. */
interface Judged extends Pick<OperationContext, "kind" | "judged" | "moves"> {
  readonly options: Pick<PlanOptions, "redact">;
}

/** The differences of an update as people see them. The impact of a module's member is that of the whole module. */
export function changesOfUpdate(
  { kind, judged, moves, options }: Judged,
  { before, after, changed }: Compared,
): FieldChange[] {
  const [from, to] = judged === "change" ? [before, after] : [after, before];
  return changed.flatMap((difference) => {
    const { field: name, path, before: old, after: next } = difference;
    const whole = kind.fields[name];
    if (whole === undefined) return [];
    const impact = whole.impact(from[name] ?? null, to[name] ?? null, { before: from, after: to, moves });
    return [fieldChange({ path, field: fieldAt(kind, path) ?? whole, before: old, after: next }, impact, options)];
  });
}

/** Everything that a new resource is made with. */
export function changesOfCreate({ kind, judged, moves, options }: Judged, spec: Spec): FieldChange[] {
  return eachSet(kind, spec, ({ name, field }, value) => {
    const impact =
      judged === "change"
        ? impactOfMaking(field, value, { after: spec, moves })
        : impactOfLosing(field, value, { before: spec, moves });
    return fieldChange({ path: `spec.${name}`, field, before: null, after: value }, impact, options);
  });
}

/**
 * What a replacement is made with: the differences, and the secrets that are sent anew and can't be compared. As drift,
 * the differences alone: nobody knows whether a secret that can't be compared has changed.
 */
export function changesOfReplace(context: OperationContext, compared: Compared): FieldChange[] {
  const differences = changesOfUpdate(context, compared);
  if (context.judged === "drift") return differences;
  const secrets = eachSet(context.kind, compared.after, ({ name, field }, value) => {
    if (field.writeOnly !== true || field.secret !== true) return null;
    return fieldChange({ path: `spec.${name}`, field, before: value, after: value }, noImpact, context.options);
  });
  return [...differences, ...secrets];
}

/** Everything that is lost with a deleted resource. */
export function changesOfDelete({ kind, judged, moves, options }: Judged, spec: Spec): FieldChange[] {
  return eachSet(kind, spec, ({ name, field }, value) => {
    const impact =
      judged === "change"
        ? impactOfLosing(field, value, { before: spec, moves })
        : impactOfMaking(field, value, { after: spec, moves });
    return fieldChange({ path: `spec.${name}`, field, before: value, after: null }, impact, options);
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

/** Both sides of one field, or of a member of a module. */
interface Sides {
  readonly path: string;
  readonly field: Field;
  readonly before: Value;
  readonly after: Value;
}

function fieldChange(
  sides: Sides,
  { impact, reason }: ImpactReason,
  { redact }: Pick<PlanOptions, "redact">,
): FieldChange {
  const { path, field, after } = sides;
  const unavailable = unavailableSources(after);
  const unknown = unavailable.length > 0 || namesSomething(field, after);
  const [from, to] = shownSides(sides);
  return {
    path,
    before: redact === undefined ? from : withoutEchoes(field, from, redact),
    after: to,
    ...(field.secret === true ? { sensitive: true } : {}),
    ...(unknown ? { unknown } : {}),
    ...(unavailable.length > 0 ? { unavailable } : {}),
    impact,
    reason,
  };
}

/** Both sides as a report shows them. A live secret has no source, even where only the manifest tells that it is one. */
function shownSides({ field, before, after }: Sides): readonly [Json, Json] {
  const [from, to] = [hidden(field, before), hidden(field, after)];
  const policies = from instanceof SecretPolicy || to instanceof SecretPolicy;
  if (policies && from !== null && to !== null) return shownBoth(from, to);
  return [from instanceof Secret && !policies ? MASK : maskedValue(from), maskedValue(to)];
}

/** A value with what its declaration calls secret masked, where it came in clear. */
function hidden(field: Field, value: Value): Value {
  if (field.secret === true) return value === null || value === "" || isSingleSecret(value) ? value : MASK;
  if (field.module === undefined || !isObject(value)) return value;
  const members = field.module.memberList.filter(({ field: member }) => member.secret === true);
  if (members.every(({ name, field: member }) => hidden(member, valueIn(value, name)) === valueIn(value, name)))
    return value;
  const masked = members.map(({ name, field: member }) => [name, hidden(member, valueIn(value, name))]);
  return { ...value, ...(Object.fromEntries(masked) as ValueObject) };
}

function isSingleSecret(value: Value): boolean {
  return value instanceof Secret && !(value instanceof SecretPolicy);
}

function valueIn(value: { readonly [member: string]: unknown }, member: string): Value {
  return (value[member] as Value | undefined) ?? null;
}

/** Whether a value holds a reference to something that has to be made first. */
function namesSomething({ codec }: Field, value: Value): boolean {
  return value !== null && codec.references?.(value).some(({ target }) => "name" in target) === true;
}

function markerJson(marker: Marker | null): Json {
  return marker === null ? null : { ...marker };
}
