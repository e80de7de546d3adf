import type { Json, JsonObject, Spec, Value, ValueObject } from "../core/json.js";
import type { ImpactReason } from "./impact.js";
import type { KindName } from "./names.js";

/** JSON with null for what is bound later, and those bindings by JSON pointer. */
interface WireValue {
  readonly json: Json;
  readonly bind: { readonly [pointer: string]: WireBinding };
}

/** An id or addr of something to be made, or this field's secret; `live`: the service's own, which no manifest has. */
export type WireBinding =
  | { readonly kind: KindName; readonly name: string; readonly part: "id" | "addr" }
  | { readonly secret: true; readonly live?: boolean };

export interface Reference {
  /** Null when this tool does not manage what is referred to (IP policies, certificate authorities …). */
  readonly kind: KindName | null;
  readonly part: "id" | "addr";
  readonly target: ReferenceTarget;
}

/** `named`: by a resource of another stack. */
export type ReferenceTarget =
  | { readonly name: string }
  | { readonly named: string; readonly stack: string }
  | { readonly id: string }
  | { readonly addr: string };

export interface ReferredKind {
  readonly kind: KindName | null;
  /** `an IP policy` */
  readonly title: string;
  /** Null when none is specified, or several kinds are possible. */
  readonly idPrefix: string | null;
}

/** Between the manifest, the normal form and the wire. */
export interface Codec {
  readonly fromManifest: (value: Value) => Value;
  /** What it can't read comes back as it is and so shows as a difference. */
  readonly fromWire: (value: Value | undefined) => Value;
  readonly toWire: (value: Value) => WireValue;
  /** Symmetric. Null when a secret can't be compared. */
  readonly same: (a: Value, b: Value) => boolean | null;
  /** One form for all values that mean the same, without secrets. @param other may name the source of what is in clear */
  readonly comparable?: (value: Value, other: Value) => Value;
  readonly referred?: ReferredKind;
  readonly refersTo?: readonly KindName[];
  readonly references?: (value: Value) => readonly Reference[];
  /** Replaces every reference by name that `resolve` knows; returns the value itself when there is none. */
  readonly resolve?: (value: Value, resolve: (reference: Reference) => ReferenceTarget | null) => Value;
}

/** A part of an edge that is created, replaced and removed as a whole. */
interface Module {
  /** Whether every service has PUT, GET and DELETE for it, by the field's name. */
  readonly endpoint: boolean;
  /** It can't stand beside `upstream`, which passes the traffic through encrypted. */
  readonly readsTraffic?: boolean;
  readonly members: { readonly [member: string]: Field };
  readonly memberList: readonly NamedField[];
}

export interface Overruled {
  readonly value: Value;
  /** What the manifest names that rules the live value out. */
  readonly by: readonly string[];
}

export type ContentForm = "text" | "policy";

export interface Field {
  readonly codec: Codec;
  /** When a manifest doesn't name it; `inherit`: what is live stays. */
  readonly unset: { readonly value: Value } | "inherit";
  /** What a create begins with when it inherits; absent = left to the service. */
  readonly initial?: Value;
  /** What the manifest says beats the inherited value; null = nothing. */
  readonly overrule?: (live: Value, declared: Spec) => Overruled | null;
  /** Whether null is sent in such a module, instead of nothing. */
  readonly nullIn?: (module: ValueObject) => boolean;
  /** `create`: immutable; `update`: a create doesn't take it; `never`: part of the path. */
  readonly write: "any" | "create" | "update" | "never";
  /** The request's member: `ip_policies` is written as `ip_policy_ids`. */
  readonly writeAs?: string;
  /** Not returned, so never compared. */
  readonly writeOnly?: boolean;
  /** Never shown, and bound in a plan. In a kind with a list it is `writeOnly`. */
  readonly secret?: boolean;
  /** A manifest may write `{file: path}`. */
  readonly content?: ContentForm;
  /** It may repeat anything: known secrets are masked where it is live. */
  readonly freeText?: boolean;
  readonly marker?: boolean;
  /** In UTF-8; asked where a manifest's own text is not all that is sent. */
  readonly maxBytes?: number;
  /** A module without it is not configured. */
  readonly essential?: boolean;
  /** The service may refuse an empty list. */
  readonly wantsOne?: boolean;
  /** Phases of policies that do nothing here, and whose they are. */
  readonly foreignPhases?: { readonly phases: RegExp; readonly owner: string };
  readonly module?: Module;
  /** Null before a create and after a delete, also in `whole`. */
  readonly impact: (
    before: Value,
    after: Value,
    whole: { readonly [W in "before" | "after"]: Spec | null },
  ) => ImpactReason;
}

