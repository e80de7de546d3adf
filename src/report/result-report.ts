import { type OperationResult, type OperationStatus, type Result, countStatuses } from "../apply/result.js";
import { count, cut, shellWord, wrap } from "../core/text.js";
import { guardRunner, visibleLine } from "../core/visible.js";
import { operationWords } from "../plan/operation-words.js";
import { type Plan, shownCommit } from "../plan/plan-format.js";
import { markdownCell } from "./escape.js";
import { type FittingBlock, code, markdownReport, prose, noticeBlock } from "./report-markdown.js";
import { type TextLayout, type TextOptions, bodyIndent, headingText, noticesText, textLayout } from "./report-text.js";
import { commitLine, groupSame, placeOf } from "./report-view.js";

/** `verbose` lists all operations; `given` is the next step, of a caller that knows more. */
export function renderResultText(result: Result, plan: Plan, options: TextOptions, given?: string): string {
  const layout = textLayout(options);
  const { paint, width } = layout;
  const { good, label, next, sentence } = headlineOf(result, given);
  const operations = shownOperations(result, plan);
  const verbose = options.verbose === true;
  const { shown, alike } = verbose
    ? { shown: operations, alike: [] }
    : countSkipped(operations.filter(({ status }) => status !== "done"));
  const from = commitLine(result);
  const lines = [
    `${(good ? paint.add : paint.alarm)(label)}  ${sentence}`,
    paint.dim(`Stack ${visibleLine(result.stack)}`),
    ...(from === null ? [] : [paint.bold(from)]),
    ...(shown.length + alike.length === 0 ? [] : [""]),
    ...shown.flatMap((each) => operationText(each, layout)),
    ...alike.flatMap(([error, number]) => [
      `  ${paint.dim("– skipped")}  ${paint.bold(count(number, "operation"))}`,
      ...wrap(visibleLine(error), width, bodyIndent, bodyIndent),
    ]),
    ...noticesText("Warnings", result.warnings, layout),
    ...noticesText("Refused", result.refusals, layout),
    "",
    ...(next === null ? [] : wrap(next, width, "Next: ", "      ")),
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

function operationText(operation: ShownOperation, layout: TextLayout): readonly string[] {
  const { paint, width } = layout;
  const { error, httpStatus, id, place, request, resourceId, status, what } = operation;
  const { mark, paint: tone } = statusStyles[status];
  const heading = [
    paint.bold(what),
    ...(resourceId === null ? [] : [paint.dim(visibleLine(resourceId))]),
    ...(place === null ? [] : [paint.dim(visibleLine(place))]),
  ];
  const sent = `${id}: ${request}${httpStatus === null ? "" : `, HTTP ${httpStatus}`}`;
  return [
    ...headingText(`  ${paint[tone](`${mark} ${status}`)}  `, heading, layout),
    ...(error === null ? [] : wrap(visibleLine(error), width, bodyIndent, bodyIndent)),
    // What was skipped was never sent.
    ...(request === null || status === "skipped" ? [] : [`${bodyIndent}${paint.dim(visibleLine(sent))}`]),
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
        `> ${sentence}${next === null ? "" : `\n>\n> **Next:** ${next}`}`,
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
          items: having("done").map((each) => ({ full: () => row(each), compact: null })),
        },
      ],
      closing: "",
      foot: [`Plan ${code(plan.hash)}`, `edgewise ${code(plan.toolVersion)}`],
    },
    maxChars,
  );
}

function listBlock(title: string, operations: readonly ShownOperation[], share: number): FittingBlock {
  const { alike, shown } = countSkipped(operations);
  const counted = alike.map(([error, number]) => `- ${count(number, "operation")}: ${prose(error)}`);
  return {
    opening: `### ${title} (${operations.length})\n`,
    share,
    omitted: (n) => `… and **${n} more**.`,
    items: [
      ...counted.map((text) => ({ full: () => text, compact: () => text })),
      ...shown.map((each) => ({ full: () => bullet(each), compact: () => `- ${code(each.id)} ${code(each.what)}` })),
    ],
  };
}

function bullet({ error, httpStatus, id, place, request, what }: ShownOperation): string {
  const status = httpStatus === null ? "" : `, HTTP ${httpStatus}`;
  const sent = request === null ? "" : ` (${code(request)}${status})`;
  const why = error === null ? "" : `: ${prose(error)}`;
  return `- ${code(id)} ${code(what)}${place === null ? "" : ` ${code(place)}`}${sent}${why}`;
}

