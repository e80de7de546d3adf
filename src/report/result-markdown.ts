import type { Result } from "../apply/result.js";
import type { Plan } from "../plan/plan-format.js";
import { cut } from "../text/layout.js";
import { markdownCell, markdownCode, markdownMarker, markdownText } from "./escape.js";
import { type FittingBlock, fitDocument } from "./fit.js";
import { countByStatus, resultHeadline, statusCountsLine } from "./headline.js";
import { refusalBlock, warningBlock } from "./markdown-parts.js";
import { type OperationWithPlace, operationsWithPlaces } from "./result-operations.js";

/** `maxChars` (default 65,000, at least 4,000) keeps the text below what forges take. */
export interface ResultMarkdownOptions {
  readonly commit?: string;
  readonly maxChars?: number;
  readonly title?: string;
}

/** The account of an apply as a comment. The first line is a hidden marker by which a later run finds it. */
export function renderResultMarkdown(result: Result, plan: Plan, options: ResultMarkdownOptions = {}): string {
  const { label, sentence, good, next } = resultHeadline(result);
  const operations = operationsWithPlaces(result, plan);
  const title = markdownText(cut(options.title ?? `Edgewise apply of ${result.stack}`, 200));
  const head = [
    markdownMarker("apply", result.stack),
    `## ${title}: ${good ? "✅" : "❌"} ${label.toLowerCase()}`,
    "",
    `> ${sentence}${next === null ? "" : `\n>\n> **Next:** ${next}`}`,
    "",
    `${statusCountsLine(countByStatus(result))}.`,
  ].join("\n");
  const done = operations.filter((each) => each.status === "done");
  const blocks: readonly FittingBlock[] = [
    refusalBlock(result.refusals),
    block(
      "### Failed",
      operations.filter((each) => each.status === "failed"),
      0.5,
    ),
    block(
      "### Unknown: sent, and nothing tells whether it was done",
      operations.filter((each) => each.status === "unknown"),
      0.5,
    ),
    block(
      "### Skipped",
      operations.filter((each) => each.status === "skipped"),
      0.4,
    ),
    warningBlock(result.warnings),
    {
      opening: "### Done\n\n| | Operation | Resource id | Manifest |\n|---|---|---|---|",
      share: 0.95,
      omitted: (n) => `… and ${n} more done.`,
      items: done.map((each) => ({ full: () => row(each), compact: null })),
    },
  ];
  const parts = [
    `Plan ${markdownCode(cut(plan.hash, 100))}`,
    ...(options.commit === undefined ? [] : [`commit ${markdownCode(cut(options.commit, 100))}`]),
    `edgewise ${markdownCode(cut(plan.toolVersion, 50))}`,
  ];
  return fitDocument(head, blocks, `\n---\n${parts.join(" · ")}`, Math.max(4000, options.maxChars ?? 65_000));
}

function block(opening: string, operations: readonly OperationWithPlace[], share: number): FittingBlock {
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

function bullet(operation: OperationWithPlace): string {
  const status = operation.httpStatus === null ? "" : `, HTTP ${operation.httpStatus}`;
  const request = operation.request === null ? "" : ` (${markdownCode(cut(operation.request, 300))}${status})`;
  const place = operation.place === null ? "" : ` ${markdownCode(operation.place)}`;
  const error = operation.error === null ? "" : `: ${markdownText(cut(operation.error, 2000))}`;
  return `- ${markdownCode(operation.id)} ${markdownCode(operation.what)}${place}${request}${error}`;
}

function row(operation: OperationWithPlace): string {
  const cells = [
    markdownCell(operation.id),
    markdownCell(operation.what),
    operation.resourceId === null ? "" : markdownCell(operation.resourceId),
    operation.place === null ? "" : markdownCell(operation.place),
  ];
  return `| ${cells.join(" | ")} |`;
}
