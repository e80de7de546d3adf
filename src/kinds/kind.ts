import type { Json, JsonObject, Spec, Value, ValueObject } from "../core/json.js";
import type { Impact, ImpactReason, WholeResource } from "./impact.js";
import type { KindName } from "./names.js";

/** A value as a request carries it: JSON, with what is bound later (null in `json`) beside it by JSON pointer. */
interface WireValue {
  readonly json: Json;
  readonly bind: { readonly [pointer: string]: WireBinding };
}

/**
 * What is put in place of a null: an id or addr of something to be made, or this field's secret. `live`: the secret is
 * the service's own, which no manifest can give again.
 */
export type WireBinding =
  | { readonly kind: KindName; readonly name: string; readonly part: "id" | "addr" }
  | { readonly secret: true; readonly live?: boolean };

/** A value that names another resource: `{id}`, `{name}`, a hostport's `{address}`, or the hostport's own text. */
export interface Reference {
  /** Null when this tool does not manage what is referred to (IP policies, certificate authorities …). */
  readonly kind: KindName | null;
  readonly part: "id" | "addr";
  readonly target: ReferenceTarget;
}

/** `named` is the name that a resource of another stack has there. */
export type ReferenceTarget =
  | { readonly name: string }
  | { readonly named: string; readonly stack: string }
  | { readonly id: string }
  | { readonly addr: string };

/** What the Refs of a field lead to. */
export interface ReferredKind {
  /** The kind whose manifests `{name}` stands for; null when this tool does not manage what is referred to. */
  readonly kind: KindName | null;
  /** In words, with its article: `an IP policy`. */
  readonly title: string;
  /** What every id begins with; null when the specification doesn't say, or several kinds are possible. */
  readonly idPrefix: string | null;
}

/** How a field's values look in the manifest, in normal form and on the wire, and when two are the same. */
export interface Codec {
  /** Normal form of what a manifest says (already valid by its schema). */
  readonly fromManifest: (value: Value) => Value;
  /** Normal form of what the API returned; what it can't read comes back as it is and so shows as a difference. */
  readonly fromWire: (value: Value | undefined) => Value;
  /** Request form of a normal value. */
  readonly toWire: (value: Value) => WireValue;
  /** Whether two normal values mean the same. Symmetric. Null when a secret can't be compared. */
  readonly same: (a: Value, b: Value) => boolean | null;
  /**
   * One form for all normal values that mean the same, without secrets, for fingerprints; absent = the value itself.
   * @param other the value on the other side: a manifest names the source of what is live in clear
   */
  readonly comparable?: (value: Value, other: Value) => Value;
  /** What a Ref in this field leads to; absent for fields without one, and for modules, whose members say it. */
  readonly referred?: ReferredKind;
  /** Kinds that values of this field can refer to; absent = none. */
  readonly refersTo?: readonly KindName[];
  /** References in a normal value; absent when the field never holds one. */
  readonly references?: (value: Value) => readonly Reference[];
  /** The value with every reference by name replaced by what `resolve` knows; the value itself when nothing is. */
  readonly resolve?: (value: Value, resolve: (reference: Reference) => ReferenceTarget | null) => Value;
}

/** A module of an edge: an object that is created, replaced and removed as a whole. */
interface Module {
  /** Whether every service has PUT, GET and DELETE for it, below the resource by the field's name. */
  readonly endpoint: boolean;
  /** It can't stand beside a termination that passes the traffic through encrypted. */
  readonly readsTraffic?: boolean;
  readonly members: { readonly [member: string]: Field };
  readonly memberList: readonly NamedField[];
}

/** What a field becomes in place of a live value that the rest of the manifest rules out. */
export interface Overruled {
  readonly value: Value;
  /** What the manifest names that rules the live value out, as paths in its spec. */
  readonly by: readonly string[];
}

/** How the content of a file becomes the value of a field: as text, or as a policy, which may be YAML. */
export type ContentForm = "text" | "policy";

