import type { Json, Value } from "../../json.js";
import type { Codec, Reference, WireBinding } from "../kind.js";
import { listOf, mapped, sameSet, textMember } from "./refs.js";

/**
 * The set of hostports that an edge serves: `host:port`, or `{address: name}` for the addr of a reserved address.
 * Hosts are names of the DNS: their case means nothing.
 */
export const hostports: Codec = {
  fromManifest: (value) => uniqueHostports(listOf(value)),
  fromWire: (value) => value ?? [],
  toWire: (value) => {
    const bind: Record<string, WireBinding> = {};
    const json = listOf(value).map((item, index): Json => {
      const name = textMember(item, "address");
      if (name === null) return typeof item === "string" ? item : null;
      bind[`/${index}`] = { kind: "ReservedAddress", name, part: "addr" };
      return null;
    });
    return { json, bind };
  },
  same: (a, b) => sameSet(a, b, keyOfHostport),
  refersTo: ["ReservedAddress"],
  references: (value) => listOf(value).map(referenceOf),
  resolve: (value, resolve) => {
    const resolved = mapped(value, (item) => {
      const target = textMember(item, "address") === null ? null : resolve(referenceOf(item));
      return target !== null && "addr" in target ? target.addr : item;
    });
    // The addr may stand there as text, too.
    return resolved === value ? value : uniqueHostports(listOf(resolved));
  },
};

/** The claim that a hostport stands for; null when its text is known only after apply. */
export function hostportClaim(item: Value): string | null {
  return typeof item === "string" ? `hostport:${item.toLowerCase()}` : null;
}

function uniqueHostports(items: readonly Value[]): readonly Value[] {
  if (items.length < 2) return items;
  return [...new Map(items.map((item) => [keyOfHostport(item), item])).values()];
}

/** What makes a hostport different from another. */
function keyOfHostport(item: Value): string {
  return typeof item === "string"
    ? item.toLowerCase()
    : `address:${textMember(item, "address") ?? JSON.stringify(item)}`;
}

function referenceOf(item: Value): Reference {
  const name = textMember(item, "address");
  const target = name === null ? { addr: typeof item === "string" ? item : "" } : { name };
  return { kind: "ReservedAddress", part: "addr", target };
}
