import { createHash } from "node:crypto";
import type { Plan } from "../../plan/plan-format.js";
import { type EvaluatePolicies, evaluateElsewhere, judgePlan } from "../../policies/judge-plan.js";
import type { Judgement } from "../../policies/plan-policy.js";
import type { StackTarget } from "../fleet/fleet.js";
import type { GrantedStack } from "./load-stack.js";

/** So many verdicts of a stack are remembered: of its whole plan, and of the part that is written. */
const mostVerdicts = 2;

/**
 * Judges plans by the policies of repositories, which all stacks of an account wait for: they get little time, and the same
 * plan is evaluated once.
 */
export class PolicyVerdicts {
  /** By stack, and by the hash of what was evaluated. */
  readonly #judgements = new Map<string, ReadonlyMap<string, Judgement>>();

  /** @param deadlineMs how long the policies of a plan may take */
  constructor(private readonly deadlineMs: number) {}

  /** A plan with what the policies of its configuration say of it. */
  async judge(plan: Plan, { settings }: GrantedStack, { name }: StackTarget): Promise<Plan> {
    const { guards, policies } = settings;
    if (policies.length === 0) return plan;
    const evaluate: EvaluatePolicies = async (expressions, planText) => {
      const hash = createHash("sha256")
        .update(JSON.stringify([expressions, planText]))
        .digest("hex");
      const known = this.#judgements.get(name) ?? new Map<string, Judgement>();
      const remembered = known.get(hash);
      if (remembered !== undefined) return remembered;
      const judgement = await evaluateElsewhere(expressions, planText, { deadlineMs: this.deadlineMs });
      this.#judgements.set(name, new Map([...[...known].slice(1 - mostVerdicts), [hash, judgement]]));
      return judgement;
    };
    return judgePlan(plan, policies, { allow: guards.allow, evaluate });
  }
}
