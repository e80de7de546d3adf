import type { Json, JsonObject, Spec, Value, ValueObject } from "../core/json.js";
import type { ImpactReason } from "./impact.js";
import type { KindName } from "./names.js";

/** Null for what is bound later, by JSON pointer. */
type WireValue = Readonly<{
  json: Json;
  bind: { readonly [pointer: string]: WireBinding };
}>;

/** An id or addr of something to be made, or this field's secret; `live`: no manifest has it. */
export type WireBinding =
  | Readonly<{ kind: KindName; name: string; part: "id" | "addr" }>
  | Readonly<{ secret: true; live?: boolean }>;

export type Reference = Readonly<{
  kind: KindName | null;
  part: "id" | "addr";
  target: ReferenceTarget;
}>;

/** `named`: in another stack. */
export type ReferenceTarget =
  | { readonly name: string }
  | Readonly<{ named: string; stack: string }>
  | { readonly id: string }
  | { readonly addr: string };

export type ReferredKind = Readonly<{
  kind: KindName | null;
  title: string;
  /** Null when none is specified, or several kinds are possible. */
  idPrefix: string | null;
}>;

/** Between the manifest, the normal form and the wire. */
export type Codec = Readonly<{
  fromManifest: (value: Value) => Value;
  /** What it can't read stays as it is and shows as a difference. */
  fromWire: (value: Value | undefined) => Value;
  toWire: (value: Value) => WireValue;
  /** Null when a secret can't be compared. */
  same: (a: Value, b: Value) => boolean | null;
  /** Without secrets; `other` may name the source of one. */
  comparable?: (value: Value, other: Value) => Value;
  referred?: ReferredKind;
  refersTo?: readonly KindName[];
  references?: (value: Value) => readonly Reference[];
  /** Returns the value itself when there is nothing to replace. */
  resolve?: (value: Value, resolve: (reference: Reference) => ReferenceTarget | null) => Value;
}>;

/** Created, replaced and removed as a whole. */
export type Module = Readonly<{
  endpoint: boolean;
  /** Refused beside `upstream`, which passes the traffic through encrypted. */
  readsTraffic: boolean;
  members: { readonly [member: string]: Field };
  memberList: readonly NamedField[];
}>;

export type Overruled = Readonly<{
  value: Value;
  by: readonly string[];
}>;

type ContentForm = "text" | "policy";

export type Field = Readonly<{
  codec: Codec;
  /** When a manifest doesn't name it; `inherit`: what is live stays. */
  unset: { readonly value: Value } | "inherit";
  initial?: Value;
  overrule?: (live: Value, declared: Spec) => Overruled | null;
  nullIn?: (module: ValueObject) => boolean;
  /** `create`: immutable; `update`: a create doesn't take it; `never`: part of the path. */
  write: "any" | "create" | "update" | "never";
  writeAs?: string;
  /** Never compared. */
  writeOnly?: boolean;
  /** Never shown; bound in a plan. In a kind with a list also `writeOnly`. */
  secret?: boolean;
  /** Takes `{file: path}`. */
  content?: ContentForm;
  /** Known secrets are masked where it is live. */
  freeText?: boolean;
  marker?: boolean;
  maxBytes?: number;
  essential?: boolean;
  /** The service may refuse an empty list. */
  wantsOne?: boolean;
  foreignPhases?: Readonly<{ phases: RegExp; owner: string }>;
  module?: Module;
  /** Null before a create and after a delete. */
  impact: (before: Value, after: Value, whole: { readonly [W in "before" | "after"]: Spec | null }) => ImpactReason;
}>;

