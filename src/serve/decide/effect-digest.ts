import { createHash, createHmac } from "node:crypto";
import { type Json, isObject } from "../../core/json.js";
import type { Field } from "../../kinds/kind.js";
import { type Address, kindOf } from "../../kinds/names.js";
import { kinds } from "../../kinds/registry.js";
import { fieldAt } from "../../plan/diff.js";
import { type Action, canonicalJson, type FieldChange, type Plan } from "../../plan/plan-format.js";
import { ownerOf } from "../../plan/plan-secrets.js";
import type { SyncState } from "./change-origins.js";
import type { Secret } from "../../core/secret.js";
import type { ApprovedChange, EffectSide, SecretEffect } from "../records.js";

export type ChangeEffect = EffectSide &
  Readonly<{
    action: Action;
    id: string | null;
    fields: readonly FieldEffect[];
  }>;

type FieldEffect = Readonly<{
  path: string;
  before: Json;
  after: Json;
  sensitive: boolean;
  unknown: boolean;
}>;

export type EffectSource = Readonly<{
  states: ReadonlyMap<Address, SyncState>;
  resolveSecret: (reference: string) => Secret;
  key: string;
}>;

export function effectSidesOf(plan: Plan, addresses: readonly Address[], source: EffectSource): readonly EffectSide[] {
  const wanted = plan.changes.filter(({ address }) => addresses.includes(address));
  return wanted.map(({ action, address }): EffectSide => {
    const { desired = null, live = null } = source.states.get(address) ?? {};
    const lost = action === "delete" || action === "replace" ? live : null;
    return { address, desired, lost, secrets: secretsOf(plan, address, source) };
  });
}

export function effectsOf(plan: Plan, sides: readonly EffectSide[]): readonly ChangeEffect[] {
  const byAddress = new Map(sides.map((side) => [side.address, side]));
  return plan.changes
    .flatMap(({ address, action, fields, id }): readonly ChangeEffect[] => {
      const side = byAddress.get(address);
      if (side === undefined) return [];
      const sorted = fields.map((field) => fieldEffect(address, field)).toSorted((a, b) => compare(a.path, b.path));
      return [{ ...side, action, id, fields: sorted }];
    })
    .toSorted((a, b) => compare(a.address, b.address));
}

/** Of a secret, whether there is one: `secrets` say which. */
function fieldEffect(
  address: Address,
  { path, before, after, sensitive = false, unknown = false }: FieldChange,
): FieldEffect {
  const field = fieldAt(kinds[kindOf(address)], path) ?? null;
  const shown = (value: Json): Json => (sensitive && value !== null ? true : inOneOrder(field, value));
  return { path, before: shown(before), after: shown(after), sensitive, unknown };
}

function secretsOf(plan: Plan, address: Address, { key, resolveSecret }: EffectSource): readonly SecretEffect[] {
  const references = plan.operations.flatMap(({ bind }) =>
    Object.values(bind).flatMap((bound) =>
      "secret" in bound && ownerOf(bound.secret) === address ? [bound.secret] : [],
    ),
  );
  return [...new Set(references)].toSorted(compare).map((reference): SecretEffect => {
    const secret = resolveSecret(reference);
    if (secret.missing !== null) return { reference, source: secret.source, hmac: null };
    const hmac = createHmac("sha256", Buffer.from(key, "hex")).update(`${reference}\n${secret.reveal()}`).digest("hex");
    return { reference, source: secret.source, hmac };
  });
}

function inOneOrder(field: Field | null, value: Json): Json {
  if (field === null) return value;
  const { module } = field;
  if (module !== undefined && isObject(value)) {
    const members = Object.entries(value).map(([name, one = null]): readonly [string, Json] => {
      return [name, inOneOrder(module.members[name] ?? null, one)];
    });
    return Object.fromEntries(members);
  }
  if (!Array.isArray(value) || field.codec.same(value, value.toReversed()) !== true) return value;
  return value.toSorted((a, b) => compare(canonicalJson(a), canonicalJson(b)));
}

function compare(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}

export type DigestedEffect = Readonly<{
  nonce: string;
  account: string;
  baseUrl: string;
  marker: string;
  effects: readonly ChangeEffect[];
}>;

export function effectDigest({ account, baseUrl, effects, marker, nonce }: DigestedEffect): string {
  const subject = { format: "edgewise.approval/v1", nonce, account, baseUrl, marker, effects };
  return createHash("sha256").update(canonicalJson(subject), "utf8").digest("hex");
}

export function approvedChanges(effects: readonly ChangeEffect[]): readonly ApprovedChange[] {
  return effects.map(({ action, address, desired, fields, id, lost, secrets }) => ({
    address,
    action,
    id,
    desired,
    lost,
    parts: [...fields, ...secrets].map(partOf),
  }));
}

export function coveredBy(approved: readonly ApprovedChange[], effects: readonly ChangeEffect[]): readonly Address[] {
  return effects.flatMap((effect) => (approved.some((one) => covers(one, effect)) ? [effect.address] : []));
}

function covers(approved: ApprovedChange, effect: ChangeEffect): boolean {
  if (approved.address !== effect.address || approved.desired !== effect.desired) return false;
  const parts = new Set(approved.parts);
  const isRest = approved.action === "replace" && effect.action === "create";
  if (isRest) return effect.secrets.every((secret) => parts.has(partOf(secret)));
  if (approved.action !== effect.action || approved.id !== effect.id || approved.lost !== effect.lost) return false;
  return [...effect.fields, ...effect.secrets].every((part) => parts.has(partOf(part)));
}

function partOf(part: FieldEffect | SecretEffect): string {
  return createHash("sha256").update(canonicalJson(part), "utf8").digest("hex").slice(0, 32);
}
