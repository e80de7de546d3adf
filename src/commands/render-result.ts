import type { Result } from "../apply/result.js";
import type { Plan } from "../plan/plan-format.js";
import type { CommonFlags } from "./flags.js";
import type { Io } from "./io.js";
import { textOptions } from "./render-plan.js";

/** What an apply did, in the format that the flags ask for. */
export async function renderResult(result: Result, plan: Plan, flags: CommonFlags, io: Io): Promise<string> {
  switch (flags.output ?? "text") {
    case "json":
      return (await import("../report/safe-json.js")).renderResultJson(result);
    case "markdown":
      return (await import("../report/result-markdown.js")).renderResultMarkdown(result, plan);
    default:
      return (await import("../report/result-text.js")).renderResultText(result, plan, {
        color: io.color && flags.outputFile === undefined,
        ...textOptions(flags, io),
      });
  }
}
