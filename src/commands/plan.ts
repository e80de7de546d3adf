import type { ReadClient } from "../api/client.js";
import { EdgewiseError } from "../core/errors.js";
import { isAtLeast } from "../kinds/impact.js";
import type { Plan } from "../plan/plan-format.js";
import { runsForAll } from "./support/find-stacks.js";
import { forAllStacks } from "./support/all-stacks.js";
import { loadContext } from "./support/command-context.js";
import type { CommandIo } from "./support/command-io.js";
import {
  type AllFlags,
  type DefineCommand,
  type PlanFlags,
  addExamples,
  addExitCodeOptions,
  addPlanOptions,
  addSharedOptions,
  planFormats,
} from "./support/command-options.js";
import { withReadClient } from "./support/connect.js";
import { savePlan, writePlan } from "./support/output.js";
import { planLive } from "./support/planning.js";
import type { SharedAccounts, SharedReads } from "./support/shared-account.js";

export const define: DefineCommand = (command, run) => {
  command.description(
    "Computes, rehearses and shows the changes that make the live account match the manifests. Does not change the account.",
  );
  addPlanOptions(command);
  command.option("--offline", "with --base: compare with its manifests instead of the live account; needs no API key");
  addExitCodeOptions(command, false);
  addSharedOptions(command, planFormats, "compact", "all", "manifests", "ref", "service", "concurrency", "pages");
  addExamples(command, [
    ["edgewise plan", "preview the changes"],
    ["edgewise plan --out plan.json --detailed-exitcode", "save the plan; exit 2 when there are changes"],
    ["edgewise plan --base origin/main -o markdown", "for a pull request: who changed what"],
    ["edgewise plan --offline --base origin/main", "without an API key, such as for a pull request from a fork"],
    ["edgewise plan --only TLSEdge/api", "only one resource"],
    ["edgewise plan --all --changed-since origin/main", "every stack of the repository that a branch changed"],
  ]);
  command.action(run(planCommand));
};

/**
 * `plan`: computes, rehearses and shows the changes. Writes nothing to the service.
 * @param accounts what the stack shares with others, when it is one of `--all`
 */
export async function planCommand(
  commandIo: CommandIo,
  flags: PlanFlags & AllFlags,
  accounts?: SharedAccounts,
): Promise<number> {
  if (runsForAll(flags)) return forAllStacks("plan", { flags, io: commandIo, one: planCommand });
  const offline = flags.offline === true;
  if (offline) checkOffline(flags);
  const context = await loadContext(flags, commandIo, { offline });
  const { io } = context;
  const show = async (client: ReadClient | null, shared?: SharedReads): Promise<number> => {
    const { plan } = await planLive(context, client, { shared });
    if (flags.out !== undefined) await savePlan(plan, flags.out, io);
    await writePlan(plan, flags.compact === true, io);
    return exitCodeOf(plan, flags);
  };
  return offline ? show(null) : withReadClient(context, show, accounts);
}

/** 2 and 4 only where they are asked for: otherwise a plan that was shown is a success. */
function exitCodeOf({ changes, refusals }: Plan, { detailedExitcode, failOn }: PlanFlags): number {
  if (detailedExitcode === true && refusals.length > 0) return 4;
  if (detailedExitcode === true && changes.length > 0) return 2;
  return failOn !== undefined && changes.some(({ impact }) => isAtLeast(impact, failOn)) ? 2 : 0;
}

function checkOffline({ base, out }: PlanFlags): void {
  if (base === undefined)
    throw new EdgewiseError("usage", "--offline needs --base", {
      remedy: "Name the commit to compare with: --base origin/main.",
    });
  if (out !== undefined)
    throw new EdgewiseError("usage", "--out can't be used with --offline", {
      remedy: "A plan that was not made from the live account can't be applied: leave out --out.",
    });
}
