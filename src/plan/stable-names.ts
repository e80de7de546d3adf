import type { Value } from "../core/json.js";
import { addrOf, hostportKey } from "../kinds/codecs/reference-codecs.js";
import type { Field, Reference } from "../kinds/kind.js";
import { type Address, addressOf } from "../kinds/names.js";
import { type LiveIndex, type LiveResource, addressOfLive, instanceKey } from "./live-index.js";
import type { Match } from "./match.js";
import type { ProposedState } from "./proposed-state.js";

/** Values in a form that is the same on both sides, and stays the same while ids come and go. */
export interface StableNames {
  /** The names of what a list of references leads to, sorted; null when the value is no such list. */
  readonly itemsOf: (field: Field, value: Value) => readonly string[] | null;
  /** @param beside the value on the other side */
  readonly valueOf: (field: Field, value: Value, beside: Value) => unknown;
}

/**
 * Names what references lead to: a resource of the stack by its name, anything else by its id or addr. A resource that
 * replaces another that is still there has another name than that one, before it is made and afterwards.
 */
export function stableNames(states: readonly ProposedState[], index: LiveIndex): StableNames {
  const described = new Map(states.map((state) => [state.match.address, state]));
  const nameOf = (reference: Reference): string => {
    const { kind, part, target } = reference;
    if ("addr" in target) {
      const holder = index.byAddr.get(hostportKey(target.addr));
      return holder === undefined ? hostportKey(target.addr) : nameOfLive(holder, part, index);
    }
    if ("id" in target) {
      const found = kind === null ? undefined : index.byInstance.get(instanceKey(kind, target.id));
      return found === undefined ? target.id : nameOfLive(found, part, index);
    }
    if (kind === null) return target.name;
    const address = addressOf(kind, target.name);
    const state = described.get(address);
    if (state !== undefined) return nameOfDescribed(state, part, index);
    const [live] = index.owned.get(address) ?? [];
    return live === undefined ? address : nameOfLive(live, part, index);
  };
  const namesIn = ({ codec }: Field, value: Value): readonly string[] | null => {
    const references = value === null ? undefined : codec.references?.(value);
    // What is no reference, though it should be one, counts as it stands.
    if (references === undefined || references.length !== (Array.isArray(value) ? value.length : 1)) return null;
    return [...new Set(references.map(nameOf))].toSorted();
  };
  return {
    itemsOf: (field, value) => (Array.isArray(value) ? namesIn(field, value) : null),
    valueOf: (field, value, beside) => namesIn(field, value) ?? field.codec.comparable?.(value, beside) ?? value,
  };
}

function nameOfDescribed({ match, replacedFor }: ProposedState, part: Reference["part"], index: LiveIndex): string {
  const { address, current } = match;
  if (current === null) return address;
  return replacedFor.length > 0 ? replacing(formerOf(match, current), current.id) : nameOfLive(current, part, index);
}

function formerOf({ address }: Match, current: LiveResource): Address {
  return current.owned ? addressOfLive(current) : address;
}

function nameOfLive(resource: LiveResource, part: Reference["part"], index: LiveIndex): string {
  const { id, kind, owned, wire } = resource;
  if (!owned) {
    const addr = part === "addr" ? addrOf(kind, wire) : null;
    return addr === null ? id : hostportKey(addr);
  }
  const address = addressOfLive(resource);
  const replaced = index.replacedBy(resource);
  if (replaced?.owned === true) return replacing(addressOfLive(replaced), replaced.id);
  const namesakes = index.owned.get(address) ?? [];
  // Duplicates, which nothing links.
  const isAlone = namesakes.every((other) => other === resource || isLinked(other, namesakes));
  return isAlone ? address : `${address} ${id}`;
}

function isLinked({ marker }: LiveResource, namesakes: readonly LiveResource[]): boolean {
  return namesakes.some(({ id }) => id === marker?.replaces);
}

function replacing(address: Address, id: string): string {
  return `${address} in place of ${id}`;
}
