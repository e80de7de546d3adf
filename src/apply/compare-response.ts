import { type Value, isObject } from "../core/json.js";
import type { Field } from "../kinds/kind.js";
import { readMarker } from "../kinds/marker.js";
import { kindOf } from "../kinds/names.js";
import { kinds } from "../kinds/registry.js";
import type { Operation } from "../plan/plan-format.js";

type Fields = { readonly [member: string]: Field };

/** Secrets are left out. */
export function differences(operation: Operation, sent: Value | undefined, response: Value): readonly string[] {
  if (!isObject(sent) || !isObject(response)) return [];
  const { fields } = kinds[kindOf(operation.address)];
  if (operation.kind !== "module-put") return compare(fields, sent, response, "");
  const module = operation.path.slice(operation.path.lastIndexOf("/") + 1);
  const members = fields[module]?.module?.members;
  return members === undefined ? [] : compare(members, sent, response, "");
}

function compare(
  fields: Fields,
  sent: { readonly [member: string]: unknown },
  response: { readonly [member: string]: unknown },
  above: string,
): string[] {
  const found: string[] = [];
  for (const [name, field] of Object.entries(fields)) {
    const wanted = sent[field.writeAs ?? name] as Value | undefined;
    const got = response[name] as Value | undefined;
    if (wanted === undefined || got === undefined || field.secret === true || field.writeOnly === true) continue;
    const members = field.module?.members;
    if (members !== undefined && isObject(wanted) && isObject(got))
      found.push(...compare(members, wanted, got, `${above}${name}.`));
    else if (!same(field, wanted, got)) found.push(`${above}${name}`);
  }
  return found;
}

function same(field: Field, wanted: Value, got: Value): boolean {
  if (field.marker === true && wanted !== got && !sameMarker(wanted, got)) return false;
  const { codec } = field;
  return (
    codec.same(codec.fromWire(field.writeAs === undefined ? wanted : asRefs(wanted)), codec.fromWire(got)) !== false
  );
}

function sameMarker(wanted: Value, got: Value): boolean {
  return JSON.stringify(readMarker(wanted).marker) === JSON.stringify(readMarker(got).marker);
}

/** `ip_policy_ids` of a request are objects with an `id` in the response. */
function asRefs(value: Value): Value {
  if (Array.isArray(value)) return (value as readonly Value[]).map((id) => ({ id }));
  return typeof value === "string" ? { id: value } : value;
}
