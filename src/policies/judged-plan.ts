import type { Plan } from "../plan/plan-format.js";

/** Members of a plan that policies don't see: the hash covers what policies add, and only `plan --base` knows the base. */
export const leftOut: ReadonlySet<string> = new Set(["hash", "base"]);

/** The code of the refusals and warnings that policies make. */
export const policyCode = "policy";

/** Whether a plan is judged: one that changes nothing can't do anything wrong. */
export function isJudged({ changes, operations }: Pick<Plan, "changes" | "operations">): boolean {
  return changes.length > 0 || operations.length > 0;
}

/**
 * A plan as policies see it, as JSON: what every run over the same manifests and the same live resources shows, so that
 * `plan --base`, `plan` and `apply` come to the same judgement. It has no origins, and nothing that policies added.
 * @throws RangeError when the text would be longer than the longest possible one
 */
export function judgedText(plan: Plan): string {
  const { hash: _hash, base: _base, ...seen } = plan;
  const view = {
    ...seen,
    changes: plan.changes.map((change) => ({
      ...change,
      origin: null,
      fields: change.fields.map((field) => ("origin" in field ? { ...field, origin: null } : field)),
    })),
    refusals: plan.refusals.flatMap(({ origin: _origin, ...refusal }) =>
      refusal.code === policyCode ? [] : [refusal],
    ),
    warnings: plan.warnings.filter(({ code }) => code !== policyCode && code !== `allowed-${policyCode}`),
    lifted: plan.lifted.filter(({ code }) => code !== policyCode),
  };
  return JSON.stringify(view);
}
