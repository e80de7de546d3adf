import { type Json, type JsonObject, isObject, mapTexts } from "../core/json.js";
import type { Field, NamedField } from "../kinds/kind.js";
import { plainMetadata, readMarker, writeMarker } from "../kinds/marker.js";
import { kindOf } from "../kinds/names.js";
import { kinds } from "../kinds/registry.js";
import { canonicalJson, hashPlan } from "./canonical-json.js";
import { fieldAt } from "./diff.js";
import type { Operation, Plan } from "./plan-format.js";

type Redact = (text: string) => string;

/**
 * A plan as it is shown and saved: with known secrets masked in the free texts of its requests, which may send again what
 * is live, and in live values. What is sent are the texts themselves, so this is no plan to be run.
 */
export function shownPlan(plan: Plan, redact: Redact): Plan {
  const changes = plan.changes.map((change) => {
    const fields = change.fields.map((field) => {
      const declared = fieldAt(kinds[kindOf(change.address)], field.path);
      return declared === undefined ? field : { ...field, before: withoutEchoes(declared, field.before, redact) };
    });
    return { ...change, fields };
  });
  const operations = plan.operations.map((operation) => ({ ...operation, body: shownBody(operation, redact) }));
  const shown = { ...plan, changes, operations };
  const isSame = canonicalJson([changes, operations]) === canonicalJson([plan.changes, plan.operations]);
  return isSame ? plan : { ...shown, hash: hashPlan(shown) };
}

function shownBody({ address, body, kind, path }: Operation, redact: Redact): Json {
  if (!isObject(body)) return body;
  const { fieldList, fields } = kinds[kindOf(address)];
  const module = kind === "module-put" ? fields[path.slice(path.lastIndexOf("/") + 1)]?.module : undefined;
  return membersWithoutEchoes(module?.memberList ?? fieldList, body, redact);
}

/** A live value with the known secrets masked in its free texts. */
export function withoutEchoes(field: Field, value: Json, redact: Redact): Json {
  if (field.marker === true && typeof value === "string") return metadataWithoutEchoes(value, redact);
  if (field.freeText === true) return mapTexts(value, redact);
  return field.module === undefined || !isObject(value)
    ? value
    : membersWithoutEchoes(field.module.memberList, value, redact);
}

function membersWithoutEchoes(fields: readonly NamedField[], values: JsonObject, redact: Redact): Json {
  const masked = fields.flatMap(({ name, field }): [string, Json][] => {
    const member = field.writeAs ?? name;
    const value = values[member];
    return value === undefined ? [] : [[member, withoutEchoes(field, value, redact)]];
  });
  return { ...values, ...Object.fromEntries(masked) };
}

/** The marker in metadata names the stack and the resource: that is never masked. */
function metadataWithoutEchoes(text: string, redact: Redact): string {
  const { marker, user } = readMarker(text);
  const masked = mapTexts(user as Json, redact);
  if (canonicalJson(masked) === canonicalJson(user)) return text;
  return marker === null ? plainMetadata(masked) : writeMarker(marker, masked);
}
