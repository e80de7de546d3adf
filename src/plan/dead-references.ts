import type { Spec } from "../core/json.js";
import { hostportKey } from "../kinds/codecs/reference-codecs.js";
import type { Kind, Reference } from "../kinds/kind.js";
import { kindOfId } from "../kinds/id-prefixes.js";
import type { KindName } from "../kinds/names.js";
import { kinds } from "../kinds/registry.js";
import type { Live } from "../live/live.js";
import { type LiveIndex, domainOfHost, eachReference, instanceKey, keyOf, shapeOfHost } from "./live-index.js";

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
  { index, live }: { readonly index: LiveIndex; readonly live: Live },
): readonly DeadReference[] {
  const found: DeadReference[] = [];
  eachReference(kind, spec, (reference, field) => {
    const { kind: referred } = reference;
    if (referred === null || !isListed(reference, index) || isAlive(reference, index)) return;
    if (live.unreadable.some((unread) => unread.kind === referred)) return;
    found.push({ path: `spec.${field}`, target: inWords(reference, referred) });
  });
  return found;
}

/** The references in a spec to any of these live resources, by id or hostport. */
export function referencesTo(
  keys: ReadonlySet<string>,
  { kind, spec }: { readonly kind: Kind; readonly spec: Spec },
  { index }: { readonly index: LiveIndex },
): readonly DeadReference[] {
  const found: DeadReference[] = [];
  eachReference(kind, spec, (reference, field) => {
    const key = keyOf(reference, index);
    if (key === null || reference.kind === null || !keys.has(key)) return;
    found.push({ path: `spec.${field}`, target: inWords(reference, reference.kind) });
  });
  return found;
}

function inWords(reference: Reference, referred: KindName): string {
  return `the ${kinds[referred].title} ${textOf(reference)}`;
}

function isAlive({ kind, target }: Reference, index: LiveIndex): boolean {
  if ("id" in target) return kind !== null && index.byInstance.has(instanceKey(kind, target.id));
  return "addr" in target && index.byAddr.has(hostportKey(target.addr));
}

/** Whether the list of its kind would show what is referred to. What manifests name is their own affair. */
function isListed(reference: Reference, index: LiveIndex): boolean {
  const { kind, target } = reference;
  if (!mayBeListed(reference)) return false;
  return !("addr" in target) || (kind !== null && isAddr(kinds[kind], hostportKey(target.addr), index));
}

/** The same, as far as it doesn't depend on what is live. */
function mayBeListed({ kind, target }: Reference): boolean {
  if ("id" in target) return kindOfId(target.id) === kind;
  return "addr" in target && kind !== null && !hostportKey(target.addr).endsWith(ownPort);
}

/** TLS edges serve their own hosts at this port; no service assigns it to an address. */
const ownPort = ":443";

/**
 * Whether a hostport is one that the service assigns: it has the known form, its host looks like that of a live one, digits
 * aside, or it is in a domain where the live ones have names of all sorts.
 */
function isAddr({ addrForm }: Kind, hostport: string, index: LiveIndex): boolean {
  if (addrForm?.test(hostport) === true || index.addrShapes.has(shapeOfHost(hostport))) return true;
  const domain = domainOfHost(hostport);
  return domain !== null && index.addrDomains.has(domain);
}

function textOf({ target }: Reference): string {
  return "id" in target ? target.id : "addr" in target ? target.addr : target.name;
}
