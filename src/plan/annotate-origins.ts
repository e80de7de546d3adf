import { isObject, parseJson } from "../core/json.js";
import { kindOf } from "../kinds/names.js";
import { kinds } from "../kinds/registry.js";
import type { Manifest } from "../manifest/manifest.js";
import { MASK, isSecretLabel } from "../core/secret.js";
import {
  canonicalJson,
  type Change,
  type FieldChange,
  hashPlan,
  type Origin,
  type Plan,
  type Refusal,
  type Warning,
} from "./plan-format.js";
import { specPath } from "./diff.js";

export function annotateOrigins(
  plan: Plan,
  basePlan: Plan,
  { atBase, base, now }: Readonly<{ base: string; now: readonly Manifest[]; atBase: readonly Manifest[] }>,
): Plan {
  const baseChanges = new Map<string, Change>(basePlan.changes.map((change) => [change.address, change]));
  const described = new Set<string>(atBase.map(({ address }) => address));
  const former = new Map<string, readonly string[]>(
    now.map((one) => [one.address, one.previousNames.map((name) => `${one.kind}/${name}`)]),
  );
  const namesOf = (address: string) => [address, ...(former.get(address) ?? [])];
  const unread = new Set<string>(basePlan.unavailableSecrets.map(({ address }) => address));
  const changes = plan.changes.map((change) => {
    const name = namesOf(change.address).find((one) => described.has(one));
    if (name === undefined) return withOrigin(change, isRemoval(change) ? "drift" : "desired");
    return annotate(change, baseChanges.get(name), unread.has(name));
  });
  const refusedAtBase = new Set(basePlan.refusals.map(({ code, address }) => `${code} ${address ?? ""}`));
  const refusals = plan.refusals.map((refusal): Refusal => {
    const { code, address } = refusal;
    if (code === "policy") return refusal;
    const isOld = namesOf(address ?? "").some((name) => refusedAtBase.has(`${code} ${name}`));
    return { ...refusal, origin: isOld ? "drift" : "desired" };
  });
  const warnings = [...plan.warnings, ...droppedModules(now, atBase)];
  const annotated = { ...plan, changes, refusals, warnings, base };
  return { ...annotated, hash: hashPlan(annotated) };
}

function annotate(change: Change, atBase: Change | undefined, isUnread: boolean): Change {
  if (atBase?.action === "create" && change.action === "create") {
    const [then, now] = [atBase, change].map(({ fields }) => fields.map(({ path, after }) => ({ path, after })));
    return withOrigin(change, canonicalJson(then) === canonicalJson(now) ? "drift" : "both");
  }
  const compared = change.fields.map((field): FieldChange => {
    const origin = originOf(field, atBase?.fields ?? []);
    return { ...field, origin: origin === "desired" && isUnread && isSecretChange(field) ? "unknown" : origin };
  });
  const { fields: declared } = kinds[kindOf(change.address)];
  const isSentAlong = ({ path }: FieldChange) =>
    compared.length > 1 && declared[specPath(path)?.field ?? ""]?.writeOnly === true;
  const origin = originOfAll(compared.filter((field) => !isSentAlong(field)));
  const fields = compared.map((field) => (isSentAlong(field) ? { ...field, origin } : field));
  if (isRemoval(change)) return { ...change, fields, origin: atBase === undefined ? "desired" : "both" };
  // Left from an interrupted run: nobody here asked for it.
  if (fields.length === 0) return { ...change, origin: atBase === undefined ? "desired" : "unknown" };
  return { ...change, fields, origin };
}

function withOrigin(change: Change, origin: Origin): Change {
  return { ...change, origin, fields: change.fields.map((field) => ({ ...field, origin })) };
}

function isRemoval({ action }: Change) {
  return action === "delete" || action === "orphan";
}

function originOfAll(fields: readonly FieldChange[]): Origin {
  const origins = new Set(fields.map((field) => field.origin ?? "desired"));
  const isUncertain = origins.delete("unknown");
  const [only = isUncertain ? "unknown" : "desired"] = origins;
  if (origins.size > 1) return "both";
  return isUncertain && only === "drift" ? "unknown" : only;
}

function originOf(field: FieldChange, known: readonly FieldChange[]): Origin {
  const atBase = known.find(({ path }) => path === field.path);
  if (atBase !== undefined) {
    if (isSecretChange(field) || isSecretChange(atBase)) return "unknown";
    return canonicalJson(atBase.after) === canonicalJson(field.after) ? "drift" : "both";
  }
  // One side changes a member, the other its whole module.
  const isPart = (path: string, whole: string) => path.startsWith(`${whole}.`);
  return known.some(({ path }) => isPart(path, field.path) || isPart(field.path, path)) ? "both" : "desired";
}

function isSecretChange({ before, after }: FieldChange) {
  if (before === null || after === null) return false;
  return (
    canonicalJson([before, after]).includes(labelStart) &&
    canonicalJson(unlabelled(before)) === canonicalJson(unlabelled(after))
  );
}

const labelStart = MASK.slice(0, -1);

function unlabelled(value: unknown): unknown {
  if (typeof value === "string") {
    if (isSecretLabel(value)) return MASK;
    const parsed = value.includes(labelStart) ? parseJson(value) : { problem: "syntax" };
    return "value" in parsed && typeof parsed.value === "object" ? unlabelled(parsed.value) : value;
  }
  if (Array.isArray(value)) return value.map(unlabelled);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, unlabelled(member)]));
}

function droppedModules(now: readonly Manifest[], atBase: readonly Manifest[]): readonly Warning[] {
  const keyOf = ({ kind, id }: Manifest) => `${kind}@${id ?? ""}`;
  const current = new Map(now.map((manifest) => [keyOf(manifest), manifest.spec]));
  return atBase.flatMap((manifest) => {
    const { collection, fieldList } = kinds[manifest.kind];
    const dropped = fieldList.filter(
      ({ field, name }) =>
        collection === null &&
        field.module !== undefined &&
        (manifest.spec[name] ?? null) !== null &&
        current.get(keyOf(manifest))?.[name] === undefined,
    );
    return dropped.map(({ name }): Warning => {
      const message = `spec.${name} is no longer named: the live module stays; write null to remove it`;
      return { code: "module-dropped", message, address: manifest.address };
    });
  });
}
