import { clearableText } from "./codecs/plain.js";
import { userMetadata } from "./codecs/user-metadata.js";
import { plain } from "./codecs/plain.js";
import { moduleCodec } from "./codecs/module.js";
import { ref } from "./codecs/refs.js";
import type { Field } from "./kind.js";
import { cosmetic, isOn, noImpact, neverAnyImpact } from "./impacts.js";

/** "human-readable, optional": no kind gives it a meaning. */
export const description: Field = { codec: clearableText, unset: { value: "" }, write: "any", impact: cosmetic };

/** "user-defined machine-readable data", which also carries the marker. */
export const metadata: Field = {
  codec: userMetadata,
  unset: { value: "" },
  write: "any",
  marker: true,
  impact: cosmetic,
};

/** "true when the module is applied to traffic … defaults to true if unspecified" (specification, "Conventions"). */
export const enabled: Field = member({ codec: plain, unset: { value: true } });

/** A member of a module; what its changes do is told by the module. */
export function member(field: Pick<Field, "codec" | "unset"> & Partial<Field>): Field {
  return { write: "any", impact: neverAnyImpact, ...field };
}

/** A module of an edge: null when it is not configured. */
export function moduleField(options: {
  readonly endpoint: boolean;
  readonly unset: Field["unset"];
  readonly members: { readonly [member: string]: Field };
  readonly impact: Field["impact"];
}): Field {
  const { endpoint, unset, members, impact } = options;
  return {
    codec: moduleCodec(members),
    unset,
    write: "any",
    module: { endpoint, members },
    // "false when disabled" (specification, "Conventions"): what was off and stays off touches no traffic.
    impact: (before, after, whole) => (isOn(before) || isOn(after) ? impact(before, after, whole) : noImpact),
  };
}

/** The Ref of an edge that a route belongs to: part of its path, never sent. */
export const edgeOfRoute: Field = { codec: ref(null), unset: { value: null }, write: "never", impact: neverAnyImpact };
