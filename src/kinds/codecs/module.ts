import { type Json, type Value, isObject } from "../../json.js";
import { fieldList } from "../field-list.js";
import type { Codec, Field, Reference, WireBinding } from "../kind.js";

/**
 * A module of an edge: null or an object of members. A member that a manifest leaves out, or gives as null although it
 * inherits, stays absent until it is settled.
 */
export function moduleCodec(members: { readonly [member: string]: Field }): Codec {
  const entries = fieldList(members);
  const withReferences = entries.filter(({ field }) => field.codec.references !== undefined);
  const base: Codec = {
    fromManifest: (value) => {
      if (!isObject(value)) return null;
      const normal: Record<string, Value> = {};
      for (const { field, name: member } of entries) {
        const given = value[member];
        if (given === undefined || (given === null && field.unset === "inherit")) continue;
        normal[member] = field.codec.fromManifest(given);
      }
      return normal;
    },
    fromWire: (value) => {
      if (!isObject(value)) return value ?? null;
      const normal: Record<string, Value> = {};
      for (const { field, name: member } of entries) {
        const given = value[member];
        const initial = field.unset === "inherit" ? null : field.unset.value;
        normal[member] = given === undefined ? initial : field.codec.fromWire(given);
      }
      return normal;
    },
    toWire: (value) => {
      const json: Record<string, Json> = {};
      const bind: Record<string, WireBinding> = {};
      if (!isObject(value)) return { json: null, bind };
      for (const { field, name: member } of entries) {
        const given = value[member];
        // What is inherited and unknown is left to the service, and no secret is no member.
        if (given === undefined || (given === null && (field.unset === "inherit" || field.secret === true))) continue;
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
    references: (value) => {
      const found: Reference[] = [];
      if (!isObject(value)) return found;
      for (const { field, name: member } of withReferences) {
        const given = value[member];
        if (given !== undefined) found.push(...(field.codec.references?.(given) ?? []));
      }
      return found;
    },
    resolve: (value, resolve) => {
      if (!isObject(value)) return value;
      let resolved: Record<string, Value> | null = null;
      for (const { field, name: member } of withReferences) {
        const given = value[member];
        const found = given === undefined ? given : field.codec.resolve?.(given, resolve);
        if (found === undefined || found === given) continue;
        resolved ??= { ...(value as { [member: string]: Value }) };
        resolved[member] = found;
      }
      return resolved ?? value;
    },
  };
}
