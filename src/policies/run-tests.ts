import type { Policy, PolicyEffect, PolicyTest } from "./plan-policy.js";
import { PolicyFailure } from "./ask-process.js";
import { evaluateElsewhere } from "./judge-plan.js";

/** A plan of a test: what policies see of it, and the addresses of its changes. */
export interface TestPlan {
  /** As JSON; null = it changes nothing, and is not judged. */
  readonly view: string | null;
  readonly addresses: ReadonlySet<string>;
}

/** What became of one test. */
export interface PolicyTestResult {
  /** As the configuration names it. */
  readonly plan: string;
  /** Null = all changes. */
  readonly address: string | null;
  readonly expected: PolicyTest["expect"];
  /** `error` when it could not be found out. */
  readonly actual: PolicyEffect | "allow" | "error";
  readonly passed: boolean;
  /** The addresses of the changes for which the expression is true; empty for a policy about the plan as a whole. */
  readonly matched: readonly string[];
  /** Why the test could not be run; null = it could. */
  readonly error: string | null;
}

/** A policy and its tests. */
export interface TestedPolicy {
  readonly name: string;
  readonly effect: PolicyEffect;
  readonly tests: readonly PolicyTestResult[];
}

/** What became of the tests of a configuration (schemas/policy-test.schema.json). */
export interface PolicyTestReport {
  readonly format: "edgewise.policy-test/v1";
  readonly passed: boolean;
  readonly policies: readonly TestedPolicy[];
}

/** The plan of a test, or why it can't be used. */
export type ReadTestPlan = (file: string) => Promise<TestPlan | { readonly error: string }>;

/** Runs the tests of policies, each plan being read once. */
export async function runPolicyTests(policies: readonly Policy[], read: ReadTestPlan): Promise<PolicyTestReport> {
  const plans = new Map<string, ReturnType<ReadTestPlan>>();
  const planOf = async (file: string): ReturnType<ReadTestPlan> => {
    const known = plans.get(file) ?? read(file);
    plans.set(file, known);
    return known;
  };
  const tested: TestedPolicy[] = [];
  for (const policy of policies) {
    const tests: PolicyTestResult[] = [];
    for (const test of policy.tests) tests.push(await runTest(policy, test, await planOf(test.plan)));
    tested.push({ name: policy.name, effect: policy.effect, tests });
  }
  const passed = tested.every(({ tests }) => tests.every((test) => test.passed));
  return { format: "edgewise.policy-test/v1", passed, policies: tested };
}

async function runTest(
  { effect, expression }: Policy,
  { address: named, expect: expected, plan: file }: PolicyTest,
  plan: TestPlan | { readonly error: string },
): Promise<PolicyTestResult> {
  const address = named ?? null;
  const result = (
    actual: PolicyTestResult["actual"],
    matched: readonly string[] = [],
    error: string | null = null,
  ): PolicyTestResult => ({ plan: file, address, expected, actual, passed: actual === expected, matched, error });
  const failed = (error: string): PolicyTestResult => result("error", [], error);
  if ("error" in plan) return failed(plan.error);
  if (address !== null && !plan.addresses.has(address)) return failed(`the plan has no change of ${address}`);
  if (plan.view === null) return result("allow");
  try {
    const { hits, perChange } = await evaluateElsewhere([expression], plan.view);
    if (address !== null && perChange[0] === false && hits.every(({ error }) => error === null)) {
      return failed("the policy is about the plan as a whole, so its tests name no address");
    }
    const found = address === null ? hits : hits.filter((hit) => hit.address === address || hit.address === null);
    const wrong = found.find(({ error }) => error !== null);
    if (wrong !== undefined) {
      return failed(`${wrong.address === null ? "" : `${wrong.address}: `}${wrong.error ?? ""}`);
    }
    return result(
      found.length > 0 ? effect : "allow",
      found.flatMap((hit) => hit.address ?? []),
    );
  } catch (error) {
    if (error instanceof PolicyFailure) return failed(error.message);
    throw error;
  }
}
