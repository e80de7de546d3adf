import { type OperationResult, type OperationStatus, type Result, countStatuses } from "../apply/result.js";
import { count, cut, shellWord, wrap } from "../core/text.js";
import { guardRunner, visibleLine } from "../core/visible.js";
import { operationWords } from "../plan/operation-words.js";
import { type Plan, shownCommit } from "../plan/plan-format.js";
import { markdownCell } from "./escape.js";
import { type FittingBlock, code, markdownReport, noticeBlock, prose } from "./report-markdown.js";
import { type TextLayout, type TextOptions, bodyIndent, headingText, noticesText, textLayout } from "./report-text.js";
import { commitLine, groupSame, placeOf, present } from "./report-view.js";

/** `verbose` lists all operations; `given` is the next step, of a caller that knows more. */
export function renderResultText(result: Result, plan: Plan, options: TextOptions, given?: string): string {
  const layout = textLayout(options);
  const { paint, width } = layout;
  const { good, label, next, sentence } = headlineOf(result, given);
  const operations = shownOperations(result, plan);
  const shown =
    options.verbose === true ? operations : countSkipped(operations.filter(({ status }) => status !== "done"));
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
  const having = (status: OperationStatus) => operations.filter((each) => each.status === status);
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
        listBlock("Failed", having("failed"), 0.5),
        listBlock("Unknown: sent, outcome not confirmed", having("unknown"), 0.5),
        listBlock("Skipped", having("skipped"), 0.4),
        noticeBlock("warning", result.warnings),
        {
          opening: "### Done\n\n| | Operation | Resource id | Manifest |\n|---|---|---|---|",
          share: 0.95,
          omitted: (n) => `… and ${n} more done.`,
          items: having("done").map((each) => ({ full: row(each), short: "" })),
        },
      ],
      closing: "",
      foot: [`Plan ${code(plan.hash)}`, `edgewise ${code(plan.toolVersion)}`],
    },
    maxChars,
  );
}

function listBlock(title: string, operations: readonly ShownOperation[], share: number): FittingBlock {
  return {
    opening: `### ${title} (${operations.length})\n`,
    share,
    omitted: (n) => `… and **${n} more**.`,
    items: countSkipped(operations).map((each) => ({ full: bullet(each), short: `- ${named(each)}` })),
  };
}

function named({ id, what }: ShownOperation): string {
  return id === "" ? what : `${code(id)} ${code(what)}`;
}

function bullet(operation: ShownOperation): string {
  const { error, httpStatus, place, request } = operation;
  const status = httpStatus === null ? "" : `, HTTP ${httpStatus}`;
  const sent = request && ` (${code(request)}${status})`;
  return `- ${named(operation)}${place && ` ${code(place)}`}${sent}${error === null ? "" : `: ${prose(error)}`}`;
}

function row({ id, place, resourceId, what }: ShownOperation): string {
  return `| ${[id, what, resourceId ?? "", place].map((cell) => cell && markdownCell(cell)).join(" | ")} |`;
}

/** Without an `id` it stands for several. */
type ShownOperation = OperationResult &
  Readonly<{
    /** `update TLSEdge/api`. Safe for one line. */
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

/** An interrupt skips everything that is left, for one reason. */
function countSkipped(operations: readonly ShownOperation[]): readonly ShownOperation[] {
  const keyOf = (each: ShownOperation): unknown => (each.status === "skipped" ? (each.error ?? each) : each);
  return groupSame(operations, keyOf, 4).map((same): ShownOperation => {
    const several = { id: "", what: count(same.length, "operation"), resourceId: null, place: "", request: "" };
    return same.length === 1 ? same[0] : { ...same[0], ...several };
  });
}

/** `7 done, 1 failed, 2 skipped` */
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
  const headline = outcomeOf(result);
  const shown = shownCommit(result);
  if (given !== undefined) return { ...headline, next: given };
  if (shown === null) return headline;
  const flag = `--ref ${visibleLine(cut(shellWord(shown.ref), 200))}`;
  const next =
    headline.next === ""
      ? "An apply without --ref brings back what is checked out: revert in Git, too."
      : `${headline.next} Give ${flag} again: without it, what is checked out is read.`;
  return { ...headline, next };
}

/** Lists may lag: a plan made at once could create again what is not listed yet. */
const waitFirst = "Wait until the service shows what was done (half a minute, as a rule)";

function outcomeOf({ interrupted, operations, outcome, verified, warnings }: Result): Headline {
  const ending = interrupted ? " The run was interrupted." : "";
  const say = (label: string, sentence: string, next: string, good = false): Headline => {
    return { label, sentence, next, good };
  };
  switch (outcome) {
    case "nothing":
      if (interrupted) return say("INTERRUPTED", "Nothing was changed.", "Run apply again.");
      if (verified !== false) return say("NOTHING TO DO", "Live matches the manifests.", "", true);
      return say(
        "NOT CONVERGED",
        "The plan is empty, but live differs from the manifests. Nothing was changed.",
        "See the warnings.",
      );
    case "refused":
      return say("REFUSED", "Nothing was changed.", "Do what each refusal asks for, then plan again.");
    case "failed":
      return say("FAILED", `Nothing was changed.${ending}`, "Fix what failed, then run apply again.");
    case "partial": {
      const { failed, unknown } = countStatuses(operations);
      const isChanged = warnings.some(({ code: name }) => name === "changed-meanwhile");
      const look =
        unknown > 0 ? "run plan to see the outcome of the operations with unknown status, and apply" : "run apply";
      const next = isChanged
        ? "Run plan and read it before you apply again: somebody changed what the plan removes."
        : `${failed > 0 ? "Fix what failed. " : ""}${waitFirst}, then ${look} again: it resumes with the remaining operations.`;
      return say("PARTIAL", `Not all operations were applied.${ending}`, next);
    }
    case "applied":
      if (verified === true)
        return say("APPLIED", `Live matches the manifests: a second plan is empty.${ending}`, "", true);
      if (verified === null) {
        const next = `${waitFirst}, then run plan to see whether anything still differs.`;
        return say("APPLIED", `Not verified.${ending}`, next, !interrupted);
      }
      return say(
        "NOT CONVERGED",
        `All operations succeeded, but a second plan still has changes.${ending}`,
        "Run plan later to see what still differs: the service or somebody else changed it, or lists lag by more than api.settle.",
      );
  }
}
