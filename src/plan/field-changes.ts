import type { Json, Spec, Value, ValueObject } from "../json.js";
import { type Impact, worstOf } from "../kinds/impact.js";
import { type Field, type ImpactReason, type Kind, fieldList } from "../kinds/kind.js";
import type { Marker } from "../kinds/marker.js";
import { shownBoth } from "../kinds/policy/policy-codec.js";
import { SecretPolicy } from "../kinds/policy/secret-policy.js";
import { MASK, Secret, secretLabel } from "../secret.js";
import type { Difference } from "./diff.js";
import type { FieldChange } from "./plan-format.js";

/**
 * Whose doing is judged: `change`, what applying does to traffic; `drift`, what somebody did who made live differ.
 */
export type Judged = "change" | "drift";

/** The differences of an update in the reader's form. A module's impact is told by the module as a whole. */
export function changesOfUpdate(
  kind: Kind,
  before: Spec,
  after: Spec,
  changed: readonly Difference[],
  judged: Judged,
): FieldChange[] {
  return changed.flatMap((difference) => {
    const field = kind.fields[difference.field];
    if (field === undefined) return [];
    const [from, to] = judged === "change" ? [before, after] : [after, before];
    const impact = field.impact(from[difference.field] ?? null, to[difference.field] ?? null, {
      before: from,
      after: to,
    });
    return [fieldChange(difference.path, difference.before, difference.after, impact, difference.secret)];
  });
}

/** Everything that a new resource is made with. */
export function changesOfCreate(kind: Kind, spec: Spec, judged: Judged): FieldChange[] {
  return eachSet(kind, spec, (name, field, value) => {
    const impact = judged === "change" ? impactOfMaking(field, value, spec) : impactOfLosing(field, value, spec);
    return fieldChange(`spec.${name}`, null, value, impact, field.secret === true);
  });
}

/** What a replacement is made with: the differences, and the secrets that are sent anew and can't be compared. */
export function changesOfReplace(
  kind: Kind,
  before: Spec,
  after: Spec,
  changed: readonly Difference[],
  judged: Judged,
): FieldChange[] {
  const secrets = eachSet(kind, after, (name, field, value) => {
    if (field.writeOnly !== true || field.secret !== true) return null;
    return fieldChange(`spec.${name}`, value, value, { impact: "none", reason: null }, true);
  });
  return [...changesOfUpdate(kind, before, after, changed, judged), ...secrets];
}

/** Everything that goes with a deleted resource. */
export function changesOfDelete(kind: Kind, spec: Spec, judged: Judged): FieldChange[] {
  return eachSet(kind, spec, (name, field, value) => {
    const impact = judged === "change" ? impactOfLosing(field, value, spec) : impactOfMaking(field, value, spec);
    return fieldChange(`spec.${name}`, value, null, impact, field.secret === true);
  });
}

function impactOfMaking(field: Field, value: Value, spec: Spec): ImpactReason {
  return field.impact(null, value, { before: null, after: spec });
}

function impactOfLosing(field: Field, value: Value, spec: Spec): ImpactReason {
  // With the edge its modules go too: nothing is left that they would have guarded.
  if (field.module !== undefined) return { impact: "none", reason: null };
  return field.impact(value, null, { before: spec, after: null });
}

/** The marker's own change, when it has one. */
export function markerChange(before: Marker | null, after: Marker | null): FieldChange {
  const path = "metadata.marker";
  return { path, before: markerJson(before), after: markerJson(after), impact: "none", reason: null };
}

/** The worst impact of some changes, with its reason. */
export function worst(changes: readonly FieldChange[]): { readonly impact: Impact; readonly reason: string | null } {
  const found = worstOf(changes);
  return found === null || found.impact === "none"
    ? { impact: "none", reason: null }
    : { impact: found.impact, reason: found.reason };
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

/** Whether a value is JSON as it stands. */
function isPlain(value: Value | undefined): value is Json {
  if (typeof value !== "object") return value !== undefined;
  if (value === null) return true;
  if (value instanceof Secret) return false;
  if (Array.isArray(value)) return value.every(isPlain);
  const object = value as ValueObject;
  return Object.keys(object).every((name) => isPlain(object[name]));
}

function eachSet(
  kind: Kind,
  spec: Spec,
  make: (name: string, field: Field, value: Value) => FieldChange | null,
): FieldChange[] {
  const changes: FieldChange[] = [];
  for (const { field, name } of fieldList(kind.fields)) {
    const value = spec[name] ?? null;
    const empty = value === null || value === "" || (Array.isArray(value) && value.length === 0);
    if (empty || field.write === "never") continue;
    const change = make(name, field, value);
    if (change !== null) changes.push(change);
  }
  return changes;
}

function fieldChange(
  path: string,
  before: Value,
  after: Value,
  { impact, reason }: ImpactReason,
  sensitive: boolean,
): FieldChange {
  const unavailable = unavailableIn(after);
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

/** Both sides as a report shows them. What is live has no source, even where only a manifest can tell what it is. */
function shownSides(before: Value, after: Value): readonly [Json, Json] {
  const policies = before instanceof SecretPolicy || after instanceof SecretPolicy;
  if (policies && before !== null && after !== null) return shownBoth(before, after);
  return [before instanceof Secret && !policies ? MASK : maskedValue(before), maskedValue(after)];
}

/** The sources of secrets in a value, or in a module, that are not available here. */
function unavailableIn(value: Value): readonly string[] {
  if (value instanceof SecretPolicy) return value.unavailable;
  if (value instanceof Secret) return value.missing === null ? [] : [value.source];
  if (typeof value !== "object" || value === null || Array.isArray(value)) return [];
  const module = value as ValueObject;
  return Object.keys(module).flatMap((member) => {
    const part = module[member];
    return part instanceof Secret ? unavailableIn(part) : [];
  });
}

/** Whether a value holds a reference to something that is still to be made. */
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