/** Everything the generic code needs to know of one field. */
export interface Field {
  readonly codec: Codec;
  /** The value when a manifest doesn't name it, or `inherit`: what is live stays. */
  readonly unset: { readonly value: Value } | "inherit";
  /** For inherited fields: what a create begins with; absent = left to the service. */
  readonly initial?: Value;
  /**
   * For inherited members of modules: what is declared beats what is inherited. `declared` is what the manifest itself
   * says (defaults and ignored fields left out); null = the live value stays.
   */
  readonly overrule?: (live: Value, declared: Spec) => Overruled | null;
  /** For inherited members of modules: whether null is sent in such a module, where it is otherwise left out. */
  readonly nullIn?: (module: ValueObject) => boolean;
  /** When it may be written: always; by a create alone (immutable); by updates alone; never (part of the path). */
  readonly write: "any" | "create" | "update" | "never";
  /** The request's member when it differs from the response's (`ip_policies` is written as `ip_policy_ids`). */
  readonly writeAs?: string;
  /** The API doesn't return it: never compared. */
  readonly writeOnly?: boolean;
  /** Never shown, bound instead of written into a plan. Lists leave secrets out: in a kind with a list it is `writeOnly`. */
  readonly secret?: boolean;
  /** A manifest may write `{file: path}` for its value. Absent for secrets, which are read in a way of their own. */
  readonly content?: ContentForm;
  /** Text to which the service gives no meaning, where it may repeat anything: known secrets are masked where it is live. */
  readonly freeText?: boolean;
  /** The field that carries the marker on the wire. */
  readonly marker?: boolean;
  /** What the service takes at most, in bytes of UTF-8; asked only where a manifest's own text is not all that is sent. */
  readonly maxBytes?: number;
  /** A module without this member is not configured, whatever else the service shows of it. */
  readonly essential?: boolean;
  /** The service may refuse an empty list. */
  readonly wantsOne?: boolean;
  /** Phases of traffic policies that do nothing in this field, and whose they are. */
  readonly foreignPhases?: { readonly phases: RegExp; readonly owner: string };
  readonly module?: Module;
  /** What a change does to traffic. `before` is null when the resource is made, `after` when it is deleted; so in `whole`. */
  readonly impact: (before: Value, after: Value, whole: WholeResource) => ImpactReason;
  /** What `impact` can return besides none, mildest first, for documentation. A test compares the two. */
  readonly impacts: readonly Impact[];
}

/** Everything about one kind, declared. Generic code never asks which kind it has. */
export interface KindDeclaration {
  readonly kind: KindName;
  /** What its files are named for: `tls-edge` has `schemas/tls-edge.schema.json`, `src/kinds/tls-edge.ts` … */
  readonly slug: string;
  /** In words: `TLS edge`. */
  readonly title: string;
  /** What every id begins with; absent when the specification doesn't say. */
  readonly idPrefix?: string;
  /** Its names in Terraform, without the provider's prefix: `reserved_addr` of `acme_reserved_addr`; absent = none. */
  readonly terraformTypes?: readonly string[];
  /**
   * For a kind that Terraform has inside the resources of another: which attributes list it (one of them, by version), and
   * what its manifests say of the other resource.
   */
  readonly terraformPart?: {
    readonly of: KindName;
    readonly attributes: readonly string[];
    readonly spec: (id: string) => Spec;
  };
  /** Path and list member of its list endpoint; null for kinds whose manifests describe modules alone. */
  readonly collection: { readonly path: string; readonly member: string } | null;
  /** Path of one resource below the base URL. `id` is percent-encoded by the caller. */
  readonly path: (id: string, spec: Spec) => string;
  /** For kinds without a list: the id of what is managed in parts, when it is not the resource's own; of a manifest's spec. */
  readonly belongsTo?: (spec: Spec) => string | null;
  /** In the order in which they are shown and sent. */
  readonly fields: { readonly [field: string]: Field };
  readonly defaults: { readonly deletion: Deletion; readonly replaced: Replaced };
  /**
   * Exclusive things that a resource with this spec holds: `hostport:a.example:443`. A kind with claims has no immutable
   * field (`write: "create"`): a replacement is made before the old resource goes, which still holds what it claims.
   */
  readonly claims?: (spec: Spec) => readonly string[];
  /** By what `pull --adopt` recognises a live resource of a manifest; absent = by its claims. */
  readonly identifiers?: (spec: Spec) => readonly string[];
  /** The spec without some claims, to break a cycle, and whether it keeps others. */
  readonly without?: (spec: Spec, claims: ReadonlySet<string>) => { readonly spec: Spec; readonly keeps: boolean };
  /** Members that follow from others once what is inherited has been filled in. */
  readonly repair?: (spec: Spec) => Spec;
  /** How messages speak of the claims; default: a resource holds a claim. */
  readonly claimWords?: ClaimWords;
  /** Whether the service would take this spec; asked of every state on the way. */
  readonly valid?: (spec: Spec) => boolean;
  /** Guards of this kind alone. `before` is null for creates, also when what it refers to changes; `after` for deletes. */
  readonly hazards?: (before: Spec | null, after: Spec | null) => readonly Hazard[];
  /** Whether a write that leads to this spec, or changes what it refers to, is put off until everything else is done. */
  readonly comesLast?: (spec: Spec) => boolean;
  /** Something of which the service often allows one only; others that hold it are worth a warning. */
  readonly singleton?: (spec: Spec) => string;
  /** Resources that the API can't list and that may refer to one of these. */
  readonly hiddenReferrers?: string;
  /** Whether its resources have an `addr` that the service assigns, by which hostports can refer to them. */
  readonly hasAddr?: boolean;
  /** By which members of the response people know a resource (`hostports`), for `list`. */
  readonly identifiedBy: readonly string[];
  /** How such an `addr` looks on every known service; others are known by the live ones that look the same. */
  readonly addrForm?: RegExp;
  /** Why a live resource is the service's own to manage, so that it is neither adopted nor exported; null = it is not. */
  readonly managedByService?: (wire: { readonly [member: string]: unknown }) => string | null;
  /** What an export names a live resource for when it has no description: the first text that makes a name. */
  readonly exportNames?: (wire: { readonly [member: string]: unknown }) => readonly unknown[];
  /** The account's lock is an object of this kind: what its create names besides description and metadata. One kind has it. */
  readonly lock?: JsonObject;
  /** When a live resource stops being valid (RFC 3339), for kinds whose resources expire. */
  readonly expires?: (wire: { readonly [member: string]: unknown }) => string | null;
}