function row({ id, place, resourceId, what }: ShownOperation): string {
  return `| ${[id, what, resourceId, place].map((cell) => (cell === null ? "" : markdownCell(cell))).join(" | ")} |`;
}

/** An operation of a result with its request and manifest from the plan. */
interface ShownOperation extends OperationResult {
  /** `update TLSEdge/api`. Safe for one line. */
  readonly what: string;
  readonly request: string | null;
  readonly place: string | null;
}

function shownOperations(result: Result, plan: Plan): readonly ShownOperation[] {
  const operations = new Map(plan.operations.map((operation) => [operation.id, operation]));
  const words = operationWords(plan);
  const places = new Map<string, string | null>(plan.changes.map((change) => [change.address, placeOf(change)]));
  return result.operations.map((each) => {
    const operation = operations.get(each.id);
    return {
      ...each,
      what: words.get(each.id)?.title ?? `${each.kind} ${visibleLine(each.address)}`,
      request: operation === undefined ? null : `${operation.method} ${operation.path}`,
      place: places.get(each.address) ?? null,
    };
  });
}

const mostAlike = 3;

/** Counts what is skipped for one reason, as an interrupt skips everything that is left; the others stay as they are. */
function countSkipped(operations: readonly ShownOperation[]): {
  readonly shown: readonly ShownOperation[];
  readonly alike: readonly (readonly [error: string, number: number])[];
} {
  const groups = groupSame(operations, (each) => (each.status === "skipped" ? (each.error ?? each) : each));
  return {
    shown: groups.filter((same) => same.length <= mostAlike).flat(),
    alike: groups.filter((same) => same.length > mostAlike).map((same) => [same[0].error ?? "", same.length]),
  };
}

/** `7 done, 1 failed, 2 skipped` */
function countsLine({ operations }: Result): string {
  const counts = Object.entries(countStatuses(operations)).filter(([, number]) => number > 0);
  return counts.map(([status, number]) => `${number} ${status}`).join(", ") || "no operations";
}

interface Headline {
  readonly label: string;
  readonly sentence: string;
  /** The next step; null when there is nothing to do. */
  readonly next: string | null;
  readonly good: boolean;
}

function headlineOf(result: Result, given?: string): Headline {
  const headline = outcomeOf(result);
  const shown = shownCommit(result);
  if (given !== undefined) return { ...headline, next: given };
  if (shown === null) return headline;
  const flag = `--ref ${visibleLine(cut(shellWord(shown.ref), 200))}`;
  const next =
    headline.next === null
      ? "An apply without --ref brings back what is checked out: revert in Git, too."
      : `${headline.next} Give ${flag} again: without it, what is checked out is read.`;
  return { ...headline, next };
}

/** Lists may lag behind writes: a plan that is made at once could create again what is not listed yet. */
const waitFirst = "Wait until the service shows what was done (half a minute, as a rule)";

function outcomeOf({ interrupted, operations, outcome, verified, warnings }: Result): Headline {
  const ending = interrupted ? " The run was interrupted." : "";
  const say = (label: string, sentence: string, next: string | null, good = false): Headline => {
    return { label, sentence, next, good };
  };
  switch (outcome) {
    case "nothing":
      if (interrupted) return say("INTERRUPTED", "Nothing was changed.", "Run apply again.");
      if (verified !== false) return say("NOTHING TO DO", "Live matches the manifests.", null, true);
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
      const look =
        unknown > 0 ? "run plan to see the outcome of the operations with unknown status, and apply" : "run apply";
      if (warnings.some(({ code }) => code === "changed-meanwhile")) {
        const changed = "Run plan and read it before you apply again: somebody changed what the plan removes.";
        return say("PARTIAL", `Not all operations were applied.${ending}`, changed);
      }
      const next = `${failed > 0 ? "Fix what failed. " : ""}${waitFirst}, then ${look} again: it resumes with the remaining operations.`;
      return say("PARTIAL", `Not all operations were applied.${ending}`, next);
    }
    case "applied":
      if (verified === true)
        return say("APPLIED", `Live matches the manifests: a second plan is empty.${ending}`, null, true);
      if (verified === null) {
        const next = `${waitFirst}, then run plan to see whether anything still differs.`;
        return say("APPLIED", `Not verified.${ending}`, next, !interrupted);
      }
      return say(
        "NOT CONVERGED",
        `All operations succeeded, but a second plan still has changes.${ending}`,
        "Run plan later to see what still differs: the service changed what it was sent, somebody else changed it, or its lists lag behind by more than api.settle.",
      );
  }
}
