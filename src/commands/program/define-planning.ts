import type { Command } from "commander";
import type { ApplyFlags, CommonFlags, DestroyFlags, DriftFlags, PlanFlags } from "../support/flags.js";
import {
  type StartCommand,
  addApiOptions,
  addApplyOptions,
  addConcurrencyOption,
  addConfigOptions,
  addExamples,
  addGuardOptions,
  addManifestOptions,
  addOutputOptions,
  addPlanOptions,
  addSavedPlanOptions,
  addVerdictOptions,
} from "./option-groups.js";
import { duration } from "./parsers.js";

const planFormats = ["text", "json", "markdown", "html", "github", "gitlab"];
const resultFormats = ["text", "json", "markdown"];

/** `plan`, `apply`, `show`, `drift` and `destroy`. */
export function definePlanning(program: Command, go: StartCommand): void {
  program.commandsGroup("Plan and apply:");

  const plan = program.command("plan").summary("show what differs from the live account");
  plan.description(
    "Computes what must change so that the live account is as the manifests say, rehearses it and shows it. Writes nothing.",
  );
  addPlanOptions(plan);
  addVerdictOptions(plan, false);
  addOutputOptions(plan, planFormats);
  addConcurrencyOption(addApiOptions(addManifestOptions(addConfigOptions(plan))));
  addExamples(plan, [
    ["edgewise plan", "what an apply would do"],
    ["edgewise plan --out plan.json --detailed-exitcode", "save it; exit 2 when there is something to do"],
    ["edgewise plan --base origin/main -o markdown", "for a pull request: who changed what"],
    ["edgewise plan --only TLSEdge/api", "one resource alone"],
  ]);
  plan.action((flags: PlanFlags) => go(flags, async (io) => (await import("../plan.js")).planCommand(flags, io)));

  const apply = program
    .command("apply")
    .summary("make the live account as the manifests say")
    .argument("[planfile]", "a plan that was saved with --out");
  apply.description(
    "Plans, shows the plan, asks, applies it and verifies that nothing is left to do. With a saved plan it plans again, and goes on only when the new plan is the saved one.",
  );
  addApplyOptions(apply);
  addSavedPlanOptions(apply);
  addPlanOptions(apply);
  addVerdictOptions(apply, true);
  addOutputOptions(apply, resultFormats);
  addConcurrencyOption(addApiOptions(addManifestOptions(addConfigOptions(apply))));
  addExamples(apply, [
    ["edgewise apply", "plan, ask, apply"],
    ["edgewise apply --auto-approve", "in CI"],
    ["edgewise apply plan.json --auto-approve", "exactly what was reviewed, or nothing"],
    ["edgewise apply plan.json --allow TLSEdge/api", "the same, where it was planned with this flag"],
  ]);
  apply.action((file: string | undefined, flags: ApplyFlags) =>
    go(flags, async (io) => (await import("../apply.js")).applyCommand(file, flags, io)),
  );

  const show = program
    .command("show")
    .summary("show a saved plan")
    .argument("<planfile>", "a plan that was saved with --out");
  show.description("Shows a saved plan. Needs neither the service nor the manifests.");
  addOutputOptions(show, planFormats);
  addExamples(show, [["edgewise show plan.json -o markdown", "for a comment on a pull request"]]);
  show.action((file: string, flags: CommonFlags) =>
    go(flags, async (io) => (await import("../show.js")).showCommand(file, flags, io)),
  );

  const drift = program.command("drift").summary("report what was changed behind Git's back");
  drift.description(
    "Compares the live account with the manifests and reports what differs as findings. Exits 2 when there are any. Only reads.",
  );
  drift
    .optionsGroup("Drift:")
    .option("--unmanaged", "report resources that no stack owns, too")
    .option("--expires-within <duration>", "report certificates that expire within this time, like 30d", duration);
  addOutputOptions(drift, ["text", "json", "markdown", "html", "github", "junit", "sarif"]);
  addConcurrencyOption(addApiOptions(addManifestOptions(addConfigOptions(drift))));
  addExamples(drift, [
    ["edgewise drift", "exit 2 when something differs"],
    ["edgewise drift --unmanaged --expires-within 30d -o junit --output-file drift.xml", "nightly, in CI"],
  ]);
  drift.action((flags: DriftFlags) => go(flags, async (io) => (await import("../drift.js")).driftCommand(flags, io)));

  const destroy = program.command("destroy").summary("delete everything that the stack owns");
  destroy.description(
    "A plan with nothing desired: deletes what the stack owns, under the same guards as apply. Protected resources stay refused until they are allowed by name.",
  );
  addApplyOptions(destroy);
  addGuardOptions(destroy);
  destroy.optionsGroup("Plan:").option("--out <file>", "save the plan for `edgewise apply <file> --destroy`");
  addOutputOptions(destroy, resultFormats);
  addConcurrencyOption(addApiOptions(addConfigOptions(destroy)));
  addExamples(destroy, [
    ["edgewise destroy --stack preview-42 --max-deletes 100% --auto-approve", "take a preview environment down"],
  ]);
  destroy.action((flags: DestroyFlags) =>
    go(flags, async (io) => (await import("../destroy.js")).destroyCommand(flags, io)),
  );
}
