import { type Json, type Value, isObject } from "../core/json.js";
import { clearableText, plain, refs, userMetadata } from "./codecs.js";
import { cosmetic, isOn, moduleMember, neverAnyImpact, noImpact } from "./impact.js";
import {
  type Codec,
  type Field,
  type Module,
  type NamedField,
  type ReferredKind,
  type WireBinding,
  namedFields,
} from "./kind.js";

export function field(declared: Pick<Field, "codec"> & Partial<Field>): Field {
  return { unset: { value: null }, write: "any", impact: neverAnyImpact, ...declared };
}

export const unlimitedDescription = field({
  codec: clearableText,
  unset: { value: "" },
  freeText: true,
  impact: cosmetic,
});

export const description: Field = { ...unlimitedDescription, maxBytes: 255 };

export const unlimitedMetadata = field({
  codec: userMetadata,
  unset: { value: "" },
  marker: true,
  freeText: true,
  impact: cosmetic,
});

export const metadata: Field = { ...unlimitedMetadata, maxBytes: 4096 };

export const enabled = field({ codec: plain, unset: { value: true } });

export function refsField(referred: ReferredKind, writeAs: string): Field {
  return field({ codec: refs(referred), unset: { value: [] }, writeAs, wantsOne: true });
}

export function moduleField(declared: Partial<Module & Field> & Pick<Module & Field, "members" | "impact">): Field {
  const { endpoint = true, readsTraffic = false, members, impact, ...rest } = declared;
  const memberList = namedFields(members);
  return field({
    ...rest,
    codec: moduleCodec(memberList),
    module: { endpoint, readsTraffic, members, memberList },
    impact: (before, after, whole) => (isOn(before) || isOn(after) ? impact(before, after, whole) : noImpact),
  });
}

function moduleCodec(entries: readonly NamedField[]): Codec {
  const withReferences = entries.filter(({ field }) => field.codec.references !== undefined);
  const base: Codec = {
    fromManifest: (value) => {
      if (!isObject(value)) return null;
      const members = entries.flatMap(({ field: { codec }, name }): [string, Value][] => {
        const given = value[name] ?? null;
        return given === null ? [] : [[name, codec.fromManifest(given)]];
      });
      return Object.fromEntries(members);
    },
    fromWire: (value) => {
      if (!isObject(value)) return value ?? null;
      // Some services show an unset module as `{}`, and null for what was not specified.
      if (Object.keys(value).length === 0) return null;
      const normal: Record<string, Value> = {};
      for (const { field, name: member } of entries) {
        const given = value[member];
        const initial = field.unset === "inherit" ? null : field.unset.value;
        const read = given == null ? initial : field.codec.fromWire(given);
        if (read === null && field.essential === true) return null;
        normal[member] = read;
      }
      return normal;
    },
    toWire: (value) => {
      const json: Record<string, Json> = {};
      const bind: Record<string, WireBinding> = {};
      if (!isObject(value)) return { json: null, bind };
      for (const { field, name: member } of entries) {
        const given = value[member];
        // What is inherited and unknown is left to the service; no secret is no member.
        const isLeftOut = field.secret === true || (field.unset === "inherit" && field.nullIn?.(value) !== true);
        if (given === undefined || (given === null && isLeftOut)) continue;
        const name = field.writeAs ?? member;
        const wire = field.codec.toWire(given);
        json[name] = wire.json;
        for (const [pointer, binding] of Object.entries(wire.bind)) bind[`/${name}${pointer}`] = binding;
      }
      return { json, bind };
    },
    same: (a, b) => {
      if (!isObject(a) || !isObject(b)) return a === b;
      let result: boolean | null = true;
      for (const { field, name: member } of entries) {
        const same = field.codec.same(a[member] ?? null, b[member] ?? null);
        if (same === false) return false;
        if (same === null) result = null;
      }
      return result;
    },
  };
  if (withReferences.length === 0) return base;
  return {
    ...base,
    refersTo: withReferences.flatMap(({ field }) => field.codec.refersTo ?? []),
    references: (value) =>
      withReferences.flatMap(({ field: { codec }, name }) => codec.references?.(moduleMember(value, name)) ?? []),
    resolve: (value, resolve) => {
      let resolved = value;
      for (const { field: inner, name } of withReferences) {
        const given = moduleMember(value, name);
        const found = inner.codec.resolve?.(given, resolve) ?? given;
        if (isObject(resolved) && found !== given) resolved = { ...resolved, [name]: found };
      }
      return resolved;
    },
  };
}
