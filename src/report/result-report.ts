import { type OperationResult, type OperationStatus, type Result, countStatuses } from "../apply/result.js";
import { cut, shellWord, wrap } from "../core/text.js";
import { guardRunner, visibleLine } from "../core/visible.js";
import { operationWords } from "../plan/operation-words.js";
import { type Plan, shownCommit } from "../plan/plan-format.js";
import { type FittingBlock, code, markdownReport, noticeBlock, prose } from "./report-markdown.js";
import { type TextLayout, type TextOptions, bodyIndent, headingText, noticesText, textLayout } from "./report-text.js";
import { commitLine, placeOf, present } from "./report-view.js";

/** `given` is the next step, of a caller that knows more. */
export function renderResultText(result: Result, plan: Plan, options: TextOptions, given?: string): string {
  const layout = textLayout(options);
  const { paint, width } = layout;
  const { good, label, next, sentence } = headlineOf(result, given);
  const shown = shownOperations(result, plan).filter(({ status }) => status !== "done");
  const lines = [
    `${(good ? paint.add : paint.alarm)(label)}  ${sentence}`,
    ...present([paint.dim(`Stack ${visibleLine(result.stack)}`), paint.bold(commitLine(result))]),
    ...(shown.length === 0 ? [] : [""]),
    ...shown.flatMap((each) => operationText(each, layout)),
    ...noticesText("Warnings", result.warnings, layout),
    ...noticesText("Refused", result.refusals, layout),
    "",
    ...(next === "" ? [] : wrap(next, width, "Next: ", "      ")),
    paint.bold(`Apply: ${countsLine(result)}.`),
  ];
  return guardRunner(`${lines.join("\n")}\n`);
}

const statusStyles = {
  done: { mark: "✓", paint: "add" },
  failed: { mark: "✗", paint: "alarm" },
  skipped: { mark: "–", paint: "dim" },
  unknown: { mark: "?", paint: "change" },
} as const satisfies { readonly [S in OperationStatus]: object };

function operationText(operation: ShownOperation, { paint, width }: TextLayout): readonly string[] {
  const { error, httpStatus, id, place, request, resourceId, status, what } = operation;
  const { mark, paint: tone } = statusStyles[status];
  const heading = present([paint.bold(what), paint.dim(visibleLine(resourceId ?? "")), paint.dim(visibleLine(place))]);
  const sent = `${id}: ${request}${httpStatus === null ? "" : `, HTTP ${httpStatus}`}`;
  return [
    ...headingText(`  ${paint[tone](`${mark} ${status}`)}  `, heading, { paint, width }),
    ...(error === null ? [] : wrap(visibleLine(error), width, bodyIndent, bodyIndent)),
    ...(request === "" || status === "skipped" ? [] : [`${bodyIndent}${paint.dim(visibleLine(sent))}`]),
  ];
}

export function renderResultMarkdown(result: Result, plan: Plan, given?: string, maxChars = 65_000): string {
  const { good, label, next, sentence } = headlineOf(result, given);
  const operations = shownOperations(result, plan);
  const listBlock = (title: string, status: OperationStatus, share: number): FittingBlock => {
    const listed = operations.filter((each) => each.status === status);
    return {
      opening: `### ${title} (${listed.length})\n`,
      share,
      omitted: (n) => `… and **${n} more**.`,
      items: listed.map((each) => ({ full: bullet(each), short: status === "done" ? "" : `- ${named(each)}` })),
    };
  };
  return markdownReport(
    {
      name: "apply",
      stack: result.stack,
      title: `Apply of ${result.stack}`,
      state: `${good ? "✅" : "❌"} ${label.toLowerCase()}`,
      from: commitLine(result),
      summary: [
        `> ${sentence}${next && `\n>\n> **Next:** ${next}`}`,
        ...(operations.length === 0 ? [] : ["", `${countsLine(result)}.`]),
      ],
      blocks: [
        noticeBlock("refusal", result.refusals),
        listBlock("Failed", "failed", 0.5),
        listBlock("Unknown: sent, outcome not confirmed", "unknown", 0.5),
        listBlock("Skipped", "skipped", 0.4),
        noticeBlock("warning", result.warnings),
        listBlock("Done", "done", 0.95),
      ],
      closing: "",
      foot: [`Plan ${code(plan.hash)}`, `edgewise ${code(plan.toolVersion)}`],
    },
    maxChars,
  );
}

