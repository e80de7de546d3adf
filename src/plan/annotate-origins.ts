import { moduleKinds } from "../kinds/names.js";
import { kinds } from "../kinds/registry.js";
import type { Manifest } from "../manifest/manifest.js";
import { canonicalJson, hashPlan } from "./canonical-json.js";
import type { Change, FieldChange, Origin, Plan, Warning } from "./plan-format.js";

/**
 * Marks each field change with its origin: this branch (`desired`), a live change (`drift`), or both. It compares the plan
 * of the branch's manifests with the plan of the manifests at the merge base over the same live lists, and changes no
 * operation.
 * @param basePlan the plan of the manifests at the merge base
 */
export function annotateOrigins(
  plan: Plan,
  basePlan: Plan,
  options: { readonly base: string; readonly now: readonly Manifest[]; readonly atBase: readonly Manifest[] },
): Plan {
  const baseChanges = new Map(basePlan.changes.map((change) => [change.address, change]));
  const described = new Set<string>(options.atBase.map((manifest) => manifest.address));
  const former = formerNames(options.now);
  const changes = plan.changes.map((change) => {
    const name = described.has(change.address)
      ? change.address
      : (former.get(change.address)?.find((one) => described.has(one)) ?? null);
    return annotate(change, name === null ? undefined : baseChanges.get(name as Change["address"]), name !== null);
  });
  const { hash: _hash, toolVersion, ...rest } = plan;
  const annotated = {
    ...rest,
    changes,
    warnings: [...plan.warnings, ...droppedModules(options.now, options.atBase)],
    base: options.base,
  };
  return { ...annotated, toolVersion, hash: hashPlan(annotated) };
}

function annotate(change: Change, atBase: Change | undefined, wasDescribed: boolean): Change {
  // No manifest of the base describes the resource: this branch adds it, or somebody made it live.
  if (!wasDescribed) {
    const origin: Origin = change.action === "delete" || change.action === "orphan" ? "drift" : "desired";
    return { ...change, origin, fields: change.fields.map((field) => ({ ...field, origin })) };
  }
  if (atBase !== undefined && atBase.action === "create" && change.action === "create") {
    const same = canonicalJson(fieldsOf(atBase)) === canonicalJson(fieldsOf(change));
    const origin: Origin = same ? "drift" : "both";
    return { ...change, origin, fields: change.fields.map((field) => ({ ...field, origin })) };
  }
  const known = atBase?.fields ?? [];
  const fields = change.fields.map((field): FieldChange => ({ ...field, origin: originOf(field, known) }));
  const origins = new Set(fields.map((field) => field.origin));
  const [only] = origins;
  return { ...change, fields, origin: origins.size === 0 ? "desired" : origins.size === 1 ? (only ?? null) : "both" };
}

/** Live differs from the base only if the base's own plan would change the field, or the module that it is part of. */
function originOf(field: FieldChange, known: readonly FieldChange[]): Origin {
  const atBase = known.find(({ path }) => path === field.path);
  if (atBase !== undefined) return canonicalJson(atBase.after) === canonicalJson(field.after) ? "drift" : "both";
  // One changes a member, the other its whole module: the base and the branch want different things of it.
  return known.some(({ path }) => within(path, field.path) || within(field.path, path)) ? "both" : "desired";
}

function within(path: string, whole: string): boolean {
  return path.startsWith(`${whole}.`);
}

function fieldsOf(change: Change): readonly unknown[] {
  return change.fields.map(({ path, after }) => ({ path, after }));
}

function formerNames(manifests: readonly Manifest[]): ReadonlyMap<string, readonly string[]> {
  return new Map(manifests.map((one) => [one.address, one.previousNames.map((name) => `${one.kind}/${name}`)]));
}

/** Warns of HTTPS modules that the base declared and the branch no longer names: the live modules stay. */
function droppedModules(now: readonly Manifest[], atBase: readonly Manifest[]): readonly Warning[] {
  const listed: ReadonlySet<string> = new Set(moduleKinds);
  const current = new Map(now.map((manifest) => [`${manifest.kind}@${manifest.id ?? ""}`, manifest]));
  return atBase.flatMap((manifest) => {
    if (!listed.has(manifest.kind)) return [];
    const still = current.get(`${manifest.kind}@${manifest.id ?? ""}`);
    return Object.entries(manifest.spec).flatMap(([module, value]) => {
      const isModule = kinds[manifest.kind].fields[module]?.module !== undefined;
      const dropped = isModule && value !== null && value !== undefined && still?.spec[module] === undefined;
      const message = `spec.${module} was declared at the base and is no longer named: the live module stays; write null to remove it`;
      return dropped ? [{ code: "module-dropped", message, address: manifest.address }] : [];
    });
  });
}
