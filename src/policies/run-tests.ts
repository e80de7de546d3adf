import { isObject } from "../core/json.js";
import {
  type Change,
  type FieldChange,
  type Operation,
  type Plan,
  summaryOf,
  unspecified,
} from "../plan/plan-format.js";
import type { Policy, PolicyEffect, PolicyTest } from "./plan-policy.js";
import { PolicyFailure, askProcess } from "./ask-process.js";

export type TestPlan = Readonly<{
  view: string | null;
  addresses: ReadonlySet<string>;
}>;

export type PolicyTestResult = Readonly<{
  plan: string;
  address: string | null;
  expected: PolicyTest["expect"];
  actual: PolicyEffect | "allow" | "error";
  passed: boolean;
  matched: readonly string[];
  error: string | null;
}>;

export type TestedPolicy = Readonly<{
  name: string;
  effect: PolicyEffect;
  tests: readonly PolicyTestResult[];
}>;

export type PolicyTestReport = Readonly<{
  format: "edgewise.policy-test/v1";
  passed: boolean;
  policies: readonly TestedPolicy[];
}>;

export type ReadTestPlan = (file: string) => Promise<TestPlan | { readonly error: string }>;

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
    const { hits, perChange } = await askProcess({ expressions: [expression], plan: plan.view });
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

/** With neutral values for what people left out. What is there stays, right or wrong: the schema finds it. */
export function completePlan(written: unknown): unknown {
  if (!isObject(written)) return written;
  const changes = each(written["changes"], (change) => {
    const fields = each(change["fields"] ?? [], (field) => ({ ...neutralField, ...field }));
    return { ...neutralChange, ...change, fields };
  });
  const actions = Array.isArray(changes) ? changes.map((change) => (isObject(change) ? change["action"] : null)) : [];
  const counts = Object.keys(summaryOf([], 0)).map((name) => [name, actions.filter((one) => one === name).length]);
  return {
    ...neutralPlan,
    ...written,
    ...(changes === undefined ? {} : { changes }),
    summary: complete(Object.fromEntries(counts), written["summary"]),
    operations: each(written["operations"] ?? [], (operation, index) => ({
      id: `op-${index + 1}`,
      ...neutralOperation,
      ...operation,
    })),
    selection: complete(neutralPlan.selection, written["selection"]),
    relaxations: complete(neutralPlan.relaxations, written["relaxations"]),
  };
}

const neutralPlan: Omit<Plan, "changes" | "operations" | "summary"> = {
  format: "edgewise.plan/v1",
  stack: "test",
  baseUrl: "https://api.example.com",
  toolVersion: "0.0.0",
  hash: `sha256:${"0".repeat(64)}`,
  preconditions: [],
  refusals: [],
  warnings: [],
  rehearsal: null,
  ...unspecified,
  lifted: [],
  unavailableSecrets: [],
};

const neutralField: Omit<FieldChange, "path"> = { before: null, after: null, impact: "none", reason: null };

const neutralChange: Omit<Change, "action" | "address" | "fields"> = {
  id: null,
  source: null,
  impact: "none",
  reason: null,
  origin: null,
  notes: [],
};

const neutralOperation = {
  resourceId: null,
  body: null,
  bind: {},
  after: [],
  waits: {},
  why: null,
} as const satisfies Partial<Operation>;

function complete(neutral: object, written: unknown): unknown {
  if (written === undefined) return neutral;
  return isObject(written) ? { ...neutral, ...written } : written;
}

function each(
  list: unknown,
  completed: (item: { readonly [member: string]: unknown }, index: number) => object,
): unknown {
  if (!Array.isArray(list)) return list;
  return list.map((item, index): unknown => (isObject(item) ? completed(item, index) : item));
}