/** Generic code never asks which kind it has. */
interface KindDeclaration {
  readonly kind: KindName;
  /** Of its files: `schemas/tls-edge.schema.json`, `src/kinds/tls-edge.ts` … */
  readonly slug: string;
  readonly title: string;
  readonly idPrefix?: string;
  /** Without the provider's prefix: `reserved_addr` of `acme_reserved_addr`. */
  readonly terraformTypes?: readonly string[];
  /** Null for kinds whose manifests describe modules alone. */
  readonly collection: { readonly path: string; readonly member: string } | null;
  /** Below the base URL, by a percent-encoded id; default: below the collection. */
  readonly path?: (id: string, spec: Spec) => string;
  /** The id of what is managed in parts, when it is not the resource's own. */
  readonly belongsTo?: (spec: Spec) => string | null;
  readonly fields: { readonly [field: string]: Field };
  readonly defaults?: { readonly deletion: Deletion; readonly replaced: Replaced };
  /** What only one can hold: `hostport:a.example:443`. Such a kind has no immutable field: the old one holds it still. */
  readonly claims?: (spec: Spec) => readonly string[];
  /** By what `pull --adopt` recognises it; absent = by its claims. */
  readonly identifiers?: (spec: Spec) => readonly string[];
  /** The spec without some claims, to break a cycle, and whether it keeps others. */
  readonly without?: (spec: Spec, claims: ReadonlySet<string>) => { readonly spec: Spec; readonly keeps: boolean };
  /** After what is inherited was filled in. */
  readonly repair?: (spec: Spec) => Spec;
  readonly claimWords?: { readonly [W in "holder" | "claim" | "held" | "holding"]: string };
  /** Whether the service would take it; asked of every state on the way. */
  readonly valid?: (spec: Spec) => boolean;
  /** Null before a create, also when what it refers to changes, and after a delete. */
  readonly hazards?: (before: Spec | null, after: Spec | null) => readonly Hazard[];
  /** Whether such a write waits until everything else is done. */
  readonly comesLast?: (spec: Spec) => boolean;
  /** Of which the service often allows one only. */
  readonly singleton?: (spec: Spec) => string;
  /** What may refer to it and can't be listed. */
  readonly hiddenReferrers?: string;
  /** Hostports can refer to its `addr`. */
  readonly hasAddr?: boolean;
  /** The members of responses by which people know it. */
  readonly identifiedBy?: readonly string[];
  /** How an `addr` looks on known services; others are known by live ones that look the same. */
  readonly addrForm?: RegExp;
  /** Why the service itself manages it: then it is neither adopted nor exported. */
  readonly managedByService?: (wire: { readonly [member: string]: unknown }) => string | null;
  /** What an export without a description names it for. */
  readonly exportNames?: (wire: { readonly [member: string]: unknown }) => readonly unknown[];
  /** The account's lock is an object of this kind, created with these members. */
  readonly lock?: JsonObject;
  readonly expires?: (wire: { readonly [member: string]: unknown }) => string | null;
}

const usual = {
  terraformTypes: [] as readonly string[],
  defaults: { deletion: "delete", replaced: "delete" },
  identifiedBy: [] as readonly string[],
  claims: (): readonly string[] => [],
  repair: (spec: Spec): Spec => spec,
  claimWords: { holder: "resource", claim: "claim", held: "held", holding: "holding" },
  valid: (): boolean => true,
  hazards: (): readonly Hazard[] => [],
  comesLast: (): boolean => false,
  managedByService: (): string | null => null,
  exportNames: (): readonly unknown[] => [],
  expires: (): string | null => null,
} satisfies Partial<KindDeclaration>;

export type Kind = Omit<KindDeclaration, keyof typeof usual> &
  Required<Pick<KindDeclaration, keyof typeof usual | "identifiers" | "path">> & {
    readonly fieldList: readonly NamedField[];
    readonly referringFields: readonly NamedField[];
    /** With the members of modules. */
    readonly specFields: readonly SpecField[];
  };

export interface Hazard {
  readonly code: "lockout" | "irreversible";
  readonly message: string;
  /** `{allow}` stands for the way to lift the refusal. */
  readonly remedy: string;
}

export interface SpecField {
  readonly path: readonly string[];
  readonly field: Field;
}

export interface NamedField {
  readonly name: string;
  readonly field: Field;
}

export function defineKind(declared: KindDeclaration): Kind {
  const fieldList = namedFields(declared.fields);
  return {
    path: (id) => `${declared.collection?.path}/${id}`,
    identifiers: declared.claims ?? usual.claims,
    ...usual,
    ...declared,
    fieldList,
    referringFields: fieldList.filter(({ field }) => field.codec.references !== undefined),
    specFields: fieldList.flatMap(({ name, field }) => [
      { path: [name], field },
      ...(field.module?.memberList ?? []).map((inner) => ({ path: [name, inner.name], field: inner.field })),
    ]),
  };
}

/** `a.example:443` of `hostport:a.example:443` */
export function claimText(claim: string): string {
  return claim.slice(claim.indexOf(":") + 1);
}

export function namedFields(fields: { readonly [name: string]: Field }): readonly NamedField[] {
  return Object.entries(fields).map(([name, field]) => ({ name, field }));
}

export type Deletion = "delete" | "protect" | "orphan";

export type Replaced = "delete" | "orphan";
