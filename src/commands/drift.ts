import { driftOf } from "../plan/drift-findings.js";
import { plan as make } from "../plan/make-plan.js";
import { stackCommand } from "./support/all-stacks.js";
import type { CommandIo } from "./support/command-io.js";
import { type Flags, type DefineCommand, duration } from "./support/command-options.js";
import type { Findings } from "./support/output.js";
import { planOnly } from "./support/planning.js";

export const define: DefineCommand = (command, run) =>
  command
    .description("Exits 2 when there are findings other than pending and tolerated ones. Changes nothing.")
    .option("--base <ref>", "the commit that was applied last: what was merged since is pending, not drift")
    .option("--unmanaged", "also report resources that no stack owns")
    .option("--expires-within <duration>", "also report certificates that expire within this time, like 30d", duration)
    .shared(
      ["text", "json", "markdown", "html", "github", "junit"],
      "exclude all manifests ref service concurrency pages",
    )
    .examples([
      ["edgewise drift --all", "every stack of the repository"],
      ["edgewise drift --base edge-applied", "tell drift from what is merged and not yet applied"],
      ["edgewise drift --unmanaged --expires-within 30d -o junit --output-file drift.xml", "nightly, in CI"],
    ])
    .action(run(stackCommand("drift", driftOfStack)));

export async function driftOfStack(io: CommandIo, flags: Flags): Promise<Findings> {
  const request = { rehearse: false, judged: "drift" } as const;
  const { plan, live, desired, options, context } = await planOnly(flags, io, request);
  const { root, tolerate } = context.config;
  const drift = driftOf(plan, live, {
    stack: options.stack,
    previousStacks: options.previousStacks,
    unmanaged: flags.unmanaged === true,
    only: options.only,
    exclude: options.exclude ?? [],
    expiresWithinMs: flags.expiresWithin ?? null,
    tolerate,
    now: io.now(),
    desired,
    ...(plan.base === undefined ? {} : { unapplied: make(desired, live, { ...options, judged: "change" }).changes }),
  });
  return { exit: drift.clean ? 0 : 2, drift, root };
}
