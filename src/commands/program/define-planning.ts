import { Argument, type Command } from "commander";
import type { AllFlags, ApplyFlags, CommonFlags, DestroyFlags, DriftFlags, PlanFlags } from "../support/flags.js";
import {
  type CommandGroup,
  type StartCommand,
  addApiOptions,
  addAllOptions,
  addApplyOptions,
  addConcurrencyOption,
  addCompactOption,
  addConfigOptions,
  addExamples,
  addGuardOptions,
  addManifestOptions,
  addOutputOptions,
  addPageCacheOption,
  addPlanOptions,
  addRefOption,
  addSavedPlanOptions,
  addExitCodeOptions,
} from "./option-groups.js";
import type { CiAction } from "../ci.js";
import type { CiFlags } from "../support/ci-context.js";
import type { PullFlags } from "../pull.js";
import { collect, collectAddress, collectOnly, collectPair, countOrPercent, duration, planHash } from "./parsers.js";

const planFormats = ["text", "json", "markdown", "html", "github", "gitlab"];
const resultFormats = ["text", "json", "markdown"];

/** `plan`, `apply`, `show`, `drift`, `pull`, `destroy` and `ci`. */
export const planningCommands: CommandGroup = {
  title: "Plan and apply:",
  commands: {
    plan: definePlan,
    apply: defineApply,
    show: defineShow,
    drift: defineDrift,
    pull: definePull,
    destroy: defineDestroy,
    ci: defineCi,
  },
};

function definePlan(program: Command, go: StartCommand): void {
  const plan = program.command("plan").summary("preview the changes to the live account");
  plan.description(
    "Computes, rehearses and shows the changes that make the live account match the manifests. Does not change the account.",
  );
  addPlanOptions(plan);
  addExitCodeOptions(plan, false);
  addCompactOption(addOutputOptions(plan, planFormats));
  addConcurrencyOption(addApiOptions(addRefOption(addManifestOptions(addAllOptions(addConfigOptions(plan))))));
  addPageCacheOption(plan);
  addExamples(plan, [
    ["edgewise plan", "preview the changes"],
    ["edgewise plan --out plan.json --detailed-exitcode", "save the plan; exit 2 when there are changes"],
    ["edgewise plan --base origin/main -o markdown", "for a pull request: who changed what"],
    ["edgewise plan --only TLSEdge/api", "only one resource"],
    ["edgewise plan --all --changed-since origin/main", "every stack of the repository that a branch changed"],
  ]);
  plan.action((flags: PlanFlags & AllFlags) =>
    go(flags, async (io) => (await import("../plan.js")).planCommand(flags, io)),
  );
}

function defineApply(program: Command, go: StartCommand): void {
  const apply = program
    .command("apply")
    .summary("apply the manifests to the live account")
    .argument("[planfile]", "a plan saved with --out");
  apply.description(
    "Makes a plan, shows it, asks for approval, applies it and verifies that a second plan is empty. With a saved plan, it plans again and continues only when the new plan is the same.",
  );
  addApplyOptions(apply);
  addSavedPlanOptions(apply);
  addPlanOptions(apply);
  addExitCodeOptions(apply, true);
  addCompactOption(addOutputOptions(apply, resultFormats));
  addConcurrencyOption(addApiOptions(addRefOption(addManifestOptions(addConfigOptions(apply)))));
  addPageCacheOption(apply);
  addExamples(apply, [
    ["edgewise apply", "plan, ask, apply"],
    ["edgewise apply --auto-approve", "in CI"],
    ["edgewise apply --ref HEAD~1", "roll back to the previous commit"],
    ["edgewise apply plan.json --auto-approve", "exactly what was reviewed, or nothing"],
    ["edgewise apply plan.json --allow TLSEdge/api", "the same, for a plan made with this flag"],
  ]);
  apply.action((file: string | undefined, flags: ApplyFlags) =>
    go(flags, async (io) => (await import("../apply.js")).applyCommand(file, flags, io)),
  );
}

function defineShow(program: Command, go: StartCommand): void {
  const show = program.command("show").summary("show a saved plan").argument("<planfile>", "a plan saved with --out");
  show.description("Shows a saved plan. Needs neither the service nor the manifests.");
  addCompactOption(addOutputOptions(show, planFormats));
  addExamples(show, [["edgewise show plan.json -o markdown", "for a comment on a pull request"]]);
  show.action((file: string, flags: CommonFlags & Pick<PlanFlags, "compact">) =>
    go(flags, async (io) => (await import("../show.js")).showCommand(file, flags, io)),
  );
}

