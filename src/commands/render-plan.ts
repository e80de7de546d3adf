import type { Plan } from "../plan/plan-format.js";
import type { CommonFlags } from "./flags.js";
import type { Io } from "./io.js";
import { pathPrefix } from "./path-prefix.js";

/** Turns a plan into text. */
export type RenderPlan = (plan: Plan) => string | Promise<string>;

/** A plan in the format that the flags ask for; see {@link planRenderer}. */
export async function renderPlan(plan: Plan, flags: CommonFlags, io: Io, root: string): Promise<string> {
  return (await planRenderer(flags, io, root))(plan);
}

/**
 * What renders a plan in the format that the flags ask for. Only that format's code is imported, which may happen while
 * the plan is not there yet.
 * @param root the directory that the plan's sources are relative to
 */
export async function planRenderer(flags: CommonFlags, io: Io, root: string): Promise<RenderPlan> {
  switch (flags.output ?? "text") {
    case "json":
      return (await import("../report/safe-json.js")).renderPlanJson;
    case "markdown":
      return (await import("../report/plan-markdown.js")).renderPlanMarkdown;
    case "html":
      return (await import("../report/plan-html.js")).renderPlanHtml;
    case "github": {
      const { renderPlanGithub } = await import("../report/github-annotations.js");
      return async (plan) => renderPlanGithub(plan, { pathPrefix: await pathPrefix(root) });
    }
    case "gitlab":
      return (await import("../report/safe-json.js")).renderPlanGitlab;
    default: {
      const { renderPlanText } = await import("../report/plan-text.js");
      const color = io.color && flags.outputFile === undefined;
      return async (plan) => renderPlanText(plan, { color, ...textOptions(flags, io) });
    }
  }
}

/** What every text report takes beside its colours. */
export function textOptions(flags: CommonFlags, io: Io): { readonly width?: number; readonly verbose: boolean } {
  return { verbose: flags.verbose === true, ...(io.columns === undefined ? {} : { width: Math.min(io.columns, 140) }) };
}
