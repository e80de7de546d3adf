import type { Result } from "../apply/result.js";
import type { Plan } from "../plan/plan-format.js";
import { wrap } from "../text/layout.js";
import { type Palette, palette } from "../text/palette.js";
import { guardRunner, visibleLine } from "../text/visible.js";
import { countByStatus, resultHeadline, statusCountsLine } from "./headline.js";
import { type OperationWithPlace, operationsWithPlaces } from "./result-operations.js";
import { refusalsText, warningsText } from "./text-parts.js";

/** `width` in columns (default 100); `verbose` lists what was done, too. */
export interface ResultTextOptions {
  readonly color: boolean;
  readonly width?: number;
  readonly verbose?: boolean;
}

const marks = { done: "✓", failed: "✗", skipped: "–", unknown: "?" } as const;

/** The exact account of an apply: what failed and where, what was skipped and why, sums, and what to do next. */
export function renderResultText(result: Result, plan: Plan, options: ResultTextOptions): string {
  const paint = palette(options.color);
  const width = Math.max(40, options.width ?? 100);
  const { label, sentence, good, next } = resultHeadline(result);
  const shown = operationsWithPlaces(result, plan).filter((each) => each.status !== "done" || options.verbose === true);
  const lines = [
    `${(good ? paint.add : paint.alarm)(label)}  ${sentence}`,
    paint.dim(`Stack ${visibleLine(result.stack)}`),
    ...(shown.length === 0 ? [] : ["", ...shown.flatMap((each) => operationText(each, paint, width))]),
    ...warningsText(result.warnings, paint, width),
    ...refusalsText(result.refusals, paint, width),
    "",
    ...(next === null ? [] : wrap(next, width, "Next: ", "      ")),
    paint.bold(`Apply: ${statusCountsLine(countByStatus(result))}.`),
  ];
  return guardRunner(`${lines.join("\n")}\n`);
}

function operationText(operation: OperationWithPlace, paint: Palette, width: number): readonly string[] {
  const tone = { done: paint.add, failed: paint.alarm, skipped: paint.dim, unknown: paint.change }[operation.status];
  const head = [
    `  ${tone(`${marks[operation.status]} ${operation.status}`)}`,
    paint.bold(operation.what),
    ...(operation.resourceId === null ? [] : [paint.dim(operation.resourceId)]),
    ...(operation.place === null ? [] : [paint.dim(operation.place)]),
  ].join("  ");
  const status = operation.httpStatus === null ? "" : `, HTTP ${operation.httpStatus}`;
  const request =
    operation.request === null ? [] : [`      ${paint.dim(`${operation.id}: ${operation.request}${status}`)}`];
  const detail = operation.status === "skipped" ? [] : request;
  return [head, ...(operation.error === null ? [] : wrap(operation.error, width, "      ", "      ")), ...detail];
}
