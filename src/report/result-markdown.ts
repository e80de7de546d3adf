import { type OperationStatus, type Result, countStatuses } from "../apply/result.js";
import type { Plan } from "../plan/plan-format.js";
import { count, cut } from "../text/layout.js";
import { markdownCell, markdownCode, markdownText } from "./escape.js";
import type { FittingBlock } from "./fit.js";
import { resultHeadline, statusCountsLine } from "./headline.js";
import { type MarkdownOptions, markdownReport, refusalBlock, warningBlock } from "./markdown-parts.js";
import { type OperationWithPlace, countSkipped, operationsWithPlaces } from "./result-operations.js";

/** The report of an apply as a comment. */
export function renderResultMarkdown(
  result: Result,
  plan: Plan,
  options: MarkdownOptions & { readonly next?: string } = {},
): string {
  const { label, sentence, good, next } = resultHeadline(result, options);
  const operations = operationsWithPlaces(result, plan);
  const having = (status: OperationStatus) => operations.filter((each) => each.status === status);
  return markdownReport(
    {
      name: "apply",
      stack: result.stack,
      title: `Edgewise apply of ${result.stack}`,
      state: `${good ? "✅" : "❌"} ${label.toLowerCase()}`,
      summary: [
        `> ${sentence}${next === null ? "" : `\n>\n> **Next:** ${next}`}`,
        ...(operations.length === 0 ? [] : ["", `${statusCountsLine(countStatuses(result.operations))}.`]),
      ],
      blocks: [
        refusalBlock(result.refusals),
        listBlock("### Failed", having("failed"), 0.5),
        listBlock("### Unknown: sent, outcome not confirmed", having("unknown"), 0.5),
        skippedBlock(having("skipped")),
        warningBlock(result.warnings),
        tableBlock(having("done")),
      ],
      made: result,
      planHash: plan.hash,
      toolVersion: plan.toolVersion,
    },
    options,
  );
}

function listBlock(opening: string, operations: readonly OperationWithPlace[], share: number): FittingBlock {
  return {
    opening: `${opening} (${operations.length})\n`,
    share,
    omitted: (n) => `… and **${n} more**.`,
    items: operations.map((each) => ({
      full: () => bullet(each),
      compact: () => `- ${markdownCode(each.id)} ${markdownCode(cut(each.what, 200))}`,
    })),
  };
}

function skippedBlock(operations: readonly OperationWithPlace[]): FittingBlock {
  const { shown, alike } = countSkipped(operations);
  const items = alike.map(({ error, number }) => {
    const text = `- ${count(number, "operation")}: ${markdownText(cut(error, 2000))}`;
    return { full: () => text, compact: () => text };
  });
  const block = listBlock("### Skipped", shown, 0.4);
  return { ...block, opening: `### Skipped (${operations.length})\n`, items: [...items, ...block.items] };
}

function bullet(operation: OperationWithPlace): string {
  const status = operation.httpStatus === null ? "" : `, HTTP ${operation.httpStatus}`;
  const request = operation.request === null ? "" : ` (${markdownCode(cut(operation.request, 300))}${status})`;
  const place = operation.place === null ? "" : ` ${markdownCode(operation.place)}`;
  const error = operation.error === null ? "" : `: ${markdownText(cut(operation.error, 2000))}`;
  return `- ${markdownCode(operation.id)} ${markdownCode(operation.what)}${place}${request}${error}`;
}

function tableBlock(done: readonly OperationWithPlace[]): FittingBlock {
  return {
    opening: "### Done\n\n| | Operation | Resource id | Manifest |\n|---|---|---|---|",
    share: 0.95,
    omitted: (n) => `… and ${n} more done.`,
    items: done.map((each) => ({ full: () => row(each), compact: null })),
  };
}

function row({ id, place, resourceId, what }: OperationWithPlace): string {
  const cells = [
    markdownCell(id),
    markdownCell(what),
    resourceId === null ? "" : markdownCell(resourceId),
    place === null ? "" : markdownCell(place),
  ];
  return `| ${cells.join(" | ")} |`;
}