/** A kind, with lists of its fields, made once. */
export interface Kind extends KindDeclaration {
  readonly fieldList: readonly NamedField[];
  /** Those whose values may refer to something. */
  readonly referringFields: readonly NamedField[];
  /** Its fields and the members of its modules. */
  readonly specFields: readonly SpecField[];
}

/** Words for claims: an edge, by which a hostport is served, and which keeps serving it. */
export interface ClaimWords {
  readonly holder: string;
  readonly claim: string;
  readonly held: string;
  readonly holding: string;
}

/** The words in which messages speak of what a kind claims. */
export function claimWordsOf({ claimWords }: Kind): ClaimWords {
  return claimWords ?? { holder: "resource", claim: "claim", held: "held", holding: "holding" };
}

/** A refusal that a kind asks for. */
export interface Hazard {
  readonly code: "lockout" | "irreversible";
  readonly message: string;
  /** `{allow}` stands for the way to lift the refusal: `allow it by --allow ADDRESS …`. */
  readonly remedy: string;
}

/** A field, or a member of a module, with its name. */
export interface NamedField {
  readonly name: string;
  readonly field: Field;
}

/** A field of a spec by its path: one step, or two for a member of a module. */
export interface SpecField {
  readonly path: readonly string[];
  readonly field: Field;
}

/** Completes the declaration of a kind. */
export function defineKind(declared: KindDeclaration): Kind {
  const fieldList = namedFields(declared.fields);
  return {
    ...declared,
    fieldList,
    referringFields: fieldList.filter(({ field }) => field.codec.references !== undefined),
    specFields: fieldList.flatMap(({ name, field }) => [
      { path: [name], field },
      ...(field.module?.memberList ?? []).map((inner) => ({ path: [name, inner.name], field: inner.field })),
    ]),
  };
}

/** What is claimed, for people: `a.example:443` of `hostport:a.example:443`. */
export function claimText(claim: string): string {
  return claim.slice(claim.indexOf(":") + 1);
}

/** The fields of a kind, or the members of a module, as a list. */
export function namedFields(fields: { readonly [name: string]: Field }): readonly NamedField[] {
  return Object.entries(fields).map(([name, field]) => ({ name, field }));
}

export type Deletion = "delete" | "protect" | "orphan";

export type Replaced = "delete" | "orphan";
