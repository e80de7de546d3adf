import type { Plan } from "../plan/plan-format.js";

export type PolicyEffect = "deny" | "warn";

export type PolicyTest = Readonly<{
  /** Relative to the configuration. */
  plan: string;
  expect: PolicyEffect | "allow";
  address?: string;
}>;

export type Policy = Readonly<{
  name: string;
  expression: string;
  message: string;
  effect: PolicyEffect;
  tests: readonly PolicyTest[];
}>;

export type PolicyHit = Readonly<{
  policy: number;
  /** Null = it is about the plan as a whole. */
  address: string | null;
  /** Why it can't be evaluated; null = it is true. */
  error: string | null;
}>;

export type Judgement = Readonly<{
  hits: readonly PolicyHit[];
  /** Of each policy: whether it is about single changes. */
  perChange: readonly boolean[];
  more: boolean;
}>;

export const mostHits = 10_000;

export type PolicyRequest = Readonly<{
  expressions: readonly string[];
  plan: string | null;
}>;

export const evaluatorName = "evaluate-policies";

export const longestAnswerMs = 10_000;

export type PolicyReply = { readonly running: number } | Judgement;

/** The hash covers what policies add, and only `plan --base` knows the base. */
export const leftOut: ReadonlySet<string> = new Set(["hash", "base"]);

export const policyCode = "policy";

export function isJudged({ changes, operations }: Pick<Plan, "changes" | "operations">): boolean {
  return changes.length > 0 || operations.length > 0;
}

/** So that `plan --base`, `plan` and `apply` are judged alike. @throws RangeError when it is too long */
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
