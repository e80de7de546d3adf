import type { Warning } from "../plan/plan-format.js";
import { cut } from "../text.js";
import { count } from "./count.js";
import { markdownCode, markdownText } from "./escape-markdown.js";
import type { FittingBlock } from "./fit-document.js";

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