type KindDeclaration = Readonly<{
  kind: KindName;
  /** `TLS edge`; `tls-edge` in the names of its files. */
  title: string;
  idPrefix?: string;
  terraformTypes?: readonly string[];
  /** Null for kinds of modules alone. */
  collection: Readonly<{ path: string; member: string }> | null;
  /** By a percent-encoded id. */
  path?: (id: string, spec: Spec) => string;
  /** The id of what is managed in parts, when it is not its own. */
  belongsTo?: (spec: Spec) => string | null;
  fields: { readonly [field: string]: Field };
  defaults?: Readonly<{ deletion: Deletion; replaced: Replaced }>;
  /** What only one can hold: `hostport:a.example:443`. Such a kind has no immutable field: the old one holds it still. */
  claims?: (spec: Spec) => readonly string[];
  /** For `pull --adopt`; default: its claims. */
  identifiers?: (spec: Spec) => readonly string[];
  /** The spec without some claims, to break a cycle, and whether it keeps others. */
  without?: (spec: Spec, claims: ReadonlySet<string>) => Readonly<{ spec: Spec; keeps: boolean }>;
  /** After what is inherited was filled in. */
  repair?: (spec: Spec) => Spec;
  claimWords?: { readonly [W in "holder" | "claim" | "held" | "holding"]: string };
  valid?: (spec: Spec) => boolean;
  /** Null before a create, also when what it refers to changes, and after a delete. */
  hazards?: (before: Spec | null, after: Spec | null) => readonly Hazard[];
  /** Its writes wait for everything else. */
  comesLast?: (spec: Spec) => boolean;
  singleton?: (spec: Spec) => string;
  /** What may refer to it and can't be listed. */
  hiddenReferrers?: string;
  hasAddr?: boolean;
  /** The members of responses by which people know it. */
  identifiedBy?: readonly string[];
  /** Others are known by live ones that look the same. */
  addrForm?: RegExp;
  /** Why it is neither adopted nor exported. */
  managedByService?: (wire: ValueObject) => string | null;
  /** For an export without a description. */
  exportNames?: (wire: ValueObject) => readonly unknown[];
  /** The account's lock is an object with these members. */
  lock?: JsonObject;
  expires?: (wire: ValueObject) => string | null;
}>;

const usual = {
  terraformTypes: [],
  defaults: { deletion: "delete", replaced: "delete" },
  identifiedBy: [],
  claims: () => [],
  repair: (spec) => spec,
  claimWords: { holder: "resource", claim: "claim", held: "held", holding: "holding" },
  valid: () => true,
  hazards: () => [],
  comesLast: () => false,
  managedByService: () => null,
  exportNames: () => [],
  expires: () => null,
} satisfies Partial<KindDeclaration>;

export type Kind = Omit<KindDeclaration, keyof typeof usual> &
  Required<Pick<KindDeclaration, keyof typeof usual | "identifiers" | "path">> &
  Readonly<{
    slug: string;
    fieldList: readonly NamedField[];
    referringFields: readonly NamedField[];
    specFields: readonly SpecField[];
  }>;

export type Hazard = Readonly<{
  code: "lockout" | "irreversible";
  message: string;
  /** `{allow}` stands for the way to lift the refusal. */
  remedy: string;
}>;

type SpecField = Readonly<{
  path: readonly string[];
  field: Field;
}>;

export type NamedField = Readonly<{
  name: string;
  field: Field;
}>;

export function defineKind(declared: KindDeclaration): Kind {
  const fieldList = namedFields(declared.fields);
  return {
    path: (id) => `${declared.collection?.path}/${id}`,
    identifiers: declared.claims ?? usual.claims,
    ...usual,
    ...declared,
    slug: declared.title.toLowerCase().replaceAll(" ", "-"),
    fieldList,
    referringFields: fieldList.filter(({ field }) => field.codec.references !== undefined),
    specFields: fieldList.flatMap(({ name, field }) => [
      { path: [name], field },
      ...(field.module?.memberList ?? []).map((inner) => ({ path: [name, inner.name], field: inner.field })),
    ]),
  };
}

export function claimText(claim: string): string {
  return claim.slice(claim.indexOf(":") + 1);
}

export function namedFields(fields: { readonly [name: string]: Field }): readonly NamedField[] {
  return Object.entries(fields).map(([name, field]) => ({ name, field }));
}

export type Deletion = "delete" | "protect" | "orphan";

export type Replaced = "delete" | "orphan";
