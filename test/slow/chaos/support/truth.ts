import { setAt } from "../../../../src/core/document-path.ts";
import type { OperationResult } from "../../../../src/apply/result.ts";
import { type Json, type Value, isObject } from "../../../../src/core/json.ts";
import type { Operation } from "../../../../src/plan/plan-format.ts";
import type { Applied } from "./process-account.ts";

export interface Served {
  readonly caller: string;
  readonly method: string;
  readonly path: string;
  readonly body: Json | undefined;
  readonly status: number;
  readonly response: Json;
}

export function lies(applied: Applied, served: readonly Served[]): readonly string[] {
  const own = served.filter(({ caller }) => caller === applied.caller);
  const found: string[] = [];
  const changed = own.some(({ status }) => status < 300);
  if (applied.exit !== null && [1, 4, 130].includes(applied.exit) && changed)
    found.push(`exit code ${applied.exit} although something was changed`);
  if (applied.exit === 3 && !mayHaveChanged(applied)) found.push("exit code 3 although nothing was done or is unknown");
  if (applied.exit === 0 && applied.result?.operations.some(({ status }) => status !== "done") === true)
    found.push("exit code 0 although not everything is done");
  for (const operation of applied.plan?.operations ?? []) {
    const result = applied.result?.operations.find(({ id }) => id === operation.id);
    if (result === undefined) continue;
    const lie = lieAbout(result, operation, applied, own, served);
    if (lie !== null) found.push(`${result.id} ${operation.method} ${operation.path} (${result.address}): ${lie}`);
  }
  return [...found, ...unannounced(applied, own)];
}

function mayHaveChanged({ result }: Applied): boolean {
  return result?.operations.some(({ status }) => status === "done" || status === "unknown") === true;
}

function lieAbout(
  { status, resourceId, httpStatus, error }: OperationResult,
  operation: Operation,
  applied: Applied,
  own: readonly Served[],
  served: readonly Served[],
): string | null {
  const asked = keyOf(operation, applied);
  const same = own.filter((one) => asked !== null && keyOfServed(one, operation) === asked);
  const carriedOut = same.filter((one) => one.status < 300);
  const sent = applied.events.some((event) => event.event === "request" && event.op === operation.id);
  switch (status) {
    case "done": {
      if (carriedOut.length > 0) return null;
      if (operation.kind === "delete" || operation.kind === "module-delete")
        return httpStatus === 404 && same.some((one) => one.status === 404) ? null : "done, but it never was";
      const made = served.some(({ method, response }) => method === "POST" && idIn(response) === resourceId);
      return operation.kind === "create" && made ? null : "done, but it never was";
    }
    case "failed":
    case "skipped":
      return carriedOut.length > 0 ? `${status}, but it was done (${error ?? ""})` : null;
    case "unknown":
      return sent ? null : "unknown, but it was never sent";
  }
}

function unannounced({ events }: Applied, own: readonly Served[]): readonly string[] {
  const told = new Set(events.flatMap((event) => (event.event === "request" ? [`${event.method} ${event.path}`] : [])));
  const found = own.map(({ method, path }) => `${method} ${path}`).filter((write) => !told.has(write));
  return found.map((write) => `${write} reached the service, and was not announced`);
}

function idIn(response: Json): string | null {
  return isObject(response) && typeof response["id"] === "string" ? response["id"] : null;
}

/** An operation's body with everything bound except secrets; null = it was never bound. */
function keyOf(operation: Operation, { events }: Applied): string | null {
  let body: Value = operation.body;
  let { path } = operation;
  const bound = events.flatMap((event) => (event.event === "bound" && event.op === operation.id ? [event] : []));
  for (const { pointer, value } of bound) {
    if (pointer === null) path = path.replace("{id}", value);
    else body = setAt(body, pointer, value);
  }
  if (path.includes("{id}")) return null;
  return `${operation.method} ${path} ${JSON.stringify(body)}`;
}

function keyOfServed({ method, path, body }: Served, operation: Operation): string {
  let masked: Value = body ?? null;
  for (const [pointer, binding] of Object.entries(operation.bind)) {
    if (!("secret" in binding)) continue;
    try {
      masked = setAt(masked, pointer, null);
    } catch {
      return ""; // The shape differs, so it belongs to another operation.
    }
  }
  return `${method} ${path} ${JSON.stringify(masked)}`;
}
