import type { ReadClient } from "../api/client.js";
import type { Config } from "../config/config.js";
import type { Drift } from "../plan/drift-findings.js";
import { loadContext } from "./support/command-context.js";
import { withReadClient } from "./support/connect.js";
import type { AllFlags, DriftFlags } from "./support/flags.js";
import type { GuardedIo, Io } from "./support/io.js";
import { pathPrefix, textStyle, writeResult } from "./support/output.js";
import { planLive } from "./support/planning.js";
import type { SharedAccount, SharedReads } from "./support/shared-account.js";

/**
 * `drift`: reports what differs as findings; exits 2 when any is drift, not pending. Its client can only read.
 * @param account what the stack shares with others, when it is one of `--all`
 */
export async function driftCommand(
  flags: DriftFlags & AllFlags,
  guardedIo: GuardedIo,
  account?: SharedAccount,
): Promise<number> {
  if (flags.all === true || flags.changedSince !== undefined || flags.allowOrigin !== undefined) {
    const [{ forAllStacks }, { refuseWithoutAll }] = await Promise.all([
      import("./support/all-stacks.js"),
      import("./support/all-flags.js"),
    ]);
    refuseWithoutAll(flags);
    return forAllStacks({ command: "drift", flags, io: guardedIo, one: driftCommand });
  }
  const context = await loadContext(flags, guardedIo);
  const { config, io } = context;
  const run = async (client: ReadClient, shared?: SharedReads): Promise<number> => {
    const { plan, live, desired, options, normalForms } = await planLive(context, client, flags, {
      rehearse: false,
      judged: "drift",
      whileListing: async () => import("../plan/drift-findings.js"),
      shared,
    });
    const [{ driftOf }, { plan: make }] = await Promise.all([
      import("../plan/drift-findings.js"),
      import("../plan/make-plan.js"),
    ]);
    const driftOptions = {
      stack: options.stack,
      previousStacks: options.previousStacks,
      unmanaged: flags.unmanaged === true,
      only: options.only,
      expiresWithinMs: flags.expiresWithin ?? null,
      now: io.now(),
      desired,
      ...(plan.base === undefined
        ? {}
        : { unapplied: make(desired, live, { ...options, judged: "change" }, normalForms).changes }),
    };
    const drift = driftOf(plan, live, driftOptions, normalForms);
    await writeResult(await renderDrift(drift, flags, io, config), flags, io);
    return drift.clean ? 0 : 2;
  };
  return withReadClient(context, flags, run, account);
}

async function renderDrift(drift: Drift, flags: DriftFlags, io: Io, { root }: Config): Promise<string> {
  switch (flags.output ?? "text") {
    case "json":
      return (await import("../report/json-reports.js")).renderDriftJson(drift);
    case "markdown":
      return (await import("../report/drift-markdown.js")).renderDriftMarkdown(drift);
    case "html":
      return (await import("../report/drift-html.js")).renderDriftHtml(drift);
    case "github": {
      const { renderDriftGithub } = await import("../report/github-annotations.js");
      return renderDriftGithub(drift, { pathPrefix: await pathPrefix(root) });
    }
    case "junit":
      return (await import("../report/drift-junit.js")).renderDriftJunit(drift, { pathPrefix: await pathPrefix(root) });
    default:
      return (await import("../report/drift-text.js")).renderDriftText(drift, textStyle(flags, io));
  }
}
