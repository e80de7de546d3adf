import { ConfigProblems, type ConfiguredPolicy } from "../config/config.js";
import type { Diagnostic } from "../diagnostics/diagnostic.js";
import { PolicyFailure, askProcess } from "./ask-process.js";
import { problemText } from "./plan-policy.js";

/** The mistakes in the expressions of policies, at their places in the configuration. */
export async function policyDiagnostics(policies: readonly ConfiguredPolicy[]): Promise<readonly Diagnostic[]> {
  if (policies.length === 0) return [];
  try {
    const reply = await askProcess({ expressions: policies.map(({ expression }) => expression), plan: null });
    const problems = "problems" in reply ? reply.problems : [];
    return policies.flatMap((policy, index) => {
      const problem = problems[index] ?? null;
      return problem === null ? [] : policy.problem(problemText(problem)).diagnostics;
    });
  } catch (error) {
    const [first] = policies;
    if (!(error instanceof PolicyFailure) || first === undefined) throw error;
    return first.problem(`the expressions can't be checked: ${error.message}`).diagnostics;
  }
}

/**
 * Checks the expressions of policies.
 * @param file the name of the configuration in messages
 * @throws ConfigProblems with every mistake
 */
export async function checkPolicies(policies: readonly ConfiguredPolicy[], file: string): Promise<void> {
  const diagnostics = await policyDiagnostics(policies);
  if (diagnostics.length > 0) throw new ConfigProblems(file, diagnostics);
}
