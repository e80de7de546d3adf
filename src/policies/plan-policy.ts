import type { Plan } from "../plan/plan-format.js";

/** What follows where a policy's expression is true. */
export type PolicyEffect = "deny" | "warn";

/** A plan in a file, and what a policy should make of it. */
export interface PolicyTest {
  /** As it is written: relative to the configuration. */
  readonly plan: string;
  readonly expect: PolicyEffect | "allow";
  /** Judge only the change of this address; absent = all changes. */
  readonly address?: string;
}

/** A rule over a plan: an entry of the configuration's `policies`. */
export interface Policy {
  /** Unique in its configuration. */
  readonly name: string;
  /** CEL, with the variables `change` and `plan`. */
  readonly expression: string;
  /** For whoever made the plan. */
  readonly message: string;
  readonly effect: PolicyEffect;
  readonly tests: readonly PolicyTest[];
}

/** An expression that is true, or that can't be evaluated. */
export interface PolicyHit {
  /** The index of the policy. */
  readonly policy: number;
  /** Of the change; null = it is about the plan as a whole. */
  readonly address: string | null;
  /** Why it can't be evaluated; null = it is true. */
  readonly error: string | null;
}

/** What evaluating policies gave. */
export interface Judgement {
  /** By policy, then in the order of the changes. */
  readonly hits: readonly PolicyHit[];
  /** For each policy, whether its expression is about single changes. */
  readonly perChange: readonly boolean[];
  /** Whether there are more hits, which nobody counted. */
  readonly more: boolean;
}

/** More hits than this are not counted: nobody reads them, and they must not fill the memory. */
export const mostHits = 10_000;

/** What the process that evaluates is asked: to check expressions (`plan` null), or to evaluate them. */
export interface PolicyRequest {
  readonly expressions: readonly string[];
  /** As JSON. */
  readonly plan: string | null;
}

/** The only argument of the program when it is started to evaluate expressions; only a process that it forked itself may be. */
export const evaluatorName = "evaluate-policies";

/** How long an answer may take at most, in milliseconds, the start of the process included. */
export const longestAnswerMs = 10_000;

/** What it answers: the policy that it begins with, or the result. */
export type PolicyReply =
  | { readonly running: number }
  | { readonly problems: readonly (string | null)[] }
  | { readonly judgement: Judgement };

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
