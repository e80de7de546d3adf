import { stat } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";
import type { Result } from "../../apply/result.js";
import type { Plan } from "../../plan/plan-format.js";
import type { CommonFlags } from "./flags.js";
import { type Io, guarded } from "./io.js";

/**
 * Writes a command's result: to stdout, or with `--output-file` there, in one step, so that no reader sees half of it,
 * and readable by its owner only.
 * A missing newline at the end is added.
 * @throws EdgewiseError `io` when the file can't be written
 */
export async function writeResult(text: string, flags: Pick<CommonFlags, "outputFile">, io: Io): Promise<void> {
  const whole = text === "" || text.endsWith("\n") ? text : `${text}\n`;
  if (flags.outputFile === undefined) return io.stdout(whole);
  const { writeOutput } = await import("./output-files.js");
  await writeOutput(flags.outputFile, whole, guarded(io));
}

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
      return (await import("../../report/json-reports.js")).renderPlanJson;
    case "markdown":
      return (await import("../../report/plan-markdown.js")).renderPlanMarkdown;
    case "html":
      return (await import("../../report/plan-html.js")).renderPlanHtml;
    case "github": {
      const { renderPlanGithub } = await import("../../report/github-annotations.js");
      return async (plan) => renderPlanGithub(plan, { pathPrefix: await pathPrefix(root) });
    }
    case "gitlab":
      return (await import("../../report/json-reports.js")).renderPlanGitlab;
    default: {
      const { renderPlanText } = await import("../../report/plan-text.js");
      const color = io.color && flags.outputFile === undefined;
      return async (plan) => renderPlanText(plan, { color, ...textOptions(flags, io) });
    }
  }
}

/** What every text report takes beside its colours. */
export function textOptions(flags: CommonFlags, io: Io): { readonly width?: number; readonly verbose: boolean } {
  return { verbose: flags.verbose === true, ...(io.columns === undefined ? {} : { width: Math.min(io.columns, 140) }) };
}

/** What an apply did, in the format that the flags ask for. */
export async function renderResult(result: Result, plan: Plan, flags: CommonFlags, io: Io): Promise<string> {
  switch (flags.output ?? "text") {
    case "json":
      return (await import("../../report/json-reports.js")).renderResultJson(result);
    case "markdown":
      return (await import("../../report/result-markdown.js")).renderResultMarkdown(result, plan);
    default:
      return (await import("../../report/result-text.js")).renderResultText(result, plan, {
        color: io.color && flags.outputFile === undefined,
        ...textOptions(flags, io),
      });
  }
}

/**
 * The way from the repository's root to a directory in it, ending in `/` (or "" at the root and outside of any):
 * forges want files named from the repository's root, manifests are named from the configuration's.
 * @param directory absolute
 */
export async function pathPrefix(directory: string): Promise<string> {
  for (let above = directory; ; above = dirname(above)) {
    // A file in worktrees and submodules, a directory elsewhere.
    if (await exists(join(above, ".git"))) {
      const way = relative(above, directory).split(sep).join("/");
      return way === "" ? "" : `${way}/`;
    }
    if (dirname(above) === above) return "";
  }
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
