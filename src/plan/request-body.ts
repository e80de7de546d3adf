import type { Json, Spec, Value } from "../json.js";
import type { Kind, WireBinding } from "../kinds/kind.js";
import { type Marker, plainMetadata, writeMarker } from "../kinds/marker.js";
import { type Address, addressOf } from "../kinds/names.js";
import type { Binding } from "./plan-format.js";
import { livePrefix } from "./plan-secrets.js";

/** A request body with what is bound in it. */
export interface RequestBody {
  readonly body: { readonly [member: string]: Json };
  readonly bind: { readonly [pointer: string]: Binding };
  /** Things to be made whose id or addr it needs. */
  readonly uses: readonly Address[];
}

/**
 * The request body that says the named fields of a spec (specification, "Endpoints").
 * @param marker what goes into `metadata` beside the user's own; null takes the marker off
 */
export function requestBody(
  kind: Kind,
  address: Address,
  spec: Spec,
  fields: readonly string[],
  marker: Marker | null,
): RequestBody {
  const body: Record<string, Json> = {};
  const bind: Record<string, Binding> = {};
  const uses = new Set<Address>();
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
    for (const [pointer, binding] of Object.entries(wire.bind)) {
      bind[`/${member}${pointer}`] = planBinding(binding, address, name + pointer.replaceAll("/", "."));
      if ("name" in binding) uses.add(addressOf(binding.kind, binding.name));
    }
  }
  return { body, bind, uses: [...uses] };
}

/** The body of a module's PUT: the module object itself. */
export function moduleBody(kind: Kind, address: Address, name: string, value: Value): RequestBody {
  const field = kind.fields[name];
  const wire = field?.codec.toWire(value) ?? { json: null, bind: {} };
  const bind: Record<string, Binding> = {};
  const uses = new Set<Address>();
  for (const [pointer, binding] of Object.entries(wire.bind)) {
    bind[pointer] = planBinding(binding, address, name + pointer.replaceAll("/", "."));
    if ("name" in binding) uses.add(addressOf(binding.kind, binding.name));
  }
  return { body: (wire.json ?? {}) as { [member: string]: Json }, bind, uses: [...uses] };
}

/** The fields that a create says: everything but what is unset anyway, and what updates alone can write. */
export function fieldsOfCreate(kind: Kind, spec: Spec): string[] {
  return Object.entries(kind.fields).flatMap(([name, field]) => {
    if (field.write === "update" || field.write === "never") return [];
    const value = spec[name] ?? null;
    return field.marker === true || (value !== null && value !== "") ? [name] : [];
  });
}

function planBinding(binding: WireBinding, address: Address, path: string): Binding {
  if ("secret" in binding) return { secret: `${address}#${binding.live === true ? livePrefix : ""}${path}` };
  return { address: addressOf(binding.kind, binding.name), part: binding.part };
}
