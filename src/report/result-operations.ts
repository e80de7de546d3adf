import type { OperationResult, Result } from "../apply/result.js";
import { operationWords } from "../plan/operation-words.js";
import type { Operation, Plan } from "../plan/plan-format.js";
import { visibleLine } from "../text/visible.js";

/** One operation of a result with its request and manifest from the plan. Texts are safe for one line of plain text. */
export interface OperationWithPlace {
  readonly id: string;
  /** `update TLSEdge/api` */
  readonly what: string;
  /** `PATCH /edges/tls/…`; null when the plan doesn't contain it. */
  readonly request: string | null;
  /** `edge/api.yaml:3`; null without a manifest. */
  readonly place: string | null;
  readonly status: OperationResult["status"];
  readonly httpStatus: number | null;
  readonly resourceId: string | null;
  readonly error: string | null;
}

/** Operations that were skipped for one reason. */
export interface SkippedAlike {
  readonly number: number;
  readonly error: string;
}

/** Up to this many are shown one by one. */
const mostAlike = 3;

/** Counts what is skipped for one reason, as an interrupt skips everything that is left; the others stay as they are. */
export function countSkipped(operations: readonly OperationWithPlace[]): {
  readonly shown: readonly OperationWithPlace[];
  readonly alike: readonly SkippedAlike[];
} {
  const numbers = new Map<string, number>();
  for (const { error, status } of operations)
    if (status === "skipped" && error !== null) numbers.set(error, (numbers.get(error) ?? 0) + 1);
  const alike = [...numbers].flatMap(([error, number]) => (number > mostAlike ? [{ number, error }] : []));
  const counted = new Set(alike.map(({ error }) => error));
  const shown = operations.filter(({ error, status }) => status !== "skipped" || error === null || !counted.has(error));
  return { shown, alike };
}

/** The operations of a result with their requests and manifests, in the plan's order. */
export function operationsWithPlaces(result: Result, plan: Plan): readonly OperationWithPlace[] {
  const operations = new Map<string, Operation>(plan.operations.map((operation) => [operation.id, operation]));
  const words = operationWords(plan);
  const places = new Map<string, string>();
  for (const { address, source } of plan.changes) {
    if (source !== null) places.set(address, visibleLine(`${source.file}:${source.line}`));
  }
  return result.operations.map((each) => {
    const operation = operations.get(each.id);
    return {
      id: visibleLine(each.id),
      what: words.get(each.id)?.title ?? `${each.kind} ${visibleLine(each.address)}`,
      request: operation === undefined ? null : visibleLine(`${operation.method} ${operation.path}`),
      place: places.get(each.address) ?? null,
      status: each.status,
      httpStatus: each.httpStatus,
      resourceId: each.resourceId === null ? null : visibleLine(each.resourceId),
      error: each.error === null ? null : visibleLine(each.error),
    };
  });
}
