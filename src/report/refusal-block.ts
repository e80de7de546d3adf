import type { Refusal } from "../plan/plan-format.js";
import { cut } from "../text.js";
import { count } from "./count.js";
import { markdownCode, markdownText } from "./escape-markdown.js";
import type { FittingBlock } from "./fit-document.js";

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
