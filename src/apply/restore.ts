import { type Json, isObject } from "../core/json.js";
import { claimText } from "../kinds/kind.js";
import { kindOf } from "../kinds/names.js";
import { kinds } from "../kinds/registry.js";
import type { HandOver, Operation, Warning } from "../plan/plan-format.js";
import { type OperationOutcome, mayBeDone, nameOfOperation, statusInWords } from "./result.js";
import type { RunContext } from "./run-context.js";
import { type BoundRequest, bindOperation, sendUntilFinal } from "./send-request.js";

type Run = Readonly<{
  context: RunContext;
  outcomes: readonly OperationOutcome[];
  ended: readonly Promise<void>[];
}>;

export function startRestores(run: Run): readonly Promise<void>[] {
  return run.context.graph.operations.map(async (operation, index) => {
    const handOver = operation.temporary ?? operation.handsOver;
    const warning = handOver === undefined ? null : await undo(run, operation, index, handOver);
    if (warning !== null) run.context.warnings.push(warning);
  });
}

async function undo(
  { context, ended, outcomes }: Run,
  operation: Operation,
  index: number,
  { claims = {}, restore, takers: takerIds }: HandOver,
): Promise<Warning | null> {
  const { address, id: op } = operation;
  const { emit, graph } = context;
  const { indexOf, operations } = graph;
  const takers = takerIds.flatMap((id) => indexOf.get(id) ?? []);
  const later = [...operations.keys()].filter((other) => other > index && operations[other]?.address === address);
  await Promise.all([index, ...takers, ...later].flatMap((one) => ended[one] ?? []));
  const isDone = (one: number | undefined) => one !== undefined && outcomes[one]?.status === "done";
  const done = takers.filter(isDone);
  if (!mayBeDone(outcomes[index]?.status) || done.length === takers.length) return null;
  const { claim, held, holder } = kinds[kindOf(address)].claimWords;
  const lost = Object.keys(claims).filter((text) => !isDone(indexOf.get(claims[text] ?? "")));
  const what = lost.length === 0 ? `its ${claim}s` : lost.map(claimText).join(", ");
  const why = takers
    .flatMap((taker) => {
      const [other, outcome] = [operations[taker], outcomes[taker]];
      const isLost = other !== undefined && outcome !== undefined && outcome.status !== "done";
      return isLost ? [`${nameOfOperation(other)} ${statusInWords[outcome.status]}`] : [];
    })
    .join(", ");
  if (restore === null) {
    const message = `${what}: not ${held} by any ${holder}: ${address} is deleted, and ${why}. Write the ${claim} into the manifest of another ${holder}, or bring back that of ${address}`;
    return { code: "hostport-unserved", message, address };
  }
  if (later.some((one) => mayBeDone(outcomes[one]?.status) && overwrites(operations[one], restore))) return null;
  const body = withoutTaken(
    restore,
    done.map((taker) => operations[taker]?.body ?? null),
  );
  const error = await restoreRelease(context, operation, index, body);
  void emit({ event: "restored", op, address, restored: error === null, error });
  if (error === null)
    return {
      code: "released-hostport-restored",
      message: `${address} took ${what} back after releasing it: ${why}`,
      address,
    };
  const message = `${address} released ${what} and could not take it back: ${error} (${why}). Nothing serves it until the next apply`;
  return { code: "restore-failed", message, address };
}

async function restoreRelease(
  context: RunContext,
  operation: Operation,
  index: number,
  body: Json,
): Promise<string | null> {
  const { clock, consistencyMs, created, secrets, semaphore } = context;
  const isBound = (pointer: string) => isObject(body) && Object.hasOwn(body, pointer.split("/")[1] ?? "");
  const bind = Object.fromEntries(Object.entries(operation.bind).filter(([pointer]) => isBound(pointer)));
  const bound = bindOperation({ ...operation, body, bind }, created, secrets);
  if ("missing" in bound) return bound.missing;
  const request: BoundRequest = {
    operation,
    order: index,
    purpose: "restore",
    request: { method: operation.method, path: bound.path, body: bound.body ?? null },
    retryUntil: clock.now() + consistencyMs,
  };
  await semaphore.acquire(index);
  const result = await sendUntilFinal(context, request).finally(() => semaphore.release());
  return result.ok ? null : result.failure.message;
}

function overwrites(operation: Operation | undefined, restore: Json) {
  if (operation?.kind === "delete") return true;
  const { body, kind } = operation ?? {};
  if (kind !== "patch" || !isObject(body) || !isObject(restore)) return false;
  return Object.keys(restore).some((member) => Object.hasOwn(body, member));
}

function withoutTaken(restore: Json, taken: readonly Json[]): Json {
  if (!isObject(restore)) return restore;
  const items = taken.flatMap((body): readonly unknown[] => (isObject(body) ? Object.values(body).flat() : []));
  const gone = new Set(items.map((item) => (typeof item === "string" ? item.toLowerCase() : null)));
  const isLeft = (item: unknown) => typeof item !== "string" || !gone.has(item.toLowerCase());
  const members = Object.entries(restore);
  return Object.fromEntries(
    members.map(([name, value]) => [name, Array.isArray(value) ? value.filter(isLeft) : value]),
  );
}

export const givenBack: ReadonlySet<string> = new Set(["released-hostport-restored", "restore-failed"]);
