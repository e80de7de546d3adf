import { type Result, countStatuses } from "../apply/result.js";
import type { Plan } from "../plan/plan-format.js";
import { count, wrap } from "../text/layout.js";
import { guardRunner, visibleLine } from "../text/visible.js";
import { resultHeadline, statusCountsLine } from "./headline.js";
import { type OperationWithPlace, countSkipped, operationsWithPlaces } from "./result-operations.js";
import { statusStyles } from "./styles.js";
import {
  type TextLayout,
  type TextOptions,
  bodyIndent,
  commitText,
  headingText,
  refusalsText,
  textLayout,
  warningsText,
} from "./text-parts.js";

/** The report of an apply: failed and skipped operations with reasons, the next step, totals. `verbose` lists all. */
export function renderResultText(
  result: Result,
  plan: Plan,
  options: TextOptions & { readonly next?: string },
): string {
  const layout = textLayout(options);
  const { paint, width } = layout;
  const { label, sentence, good, next } = resultHeadline(result, options);
  const operations = operationsWithPlaces(result, plan);
  const { shown, alike } =
    options.verbose === true
      ? { shown: operations, alike: [] }
      : countSkipped(operations.filter(({ status }) => status !== "done"));
  const lines = [
    `${(good ? paint.add : paint.alarm)(label)}  ${sentence}`,
    paint.dim(`Stack ${visibleLine(result.stack)}`),
    ...commitText(result, layout),
    ...(shown.length + alike.length === 0 ? [] : [""]),
    ...shown.flatMap((each) => operationText(each, layout)),
    ...alike.flatMap(({ error, number }) => [
      `  ${paint[statusStyles.skipped.paint](`${statusStyles.skipped.mark} skipped`)}  ${paint.bold(count(number, "operation"))}`,
      ...wrap(error, width, bodyIndent, bodyIndent),
    ]),
    ...warningsText(result.warnings, layout),
    ...refusalsText(result.refusals, layout),
    "",
    ...(next === null ? [] : wrap(next, width, "Next: ", "      ")),
    paint.bold(`Apply: ${statusCountsLine(countStatuses(result.operations))}.`),
  ];
  return guardRunner(`${lines.join("\n")}\n`);
}

function operationText(operation: OperationWithPlace, layout: TextLayout): readonly string[] {
  const { paint, width } = layout;
  const { id, what, request, place, status, httpStatus, resourceId, error } = operation;
  const style = statusStyles[status];
  const heading = [
    paint.bold(what),
    ...(resourceId === null ? [] : [paint.dim(resourceId)]),
    ...(place === null ? [] : [paint.dim(place)]),
  ];
  const answered = httpStatus === null ? "" : `, HTTP ${httpStatus}`;
  return [
    ...headingText(`  ${paint[style.paint](`${style.mark} ${status}`)}  `, heading, layout),
    ...(error === null ? [] : wrap(error, width, bodyIndent, bodyIndent)),
    // What was skipped was never sent.
    ...(request === null || status === "skipped" ? [] : [`${bodyIndent}${paint.dim(`${id}: ${request}${answered}`)}`]),
  ];
}
