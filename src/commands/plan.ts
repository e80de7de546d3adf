import { misuse } from "../core/errors.js";
import { isAtLeast } from "../kinds/impact.js";
import type { Plan } from "../plan/plan-format.js";
import { stackCommand } from "./support/all-stacks.js";
import type { CommandIo } from "./support/command-io.js";
import { type DefineCommand, type Flags, planFormats } from "./support/command-options.js";
import { type Findings, maskedPlan, savePlan, writeFindings } from "./support/output.js";
import { planOnly } from "./support/planning.js";
import { readPlan } from "./support/saved-plan.js";

export const define: DefineCommand = (command, run) =>
  command
    .description("Rehearses them on a model of the service, and changes nothing.")
    .option("--offline", "with --base: compare with its manifests, not with what is live; needs no API key")
    .shared(planFormats, "plan compact all manifests ref service concurrency pages")
    .examples([
      ["edgewise plan", "preview the changes"],
      ["edgewise plan --out plan.json --detailed-exitcode", "save the plan; exit 2 when there are changes"],
      ["edgewise plan --base origin/main -o markdown", "for a pull request: who changed what"],
      ["edgewise plan --offline --base origin/main", "without an API key, as for a fork's pull request"],
      ["edgewise plan --all --changed-since origin/main", "every stack of the repository that a branch changed"],
    ])
    .action(run(stackCommand("plan", planStack)));

export const defineShow: DefineCommand = (command, run) =>
  command
    .argument("<planfile>", "a plan saved with --out")
    .description("Needs neither the service nor the manifests.")
    .shared(planFormats, "compact")
    .examples([["edgewise show plan.json -o markdown", "for a comment on a pull request"]])
    .action(run(show));

async function show(io: CommandIo, file: string, { compact }: Flags) {
  return writeFindings({ exit: 0, plan: maskedPlan(await readPlan(file, io.cwd), io) }, io, compact);
}

export async function planStack(io: CommandIo, flags: Flags): Promise<Findings> {
  if (flags.offline && flags.base === undefined)
    throw misuse("--offline needs --base", "Name the commit to compare with: --base origin/main.");
  if (flags.offline && flags.out !== undefined)
    throw misuse("--out can't be used with --offline", "Only a plan made from the live account can be applied.");
  const { plan: made, context } = await planOnly(flags, io);
  const plan = maskedPlan(made, io);
  const exit = exitCodeOf(plan, flags);
  if (flags.out !== undefined) await savePlan(plan, flags.out, context.io);
  return { exit, plan, root: context.config.root };
}

function exitCodeOf({ changes, refusals }: Plan, { detailedExitcode, failOn }: Flags) {
  if (detailedExitcode && refusals.length > 0) return 4;
  if (detailedExitcode && changes.length > 0) return 2;
  return failOn !== undefined && changes.some(({ impact }) => isAtLeast(impact, failOn)) ? 2 : 0;
}
