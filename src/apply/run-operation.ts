import { type Value, isObject } from "../core/json.js";
import type { Field } from "../kinds/kind.js";
import { readMarker } from "../kinds/marker.js";
import { kindOf } from "../kinds/names.js";
import { kinds } from "../kinds/registry.js";
import { changeSince, referringKinds } from "../plan/operations.js";
import { moduleAt, type Operation } from "../plan/plan-format.js";
import { type OperationOutcome, done, nameOfOperation, skipped } from "./result.js";
import type { RunContext } from "./run-context.js";
import {
  type BoundRequest,
  bindOperation,
  createdFrom,
  createOnce,
  failureOf,
  notSent,
  outcomeOfFailure,
  sendUntilFinal,
} from "./send-request.js";

export async function runOperation(
  context: RunContext,
  operation: Operation,
  index: number,
): Promise<OperationOutcome> {
  const { created, does, emit, secrets, warnings } = context;
  const { address, id: op, kind, method, resourceId } = operation;
  let outcome: OperationOutcome | null = null;
  try {
    // Not waited for: events are in order, and the request's is.
    void emit({ event: "operation-started", op, address, kind, ...does.get(op) });
    const bound = bindOperation(operation, created, secrets);
    if ("missing" in bound) return outcomeOfFailure(notSent(`not sent: ${bound.missing}`), resourceId);
    const stop = await lookAgain(context, operation);
    if (stop !== null) return stop;
    const { body, path } = bound;
    const request: BoundRequest = {
      operation,
      order: index,
      purpose: "operation",
      request: { method, path, ...(body !== undefined && { body }) },
      retryUntil: retryUntil(context, index),
    };
    outcome = kind === "create" ? await createOnce(request, context) : await change(context, request, bound.resourceId);
    if (kind === "create" && outcome.resourceId !== null)
      created.set(address, createdFrom(outcome.body) ?? { id: outcome.resourceId, addr: null });
    const members = outcome.body === undefined ? [] : differences(operation, body, outcome.body);
    if (members.length > 0) {
      const message = `the response to ${nameOfOperation(operation)} differs from the request in ${members.join(", ")}`;
      warnings.push({ code: "response-differs", message, address });
    }
    return outcome;
  } catch (error) {
    return outcome === null ? outcomeOfFailure(failureOf(error), resourceId) : { ...outcome, bug: true };
  }
}

/** Null = what is to be removed did not change, or is gone. */
async function lookAgain(
  { client, listKind, signal, warnings }: RunContext,
  operation: Operation,
): Promise<OperationOutcome | null> {
  const { address, expects, kind, path, resourceId } = operation;
  if (expects === undefined) return null;
  try {
    const found = await client.send({ method: "GET", path, stop: signal }).catch((error: unknown) => {
      if (failureOf(error).status === 404) return null;
      throw error;
    });
    const body = isObject(found?.body) ? found.body : {};
    if (found === null || (kind === "module-delete" && Object.keys(body).length === 0)) return null;
    const lists = await Promise.all(referringKinds(operation).map(async (one) => [one, await listKind(one)]));
    const changed = changeSince(operation, body, Object.fromEntries(lists));
    if (changed === null) return null;
    const message = `not sent: somebody changed ${resourceId ?? address} meanwhile: ${changed}. Plan again`;
    warnings.push({ code: "changed-meanwhile", message, address });
    return { ...skipped(`changed-meanwhile: ${message}`), resourceId };
  } catch (error) {
    const failure = failureOf(error);
    const outcome = failure.outcome === "bug" ? "bug" : "not-sent";
    return outcomeOfFailure({ ...failure, outcome, message: `not sent: ${failure.message}` }, resourceId);
  }
}

async function change(
  context: RunContext,
  request: BoundRequest,
  resourceId: string | null,
): Promise<OperationOutcome> {
  const result = await sendUntilFinal(context, request);
  if (result.ok) return done(result.status, resourceId, result.body);
  const isGone = request.request.method === "DELETE" && result.failure.status === 404;
  return isGone ? done(404, resourceId) : outcomeOfFailure(result.failure, resourceId);
}

/** Counted from the last of what it uses or takes. Null = never. */
function retryUntil({ consistencyMs, endTimes, graph }: RunContext, index: number) {
  const ends = (graph.waits[index] ?? []).flatMap(([before, reason]) => {
    const uses = reason === "same" ? graph.operations[before]?.kind === "create" : /^(use|free)$/.test(reason);
    return uses ? (endTimes[before] ?? []) : [];
  });
  return ends.length === 0 ? null : Math.max(...ends) + consistencyMs;
}

type Fields = { readonly [member: string]: Field };

export function differences(operation: Operation, sent: Value | undefined, response: Value): readonly string[] {
  if (!isObject(sent) || !isObject(response)) return [];
  const { fields } = kinds[kindOf(operation.address)];
  if (operation.kind !== "module-put") return compare(fields, sent, response, "");
  const module = moduleAt(operation.path);
  const members = fields[module]?.module?.members;
  return members === undefined ? [] : compare(members, sent, response, "");
}

function compare(
  fields: Fields,
  sent: { readonly [member: string]: unknown },
  response: { readonly [member: string]: unknown },
  above: string,
): string[] {
  const found: string[] = [];
  for (const [name, field] of Object.entries(fields)) {
    const wanted = sent[field.writeAs ?? name] as Value | undefined;
    const got = response[name] as Value | undefined;
    if (wanted === undefined || got === undefined || field.secret === true || field.writeOnly === true) continue;
    const members = field.module?.members;
    if (members !== undefined && isObject(wanted) && isObject(got))
      found.push(...compare(members, wanted, got, `${above}${name}.`));
    else if (!same(field, wanted, got)) found.push(`${above}${name}`);
  }
  return found;
}

function same(field: Field, wanted: Value, got: Value): boolean {
  const [asked, found] = [wanted, got].map((value) => field.marker && JSON.stringify(readMarker(value).marker));
  if (asked !== found) return false;
  const { codec } = field;
  return (
    codec.same(codec.fromWire(field.writeAs === undefined ? wanted : asRefs(wanted)), codec.fromWire(got)) !== false
  );
}

/** `ip_policy_ids` of a request are objects with an `id` in the response. */
function asRefs(value: Value): Value {
  if (Array.isArray(value)) return (value as readonly Value[]).map((id) => ({ id }));
  return typeof value === "string" ? { id: value } : value;
}
