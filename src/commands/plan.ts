import { refuseWithoutAll } from "./support/all-flags.js";
import { forAllStacks } from "./support/all-stacks.js";
import type { ReadClient } from "../api/client.js";
import { loadContext } from "./support/command-context.js";
import { withReadClient } from "./support/connect.js";
import type { AllFlags, PlanFlags } from "./support/flags.js";
import type { GuardedIo } from "./support/io.js";
import { savePlan } from "./support/output-files.js";
import { writePlan } from "./support/output.js";
import { exitCodeOfPlan, planLive } from "./support/planning.js";
import type { SharedAccount, SharedReads } from "./support/shared-account.js";

/**
 * `plan`: computes, rehearses and shows the changes. Writes nothing to the service.
 * @param account what the stack shares with others, when it is one of `--all`
 */
export async function planCommand(
  flags: PlanFlags & AllFlags,
  guardedIo: GuardedIo,
  account?: SharedAccount,
): Promise<number> {
  if (flags.all === true || flags.changedSince !== undefined || flags.allowOrigin !== undefined) {
    refuseWithoutAll(flags);
    return forAllStacks({ command: "plan", flags, io: guardedIo, one: planCommand });
  }
  const context = await loadContext(flags, guardedIo);
  const { config, io } = context;
  const run = async (client: ReadClient, shared?: SharedReads): Promise<number> => {
    const { plan } = await planLive(context, client, flags, { shared });
    if (flags.out !== undefined) await savePlan(plan, flags.out, context);
    await writePlan(plan, flags, io, config.root);
    return exitCodeOfPlan(plan, flags);
  };
  return withReadClient(context, flags, run, account);
}
