import type { Json } from "../json.js";
import type { Deletion, Replaced } from "../manifest/manifest.js";
import type { Impact } from "../plan/plan.js";
import type { KindName } from "./names.js";
import type { Spec, Value } from "./value.js";

/** What one change of a field can do, and why in words. */
export interface ImpactReason {
  readonly impact: Impact;
  readonly reason: string | null;
}

/** A value as a request carries it: JSON, with what is bound later (null in `json`) beside it by JSON pointer. */
export interface WireValue {
  readonly json: Json;
  readonly bind: { readonly [pointer: string]: WireBinding };
}

/** `secret` is the field's path below `spec`, made a full reference by the planner. */
export type WireBinding =
  | { readonly kind: KindName; readonly name: string; readonly part: "id" | "addr" }
  | { readonly secret: true };

/** How a field's values look in the manifest, in normal form and on the wire, and when two are the same. */
export interface Codec {
  /** Normal form of what a manifest says (already valid by its schema). */
  readonly fromManifest: (value: Value) => Value;
  /** Normal form of what the API returned; tolerates what it can't read by returning it as it is. */
  readonly fromWire: (value: Json | undefined) => Value;
  /** Request form of a normal value. */
  readonly toWire: (value: Value) => WireValue;
  /** Whether two normal values mean the same. Symmetric. Null when a secret can't be compared. */
  readonly same: (a: Value, b: Value) => boolean | null;
  /** References in a normal value. */
  readonly references: (value: Value) => readonly Reference[];
  /** The value with every reference replaced. */
  readonly mapReferences: (value: Value, map: (reference: Reference) => Value) => Value;
}

/** A value that names another resource: `{id}`, `{name}`, a hostport's `{address}` or the hostport itself. */
export interface Reference {
  readonly kind: KindName | null;
  readonly part: "id" | "addr";
  readonly target: { readonly name: string } | { readonly id: string } | { readonly addr: string };
}

/** A module of an edge: an object that is created, replaced and removed as a whole. */
export interface Module {
  /** Path below the resource for PUT, GET and DELETE; null when the specification has none. */
  readonly endpoint: string | null;
  /** How it is taken away: its DELETE, or only by disabling it. */
  readonly remove: "delete" | "disable";
}

/** Everything the generic code needs to know of one field. */
export interface Field {
  readonly codec: Codec;
  /** The value when a manifest doesn't name it, or `inherit`: what is live stays. */
  readonly unset: { readonly value: Value } | "inherit";
  /** When it may be written: any time; create alone (immutable); updates alone; never (part of the path). */
  readonly write: "any" | "create" | "update" | "never";
  /** The request's member when it differs from the response's (`ip_policies` is written as `ip_policy_ids`). */
  readonly writeAs?: string;
  /** Never compared with what is live, as the API doesn't return it. */
  readonly writeOnly?: boolean;
  readonly secret?: boolean;
  readonly module?: Module;
  /** The members of a module; compared and shown one by one. */
  readonly members?: { readonly [member: string]: Field };
  readonly impact: (before: Value, after: Value) => ImpactReason;
}

/** Everything about one kind, declared. */
export interface Kind {
  readonly kind: KindName;
  /** In words: `TLS edge`. */
  readonly title: string;
  /** Specification, "Endpoints", List; null for the kinds without one. */
  readonly collection: { readonly path: string; readonly member: string } | null;
  /** Path of one resource, ids percent-encoded. */
  readonly path: (id: string, spec: Spec) => string;
  /** In the order in which they are shown and sent. `metadata` is not among them: the marker's owner handles it. */
  readonly fields: { readonly [field: string]: Field };
  readonly defaults: { readonly deletion: Deletion; readonly replaced: Replaced };
  /** Exclusive things that a resource with this spec holds: `hostport:a.example:443`. */
  readonly claims: (spec: Spec) => readonly string[];
  /** The spec without some claims, to break a cycle; null when it can't let them go. */
  readonly without: (spec: Spec, claims: ReadonlySet<string>) => Spec | null;
  /** Whether the service would take this spec; asked of every state on the way. */
  readonly valid: (spec: Spec) => boolean;
  /** Guards that concern this kind alone, asked of each change. */
  readonly hazards: (change: {
    readonly action: "create" | "update" | "delete";
    readonly before: Spec | null;
    readonly after: Spec | null;
  }) => readonly Hazard[];
}

/** A refusal that a kind asks for. */
export interface Hazard {
  readonly code: "lockout" | "irreversible";
  readonly message: string;
}
