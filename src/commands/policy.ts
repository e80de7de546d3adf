import { Argument } from "commander";
import { renderPolicyTestText } from "../report/policy-test-text.js";
import { basename } from "node:path";
import { ConfigProblems } from "../config/config.js";
import { decodeUtf8 } from "../files/read-bounded.js";
import { limits } from "../core/limits.js";
import { type FileTree, FileProblem, diskTree, treePath } from "../manifest/file-tree.js";
import { parseJson } from "../core/json.js";
import type { Plan } from "../plan/plan-format.js";
import { policyDiagnostics } from "../policies/judge-plan.js";
import { isJudged, judgedText } from "../policies/plan-policy.js";
import { type ReadTestPlan, completePlan, runPolicyTests } from "../policies/run-tests.js";
import { validatePlan } from "../schema/validate-documents.js";
import { loadContext, unconfigured } from "./support/command-context.js";
import type { CommandIo } from "./support/command-io.js";
import { isColored, writeData } from "./support/output.js";
import { type Flags, type DefineCommand } from "./support/command-options.js";

export const define: DefineCommand = (command, run) =>
  command
    .addArgument(new Argument("<action>", "what to do").choices(["test"]))
    .description("Runs on saved plans, offline. Exits 1 when a test fails.")
    .shared(["text", "json"], "config")
    .examples([["edgewise policy test -e prod", "with the policies of an environment"]])
    .action(run(testPolicies));

async function testPolicies(commandIo: CommandIo, _action: string, flags: Flags) {
  const context = await loadContext(flags, commandIo, true);
  const { config, io } = context;
  const { file, policies, root } = config;
  const instead = "name another configuration with -c or environment with -e";
  if (policies.length === 0) unconfigured(context, "no policies are configured", "a list of `policies`", instead);
  const diagnostics = await policyDiagnostics(policies);
  if (diagnostics.length > 0) throw new ConfigProblems(basename(file ?? "edgewise.yaml"), diagnostics);
  const report = await runPolicyTests(policies, planReader(diskTree(root)));
  await writeData(report, () => renderPolicyTestText(report, { color: isColored(io) }), io);
  return report.passed ? 0 : 1;
}

/** People write these by hand: what is left out is neutral, what is there must match the schema, and checksums don't count. */
function planReader(tree: FileTree): ReadTestPlan {
  return async (written) => {
    try {
      const text = decodeUtf8(await tree.read(treePath(tree.root, "", written)));
      const parsed = text === null ? { problem: "encoding" } : parseJson(text, limits.depth + 20);
      if (!("value" in parsed)) return { error: "the file is not valid JSON" };
      const completed = completePlan(parsed.value);
      const problem = validatePlan(completed);
      if (problem !== null) return { error: `the file is not a plan: ${problem}` };
      const plan = completed as Plan;
      const addresses = new Set<string>(plan.changes.map(({ address }) => address));
      return { view: isJudged(plan) ? judgedText(plan) : null, addresses };
    } catch (error) {
      if (error instanceof FileProblem) return { error: error.message };
      throw error;
    }
  };
}
