import type { Spec } from "../core/json.js";
import { hostportKey } from "../kinds/codecs/reference-codecs.js";
import { kindOfId } from "../kinds/id-prefixes.js";
import type { Kind, Reference } from "../kinds/kind.js";
import { kinds } from "../kinds/registry.js";
import { type LiveIndex, keyOf, referencesIn, shapeOf } from "./live-index.js";
import type { PlanContext } from "./plan-context.js";

/** A reference to something that a completely read list would show, if it were there. */
export interface DeadReference {
  /** `spec.backend` */
  readonly path: string;
  /** In words: `the HTTP response backend bkdhr_1`. */
  readonly target: string;
}

/**
 * The references in a spec to what is not live: ids of listed kinds, told by their prefix, and hostports that are the
 * `addr` of a resource. Nothing is said of kinds that no list shows, or whose list could not be read.
 */
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

/** The references in a spec to any of these live resources, by id or hostport. */
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

/** TLS edges serve their own hosts at this port; no service assigns it to an address. */
const ownPort = ":443";

/**
 * Whether a hostport is one that the service assigns: it has the known form, its host looks like that of a live one, digits
 * aside, or it is in a domain where the live ones have names of all sorts.
 */
function isAddr({ addrForm }: Kind, hostport: string, { addrShapes }: LiveIndex): boolean {
  if (hostport.endsWith(ownPort)) return false;
  const { domain, shape } = shapeOf(hostport);
  const shapes = new Set(addrShapes.get(domain));
  return addrForm?.test(hostport) === true || shapes.has(shape) || (domain !== "" && shapes.size > 1);
}
