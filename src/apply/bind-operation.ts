import { type Value, isObject, setAt } from "../json.js";
import { type Address, isResourceId } from "../kinds/names.js";
import type { Binding, Operation } from "../plan/plan-format.js";
import type { Secret } from "../secret.js";
import type { EventBody } from "./events.js";

/** What a create of this run made. */
export interface CreatedResource {
  readonly id: string;
  /** Reserved addresses only: the hostname:port that the service assigned. */
  readonly addr: string | null;
}

/** An operation with everything known put in. */
export interface BoundOperation {
  readonly path: string;
  /** Absent when the request has no body. */
  readonly body?: Value;
  readonly resourceId: string | null;
  /** What was put where, without secrets. */
  readonly events: readonly EventBody[];
}

/** What the service made, as its answer tells; null when the answer holds no id. */
export function createdFrom(body: unknown): CreatedResource | null {
  if (!isObject(body)) return null;
  const { id, addr } = body;
  if (!isResourceId(id)) return null;
  return { id, addr: typeof addr === "string" && addr !== "" ? addr : null };
}

/**
 * Puts ids, addrs and secrets where the plan says (plan, `bind` and `pathBind`).
 * @returns or, in words, what is missing
 */
export function bindOperation(
  operation: Operation,
  made: ReadonlyMap<Address, CreatedResource>,
  secrets: ReadonlyMap<string, Secret>,
): BoundOperation | { readonly missing: string } {
  const events: EventBody[] = [];
  const about = { event: "bound", op: operation.id, address: operation.address } as const;
  let body: Value = operation.body;
  for (const [pointer, binding] of Object.entries(operation.bind)) {
    if ("secret" in binding) {
      const secret = secrets.get(binding.secret);
      if (secret === undefined) return { missing: `the secret ${binding.secret} is not at hand` };
      body = setAt(body, pointer, secret);
      continue;
    }
    const value = made.get(binding.address)?.[binding.part] ?? null;
    if (value === null) return { missing: lacking(binding, made) };
    body = setAt(body, pointer, value);
    events.push({ ...about, pointer, from: binding.address, part: binding.part, value });
  }
  let { path, resourceId } = operation;
  if (operation.pathBind !== undefined) {
    const { address, part } = operation.pathBind;
    const id = made.get(address)?.id;
    if (id === undefined) return { missing: lacking(operation.pathBind, made) };
    path = path.replace("{id}", () => encodeURIComponent(id));
    resourceId = id;
    events.push({ ...about, pointer: null, from: address, part, value: id });
  }
  return { path, resourceId, events, ...(operation.body === null ? {} : { body }) };
}

function lacking(binding: Exclude<Binding, { secret: string }>, made: ReadonlyMap<Address, CreatedResource>): string {
  const { address, part } = binding;
  return made.has(address)
    ? `the service did not say which ${part} it gave to ${address}`
    : `the ${part} of ${address} is not known: it was not made before`;
}
