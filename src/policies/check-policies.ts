import type { ConfiguredPolicy } from "../config/config.js";
import { EdgewiseError } from "../core/errors.js";
import type { Diagnostic } from "../diagnostics/diagnostic.js";
import { PolicyFailure, askProcess } from "./ask-process.js";

/**
 * The mistakes in the expressions of policies, at their places in the configuration.
 * @throws EdgewiseError `config` when nothing can check them
 */
export async function policyDiagnostics(policies: readonly ConfiguredPolicy[]): Promise<readonly Diagnostic[]> {
  if (policies.length === 0) return [];
  try {
    const reply = await askProcess({ expressions: policies.map(({ expression }) => expression), plan: null });
    const problems = "problems" in reply ? reply.problems : [];
    return policies.flatMap((policy, index) => {
      const problem = problems[index] ?? null;
      return problem === null ? [] : policy.problem(problem).diagnostics;
    });
  } catch (error) {
    if (!(error instanceof PolicyFailure)) throw error;
    const remedy = "let edgewise start processes (node), and give it time and memory: one checks the expressions";
    throw new EdgewiseError("config", `the expressions of the policies can't be checked: ${error.message}`, { remedy });
  }
}
