import type { Json, Spec } from "../core/json.js";
import type { Kind, WireBinding } from "../kinds/kind.js";
import { type Marker, plainMetadata, writeMarker } from "../kinds/marker.js";
import { type Address, addressOf } from "../kinds/names.js";
import type { OperationContext } from "./plan-context.js";
import type { Binding } from "./plan-format.js";
import { secretReference } from "./plan-secrets.js";

export interface RequestBody {
  readonly body: { readonly [member: string]: Json };
  readonly bind: { readonly [pointer: string]: Binding };
  readonly uses: readonly Address[];
}

/** The body of a POST or PATCH that writes some fields. `marker` null removes it. */
export function requestBody(
  { kind, address }: Pick<OperationContext, "kind" | "address">,
  spec: Spec,
  fields: readonly string[],
  marker: Marker | null,
): RequestBody {
  const body: Record<string, Json> = {};
  const bind: Record<string, Binding> = {};
  for (const name of fields) {
    const field = kind.fields[name];
    if (field === undefined) continue;
    const value = spec[name] ?? null;
    if (field.marker === true) {
      body[name] = marker === null ? plainMetadata(value) : writeMarker(marker, value);
      continue;
    }
    const member = field.writeAs ?? name;
    const wire = field.codec.toWire(value);
    body[member] = wire.json;
    Object.assign(bind, bindingsOf(wire.bind, { address, name, below: `/${member}` }));
  }
  return { body, bind, uses: usedBy(bind) };
}

export function moduleBody({ kind, address }: OperationContext, name: string, spec: Spec): RequestBody {
  const wire = kind.fields[name]?.codec.toWire(spec[name] ?? null) ?? { json: null, bind: {} };
  const bind = bindingsOf(wire.bind, { address, name, below: "" });
  return { body: (wire.json ?? {}) as { [member: string]: Json }, bind, uses: usedBy(bind) };
}

/** All but those that are unset anyway, and those that only updates can write. */
export function fieldsOfCreate(kind: Kind, spec: Spec): string[] {
  return kind.fieldList.flatMap(({ field, name }) => {
    if (field.write === "update" || field.write === "never") return [];
    const value = spec[name] ?? null;
    return field.marker === true || (value !== null && value !== "") ? [name] : [];
  });
}

function bindingsOf(
  bindings: { readonly [pointer: string]: WireBinding },
  { address, name, below }: { readonly address: Address; readonly name: string; readonly below: string },
): RequestBody["bind"] {
  const bound = Object.entries(bindings).map(([pointer, binding]): [string, Binding] => {
    if (!("secret" in binding))
      return [below + pointer, { address: addressOf(binding.kind, binding.name), part: binding.part }];
    const path = name + pointer.replaceAll("/", ".");
    return [below + pointer, { secret: secretReference(address, path, binding.live === true) }];
  });
  return Object.fromEntries(bound);
}

function usedBy(bind: RequestBody["bind"]): readonly Address[] {
  return [...new Set(Object.values(bind).flatMap((binding) => ("address" in binding ? [binding.address] : [])))];
}
