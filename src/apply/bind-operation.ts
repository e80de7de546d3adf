import { setAt } from "../core/document-path.js";
import { type Value, isObject } from "../core/json.js";
import { type Address, isResourceId } from "../kinds/names.js";
import type { Binding, Operation } from "../plan/plan-format.js";
import type { Secret } from "../core/secret.js";
import type { EventBody } from "./events.js";

export interface CreatedResource {
  readonly id: string;
  readonly addr: string | null;
}

export interface BoundOperation {
  readonly path: string;
  readonly body?: Value;
  readonly resourceId: string | null;
  /** None for secrets. */
  readonly events: readonly EventBody[];
}

export function createdFrom(body: unknown): CreatedResource | null {
  if (!isObject(body)) return null;
  const { id, addr } = body;
  if (!isResourceId(id)) return null;
  return { id, addr: typeof addr === "string" && addr !== "" ? addr : null };
}

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
