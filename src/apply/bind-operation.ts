import { setAt } from "../core/document-path.js";
import { type Value, isObject } from "../core/json.js";
import { type Address, isResourceId } from "../kinds/names.js";
import type { Binding, Operation } from "../plan/plan-format.js";
import type { Secret } from "../core/secret.js";
import type { EventBody } from "./events.js";

/** A resource that this run created. */
export interface CreatedResource {
  readonly id: string;
  /** Reserved addresses only: the hostname:port that the service assigned. */
  readonly addr: string | null;
}

/** An operation with every id, addr and secret filled in. */
export interface BoundOperation {
  readonly path: string;
  /** Absent when the request has no body. */
  readonly body?: Value;
  readonly resourceId: string | null;
  /** One for each id and addr that was filled in; none for secrets. */
  readonly events: readonly EventBody[];
}

/** The resource that a response describes; null when the response has no id. */
export function createdFrom(body: unknown): CreatedResource | null {
  if (!isObject(body)) return null;
  const { id, addr } = body;
  if (!isResourceId(id)) return null;
  return { id, addr: typeof addr === "string" && addr !== "" ? addr : null };
}

/** Fills in ids, addrs and secrets where the plan's `bind` and `pathBind` want them; else tells what is missing. */
export function bindOperation(
  operation: Operation,
  created: ReadonlyMap<Address, CreatedResource>,
  secrets: ReadonlyMap<string, Secret>,
): BoundOperation | { readonly missing: string } {
  const events: EventBody[] = [];
  const about = { event: "bound", op: operation.id, address: operation.address } as const;
  let body: Value = operation.body;
  for (const [pointer, binding] of Object.entries(operation.bind)) {
    if ("secret" in binding) {
      const secret = secrets.get(binding.secret);
      if (secret === undefined) return { missing: `the secret ${binding.secret} is not available` };
      body = setAt(body, pointer, secret);
      continue;
    }
    const value = created.get(binding.address)?.[binding.part] ?? null;
    if (value === null) return { missing: missingPart(binding, created) };
    body = setAt(body, pointer, value);
    events.push({ ...about, pointer, from: binding.address, part: binding.part, value });
  }
  let { path, resourceId } = operation;
  if (operation.pathBind !== undefined) {
    const { address, part } = operation.pathBind;
    const id = created.get(address)?.id;
    if (id === undefined) return { missing: missingPart(operation.pathBind, created) };
    path = path.replace("{id}", () => encodeURIComponent(id));
    resourceId = id;
    events.push({ ...about, pointer: null, from: address, part, value: id });
  }
  return { path, resourceId, events, ...(operation.body === null ? {} : { body }) };
}

function missingPart(
  { address, part }: Exclude<Binding, { secret: string }>,
  created: ReadonlyMap<Address, CreatedResource>,
): string {
  return created.has(address)
    ? `the service returned no ${part} for ${address}`
    : `the ${part} of ${address} is not known: ${address} was not created earlier in this run`;
}