function defineDrift(program: Command, go: StartCommand): void {
  const drift = program.command("drift").summary("report changes made outside of Git");
  drift.description(
    "Compares the live account with the manifests and reports each difference as a finding. Exits 2 when there are findings, other than pending ones. Does not change the account.",
  );
  drift
    .optionsGroup("Drift:")
    .option("--base <ref>", "the commit that was applied last: what was merged since is pending, not drift")
    .option("--unmanaged", "also report resources that no stack owns")
    .option("--expires-within <duration>", "also report certificates that expire within this time, like 30d", duration);
  addOutputOptions(drift, ["text", "json", "markdown", "html", "github", "junit"]);
  addConcurrencyOption(addApiOptions(addRefOption(addManifestOptions(addAllOptions(addConfigOptions(drift))))));
  addPageCacheOption(drift);
  addExamples(drift, [
    ["edgewise drift", "exit 2 when something differs"],
    ["edgewise drift --all", "every stack of the repository"],
    ["edgewise drift --base edge-applied", "tell drift from what is merged and not yet applied"],
    ["edgewise drift --unmanaged --expires-within 30d -o junit --output-file drift.xml", "nightly, in CI"],
  ]);
  drift.action((flags: DriftFlags & AllFlags) =>
    go(flags, async (io) => (await import("../drift.js")).driftCommand(flags, io)),
  );
}

function definePull(program: Command, go: StartCommand): void {
  const pull = program
    .command("pull")
    .summary("write what is live into the manifests")
    .argument("[address...]", "pull only these resources", collectOnly);
  pull.description(
    "The other way round, for drift that turns out to be right: rewrites manifests in place so that they say what is live, and keeps comments, order and style. Shows the changes and asks before it writes. Does not change the account.",
  );
  pull
    .optionsGroup("Pull:")
    .option("-y, --auto-approve", "write the manifests without asking")
    .option("--only <address>", "the same as naming the address as an argument (repeatable)", collectOnly)
    .option("-l, --label <name=value>", "pull only manifests with this label (repeatable)", collectPair);
  addOutputOptions(pull, ["text", "json"]);
  addConcurrencyOption(addApiOptions(addManifestOptions(addConfigOptions(pull))));
  addExamples(pull, [
    ["edgewise pull", "show the changes, ask, write"],
    ["edgewise pull TLSEdge/api", "only one resource"],
  ]);
  pull.action((addresses: readonly string[], flags: PullFlags) =>
    go(flags, async (io) => (await import("../pull.js")).pullCommand(addresses, flags, io)),
  );
}

function defineDestroy(program: Command, go: StartCommand): void {
  const destroy = program.command("destroy").summary("delete everything that the stack owns");
  destroy.description(
    "Deletes everything that the stack owns, with the same guards as apply. Protected resources are refused unless you allow them by name.",
  );
  addApplyOptions(destroy);
  addGuardOptions(destroy);
  destroy.optionsGroup("Plan:").option("--out <file>", "save the plan for `edgewise apply <file> --destroy`");
  addCompactOption(addOutputOptions(destroy, resultFormats));
  addConcurrencyOption(addApiOptions(addRefOption(addConfigOptions(destroy))));
  addExamples(destroy, [
    ["edgewise destroy --stack preview-42 --max-deletes 100% --auto-approve", "take down a preview environment"],
    ["edgewise destroy --ref HEAD~1 -c old/edgewise.yaml", "a stack whose configuration was removed"],
  ]);
  destroy.action((flags: DestroyFlags) =>
    go(flags, async (io) => (await import("../destroy.js")).destroyCommand(flags, io)),
  );
}

function defineCi(program: Command, go: StartCommand): void {
  const ci = program
    .command("ci")
    .summary("run a step of a pipeline")
    .addArgument(new Argument("<action>", "the step").choices(["plan", "apply", "drift", "check"]));
  ci.description(
    "Runs a step of a pipeline in one command: it reads the variables of GitHub Actions or GitLab CI, chooses the stacks, and reports where that expects it, with GITHUB_TOKEN or GITLAB_TOKEN. `plan` saves plans in edgewise-plans/ and hands their hash on; `apply` applies them if EDGEWISE_APPROVED is that hash; `check` validates without a key. Exits with the worst code of the stacks; `plan` with changes exits 0.",
  );
  ci.optionsGroup("Pipeline:")
    .option("--dry-run", "say what would be reported; contact no CI system, and apply nothing")
    .option("--slug <slug>", "only this stack, as `edgewise stacks -o json` names it")
    .option("--changed-since <ref>", "only stacks that changed since the merge base with this commit")
    .option("--ref <ref>", "plan: roll one stack back to this commit, which was merged")
    .option("--approved <hash>", "apply: what `plan` handed on, instead of EDGEWISE_APPROVED", planHash)
    .option("--allow <address>", "plan: lift the guards for this resource (repeatable)", collectAddress)
    .option("--max-deletes <number>", "plan: how many resources a plan may delete, like 5 or 25%", countOrPercent)
    .option("--expires-within <duration>", "drift: also report certificates that expire within this time", duration)
    .option(
      "--allow-origin <url>",
      "the API key may be sent to this origin, when there are several (repeatable)",
      collect,
    )
    .option("--detailed-exitcode", "plan: exit 2 when there are changes");
  addOutputOptions(ci, ["text", "json"]);
  addConcurrencyOption(addApiOptions(ci));
  addExamples(ci, [
    ["edgewise ci check", "what a pull request changes, without a key"],
    ["edgewise ci plan", "plan it, and comment on the pull request"],
    ["edgewise ci plan --dry-run --changed-since origin/main", "the same on your own machine"],
  ]);
  ci.action((action: CiAction, flags: CiFlags) =>
    go(flags, async (io) => (await import("../ci.js")).ciCommand(action, flags, io)),
  );
}
