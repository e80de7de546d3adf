import type { Json, Spec, Value } from "../core/json.js";
import type { Kind, WireBinding } from "../kinds/kind.js";
import { type Marker, plainMetadata, writeMarker } from "../kinds/marker.js";
import { type Address, addressOf } from "../kinds/names.js";
import type { OperationContext } from "./plan-context.js";
import type { Binding } from "./plan-format.js";
import { secretReference } from "./plan-secrets.js";

/** A request body with what is bound in it. */
export interface RequestBody {
  readonly body: { readonly [member: string]: Json };
  readonly bind: { readonly [pointer: string]: Binding };
  /** Addresses to be made whose id or addr it needs. */
  readonly uses: readonly Address[];
}

/**
 * The body of a POST or PATCH that writes some fields of a spec, each as its codec puts it on the wire.
 * @param marker what goes into `metadata` beside the user's own; null removes the marker
 */
export function requestBody(
  { kind, address }: OperationContext,
  spec: Spec,
  fields: readonly string[],
  marker: Marker | null,
): RequestBody {
  const body: Record<string, Json> = {};
  const bindings = new Bindings(address);
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
    bindings.add(wire.bind, { name, below: `/${member}` });
  }
  return { body, ...bindings.all() };
}

/** The body of a module's PUT: the module object itself. */
export function moduleBody({ kind, address }: OperationContext, name: string, value: Value): RequestBody {
  const wire = kind.fields[name]?.codec.toWire(value) ?? { json: null, bind: {} };
  const bindings = new Bindings(address);
  bindings.add(wire.bind, { name, below: "" });
  return { body: (wire.json ?? {}) as { [member: string]: Json }, ...bindings.all() };
}

/** The fields that a create writes: all but those that are unset anyway, and those that only updates can write. */
export function fieldsOfCreate(kind: Kind, spec: Spec): string[] {
  return kind.fieldList.flatMap(({ field, name }) => {
    if (field.write === "update" || field.write === "never") return [];
    const value = spec[name] ?? null;
    return field.marker === true || (value !== null && value !== "") ? [name] : [];
  });
}

/** Collects what is bound in a body: the codecs' bindings in terms of the plan, and what has to be made first. */
class Bindings {
  readonly #bind: Record<string, Binding> = {};
  readonly #uses = new Set<Address>();

  constructor(readonly address: Address) {}

  /** @param field its name, and the JSON pointer below which its value stands in the body */
  add(
    bindings: { readonly [pointer: string]: WireBinding },
    { name, below }: { readonly name: string; readonly below: string },
  ): void {
    for (const [pointer, binding] of Object.entries(bindings)) {
      if ("secret" in binding) {
        const path = name + pointer.replaceAll("/", ".");
        this.#bind[below + pointer] = { secret: secretReference(this.address, path, binding.live === true) };
      } else {
        const made = addressOf(binding.kind, binding.name);
        this.#bind[below + pointer] = { address: made, part: binding.part };
        this.#uses.add(made);
      }
    }
  }

  all(): Pick<RequestBody, "bind" | "uses"> {
    return { bind: this.#bind, uses: [...this.#uses] };
  }
}
