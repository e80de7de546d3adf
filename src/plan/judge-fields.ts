import type { Json } from "../core/json.js";
import { security } from "../kinds/impact.js";
import { kindOf } from "../kinds/names.js";
import { kinds } from "../kinds/registry.js";
import { impactOfDelete } from "./build-removal.js";
import { specPath } from "./diff.js";
import { changesOfCreate, changesOfDelete, changesOfUpdate } from "./field-changes.js";
import { type Change, type FieldChange, worstImpact } from "./plan-format.js";

/**
 * A change whose impact and reasons are computed from its action, address and fields alone, whatever it says of them. What it
 * says besides is left out, but for its notes. Fields that don't change are not known: a rule that needs one assumes the worst.
 */
export function judgeFields({ action, address, fields: told, id, notes }: Change): Change {
  const kind = kinds[kindOf(address)];
  const context = { kind, judged: "change", moves: new Map(), options: {} } as const;
  const [before, after] = [specOf(told, "before"), specOf(told, "after")];
  const changed = told.flatMap(({ path, before: old, after: next }) => {
    const at = specPath(path);
    return at === null ? [] : [{ field: at.field, path, before: old, after: next }];
  });
  const judged = {
    create: () => changesOfCreate(context, after),
    delete: () => changesOfDelete(context, before),
    change: () => changesOfUpdate(context, { before, after, changed }),
  }[action === "create" || action === "delete" ? action : "change"]();
  const byPath = new Map(judged.map((field) => [field.path, field]));
  const unknown = security("this version of edgewise does not know the field");
  const fields = told.map(({ path, before: old, after: next, unknown: later = false }): FieldChange => {
    const own = byPath.get(path);
    if (own !== undefined) return { ...own, unknown: later };
    const impact = specPath(path) === null ? ({ impact: "none", reason: null } as const) : unknown;
    return { path, before: old, after: next, ...impact };
  });
  const whole = action === "delete" ? impactOfDelete(context, { spec: before }, fields) : worstImpact(fields);
  return { address, action, id, source: null, fields, ...whole, origin: null, notes };
}

/** One side of the fields, as a spec that holds nothing else. */
function specOf(fields: readonly FieldChange[], side: "before" | "after"): { readonly [field: string]: Json } {
  const spec: { [field: string]: Json } = {};
  for (const { path, [side]: value } of fields) {
    const at = specPath(path);
    if (at === null) continue;
    if (at.member === undefined) spec[at.field] = value;
    else
      spec[at.field] = { ...(spec[at.field] as { readonly [member: string]: Json } | undefined), [at.member]: value };
  }
  return spec;
}
