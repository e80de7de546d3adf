import { refuseWithoutAll } from "./support/all-flags.js";
import { forAllStacks } from "./support/all-stacks.js";
import { EdgewiseError } from "../core/errors.js";
import type { ReadClient } from "../api/client.js";
import { loadContext } from "./support/command-context.js";
import { withReadClient } from "./support/connect.js";
import type { GuardedIo } from "./support/io.js";
import { savePlan } from "./support/output-files.js";
import { writePlan } from "./support/output.js";
import { exitCodeOfPlan, planLive } from "./support/planning.js";
import type { SharedAccounts, SharedReads } from "./support/shared-account.js";
import {
  planFormats,
  addExamples,
  addExitCodeOptions,
  addPlanOptions,
  addSharedOptions,
  type AllFlags,
  type DefineCommand,
  type PlanFlags,
} from "./support/command-options.js";

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
  command.action((flags: PlanFlags & AllFlags) => run(flags, async (io) => planCommand(flags, io)));
};

/**
 * `plan`: computes, rehearses and shows the changes. Writes nothing to the service.
 * @param accounts what the stack shares with others, when it is one of `--all`
 */
export async function planCommand(
  flags: PlanFlags & AllFlags,
  guardedIo: GuardedIo,
  accounts?: SharedAccounts,
): Promise<number> {
  if (flags.all === true || flags.changedSince !== undefined || flags.allowOrigin !== undefined) {
    refuseWithoutAll(flags);
    return forAllStacks("plan", { flags, io: guardedIo, one: planCommand });
  }
  const offline = flags.offline === true;
  if (offline) checkOffline(flags);
  const context = await loadContext(flags, guardedIo, { offline });
  const { config, io } = context;
  const run = async (client: ReadClient | null, shared?: SharedReads): Promise<number> => {
    const { plan } = await planLive(context, client, flags, { shared });
    if (flags.out !== undefined) await savePlan(plan, flags.out, context);
    await writePlan(plan, flags, io, config.root);
    return exitCodeOfPlan(plan, flags);
  };
  return offline ? run(null) : withReadClient(context, flags, run, accounts);
}

/** @throws EdgewiseError `usage` */
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
