import type { Refusal, Warning } from "../plan/plan-format.js";
import { count, cut } from "../text/layout.js";
import { markdownCode, markdownText } from "./escape.js";
import type { FieldView } from "./field-view.js";
import type { FittingBlock } from "./fit.js";

/** Fields as lines for a `diff` fence: marks in the first column, everything else indented. */
export function fieldDiffLines(views: readonly FieldView[], words: "plan" | "drift"): readonly string[] {
  return views.flatMap((view) => {
    const tags = view.tags.map((tag) => ` (${tag})`).join("");
    const reason = view.reason === null ? [] : [`# ${view.impact}: ${view.reason}`];
    return [...reason, ...valueLines(view, tags, words)];
  });
}

function valueLines(view: FieldView, tags: string, words: "plan" | "drift"): readonly string[] {
  if (view.lines !== null) {
    return [
      `@@ ${view.path}${tags} @@`,
      ...view.lines.map((line) => (line.mark === "gap" ? `  ⋮ ${line.text}` : `${line.mark} ${line.text}`)),
    ];
  }
  const [live, manifest] = words === "drift" ? [" (live)", " (manifest)"] : ["", ""];
  if (view.sign === "~" && (view.before === null || view.after === null)) {
    return [`! ${view.path}: ${view.after ?? view.before ?? "(none)"}${tags}`];
  }
  return [
    ...(view.before === null ? [] : [`- ${view.path}: ${view.before}${live}`]),
    ...(view.after === null ? [] : [`+ ${view.path}: ${view.after}${manifest}${tags}`]),
  ];
}

/** Refusals with their remedies as a part of a comment. */
export function refusalBlock(refusals: readonly Refusal[]): FittingBlock {
  return {
    opening: "### ⛔ Refusals\n",
    share: 0.4,
    omitted: (n) => `… and **${count(n, "more refusal")}**.`,
    items: refusals.map((refusal) => ({
      full: () => refusalItem(refusal),
      compact: () => `- ${refusalTitle(refusal)}`,
    })),
  };
}

function refusalItem(refusal: Refusal): string {
  const message = markdownText(cut(refusal.message, 2000));
  return `- ${refusalTitle(refusal)}: ${message}\n  **To do:** ${markdownText(cut(refusal.remedy, 2000))}`;
}

function refusalTitle(refusal: Refusal): string {
  const address = refusal.address === undefined ? "" : ` ${markdownCode(cut(refusal.address, 200))}`;
  return `**${markdownText(refusal.code)}**${address}`;
}

/** Warnings as a part of a comment. */
export function warningBlock(warnings: readonly Warning[]): FittingBlock {
  return {
    opening: "### ⚠️ Warnings\n",
    share: 0.3,
    omitted: (n) => `… and ${count(n, "more warning")}.`,
    items: warnings.map((warning) => ({ full: () => warningItem(warning), compact: null })),
  };
}

function warningItem(warning: Warning): string {
  const address = warning.address === undefined ? "" : ` ${markdownCode(cut(warning.address, 200))}`;
  return `- **${markdownText(cut(warning.code, 100))}**${address}: ${markdownText(cut(warning.message, 2000))}`;
}