function named({ id, what }: ShownOperation): string {
  return `${code(id)} ${code(what)}`;
}

function bullet(operation: ShownOperation): string {
  const { error, httpStatus, place, request, resourceId } = operation;
  const status = httpStatus === null ? "" : `, HTTP ${httpStatus}`;
  const known = [resourceId ?? "", place].map((each) => each && ` ${code(each)}`).join("");
  const sent = request && ` (${code(request)}${status})`;
  return `- ${named(operation)}${known}${sent}${error === null ? "" : `: ${prose(error)}`}`;
}

type ShownOperation = OperationResult &
  Readonly<{
    what: string;
    request: string;
    place: string;
  }>;

function shownOperations(result: Result, plan: Plan): readonly ShownOperation[] {
  const operations = new Map(plan.operations.map((operation) => [operation.id, operation]));
  const words = operationWords(plan);
  const places = new Map<string, string>(plan.changes.map((change) => [change.address, placeOf(change)]));
  return result.operations.map((each) => {
    const operation = operations.get(each.id);
    return {
      ...each,
      what: words.get(each.id)?.title ?? `${each.kind} ${visibleLine(each.address)}`,
      request: operation === undefined ? "" : `${operation.method} ${operation.path}`,
      place: places.get(each.address) ?? "",
    };
  });
}

function countsLine({ operations }: Result): string {
  const counts = Object.entries(countStatuses(operations)).filter(([, number]) => number > 0);
  return counts.map(([status, number]) => `${number} ${status}`).join(", ") || "no operations";
}

type Headline = Readonly<{
  label: string;
  sentence: string;
  /** The next step; "" when there is nothing to do. */
  next: string;
  good: boolean;
}>;

function headlineOf(result: Result, given?: string): Headline {
  const [label, sentence, step, good = false] = outcomeOf(result);
  const shown = shownCommit(result);
  const again = shown === null ? "" : visibleLine(cut(shellWord(shown.ref), 200));
  const atCommit =
    step === ""
      ? "An apply without --ref brings back what is checked out: revert in Git, too."
      : `${step} Give --ref ${again} again: without it, what is checked out is read.`;
  const ending = result.interrupted && label !== "INTERRUPTED" ? " The run was interrupted." : "";
  return { label, sentence: sentence + ending, next: given ?? (shown === null ? step : atCommit), good };
}

/** Lists may lag: a plan made at once could create again what is not listed yet. */
const waitFirst = "Wait until the service shows what was done (half a minute, as a rule), then run";

function outcomeOf({
  interrupted,
  operations,
  outcome,
  verified,
  warnings,
}: Result): readonly [label: string, sentence: string, next: string, good?: boolean] {
  const { failed, unknown } = countStatuses(operations);
  switch (outcome) {
    case "nothing":
      if (interrupted) return ["INTERRUPTED", "Nothing was changed.", "Run apply again."];
      if (verified !== false) return ["NOTHING TO DO", "Live matches the manifests.", "", true];
      return ["NOT CONVERGED", "The plan is empty, but live differs from the manifests.", "See the warnings."];
    case "refused":
      return ["REFUSED", "Nothing was changed.", "Do what each refusal asks for, then plan again."];
    case "failed":
      return ["FAILED", "Nothing was changed.", "Fix what failed, then run apply again."];
    case "partial": {
      const isChanged = warnings.some(({ code: name }) => name === "changed-meanwhile");
      const look = unknown > 0 ? "plan to see the outcome of what is unknown, and apply" : "apply";
      const next = isChanged
        ? "Run plan and read it before you apply again: somebody changed what the plan removes."
        : `${failed > 0 ? "Fix what failed. " : ""}${waitFirst} ${look} again: it resumes with the remaining operations.`;
      return ["PARTIAL", "Not all operations were applied.", next];
    }
    case "applied":
      if (verified === true) return ["APPLIED", "Live matches the manifests: a second plan is empty.", "", true];
      if (verified === null)
        return ["APPLIED", "Not verified.", `${waitFirst} plan to see whether anything still differs.`, !interrupted];
      return [
        "NOT CONVERGED",
        "All operations succeeded, but a second plan still has changes.",
        "Run plan later: the service or somebody else changed something, or lists lag by more than api.settle.",
      ];
  }
}
