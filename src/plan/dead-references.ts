import type { Spec } from "../core/json.js";
import { hostportKey } from "../kinds/codecs/reference-codecs.js";
import { kindOfId } from "../kinds/id-prefixes.js";
import type { Kind, Reference } from "../kinds/kind.js";
import { kinds } from "../kinds/registry.js";
import { type LiveIndex, keyOf, referencesIn, shapeOf } from "./live-index.js";
import type { PlanContext } from "./plan-context.js";

export interface DeadReference {
  readonly path: string;
  /** `the HTTP response backend bkdhr_1` */
  readonly target: string;
}

/** To what completely read lists don't have: ids by their prefix, and hostports that are an `addr`. */
export function deadReferences(
  kind: Kind,
  spec: Spec,
  { index, live }: Pick<PlanContext, "index" | "live">,
): readonly DeadReference[] {
  return referencesIn(kind, spec).flatMap(({ reference, field }) => {
    const { kind: referred, target } = reference;
    if (referred === null || keyOf(reference, index) !== null) return [];
    if (live.unreadable.some((unread) => unread.kind === referred)) return [];
    const isListed = "id" in target ? kindOfId(target.id) === referred : "addr" in target;
    const isAssigned = !("addr" in target) || isAddr(kinds[referred], hostportKey(target.addr), index);
    return isListed && isAssigned ? [inWords(reference, field)] : [];
  });
}

export function referencesTo(
  keys: ReadonlySet<string>,
  { kind, spec }: { readonly kind: Kind; readonly spec: Spec },
  { index }: Pick<PlanContext, "index">,
): readonly DeadReference[] {
  return referencesIn(kind, spec).flatMap(({ reference, field }) =>
    keys.has(keyOf(reference, index) ?? "") ? [inWords(reference, field)] : [],
  );
}

function inWords({ kind, target }: Reference, field: string): DeadReference {
  const name =
    "id" in target ? target.id : "addr" in target ? target.addr : "stack" in target ? target.named : target.name;
  return { path: `spec.${field}`, target: `the ${kind === null ? "" : kinds[kind].title} ${name}` };
}

/** It has the known form, or is like a live one but for its digits. */
function isAddr({ addrForm }: Kind, hostport: string, { addrShapes }: LiveIndex): boolean {
  // TLS edges serve their own hosts at this port; no service assigns it to an address.
  if (hostport.endsWith(":443")) return false;
  return addrForm?.test(hostport) === true || addrShapes.has(shapeOf(hostport));
}
