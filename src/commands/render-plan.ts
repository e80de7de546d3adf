import type { Plan } from "../plan/plan.js";
import type { CommonFlags } from "./flags.js";
import type { Io } from "./io.js";
import { pathPrefix } from "./path-prefix.js";

/**
 * A plan in the format that the flags ask for. Only that format's code is imported.
 * @param root the directory that the plan's sources are relative to
 */
export async function renderPlan(plan: Plan, flags: CommonFlags, io: Io, root: string): Promise<string> {
  switch (flags.output ?? "text") {
    case "json":
      return (await import("../report/plan-json.js")).renderPlanJson(plan);
    case "markdown":
      return (await import("../report/plan-markdown.js")).renderPlanMarkdown(plan);
    case "html":
      return (await import("../report/plan-html.js")).renderPlanHtml(plan);
    case "github":
      return (await import("../report/plan-github.js")).renderPlanGithub(plan, { pathPrefix: await pathPrefix(root) });
    case "gitlab":
      return (await import("../report/plan-gitlab.js")).renderPlanGitlab(plan);
    default:
      return (await import("../report/plan-text.js")).renderPlanText(plan, {
        color: io.color && flags.outputFile === undefined,
        ...textOptions(flags, io),
      });
  }
}

/** What every text report takes beside its colours. */
export function textOptions(flags: CommonFlags, io: Io): { readonly width?: number; readonly verbose: boolean } {
  return { verbose: flags.verbose === true, ...(io.columns === undefined ? {} : { width: Math.min(io.columns, 140) }) };
}
