import { createHash } from "node:crypto";
import type { Plan } from "../../plan/plan-format.js";
import { PolicyFailure } from "../../policies/ask-process.js";
import { type EvaluatePolicies, evaluateElsewhere, judgePlan } from "../../policies/judge-plan.js";
import type { Judgement } from "../../policies/plan-policy.js";
import type { StackTarget } from "../fleet/fleet.js";
import type { GrantedStack } from "./load-stack.js";

/** So many verdicts of a stack are remembered: of its whole plan, and of the part that is written. */
const mostVerdicts = 2;

/** How long the policies of a plan may take, in milliseconds. */
const deadlineMs = 1000;

/** After so many failures in a row, the policies of a stack wait for an interval. */
const mostFailures = 2;

interface StackVerdicts {
  /** By the hash of what was evaluated. */
  readonly judgements: Map<string, Judgement>;
  failures: number;
  /** Null = the last evaluation did not fail. */
  failed: { readonly at: number; readonly error: PolicyFailure } | null;
}

/**
 * Judges plans by the policies of repositories, which all stacks of an account wait for: they get little time, the same plan
 * is evaluated once, and policies that ran out of time or memory twice are evaluated again only after an interval.
 */
export class PolicyVerdicts {
  readonly #stacks = new Map<string, StackVerdicts>();

  constructor(private readonly evaluate: EvaluatePolicies = evaluateElsewhere) {}

  /** A plan with what the policies of its configuration say of it. */
  async judge(plan: Plan, { settings }: GrantedStack, target: StackTarget, now: number): Promise<Plan> {
    const { guards, policies } = settings;
    if (policies.length === 0) return plan;
    const known = this.#stacks.get(target.name) ?? { judgements: new Map(), failures: 0, failed: null };
    this.#stacks.set(target.name, known);
    const evaluate: EvaluatePolicies = async (expressions, planText) => {
      const hash = createHash("sha256")
        .update(JSON.stringify([expressions, planText]))
        .digest("hex");
      const remembered = known.judgements.get(hash);
      if (remembered !== undefined) return remembered;
      refuseTooSoon(known, target.entry.policy.intervalMs, now);
      const judgement = await this.evaluate(expressions, planText, { deadlineMs }).catch((error: unknown) => {
        // A process that can't be started is not the repository's fault.
        if (error instanceof PolicyFailure && error.policy !== null) {
          known.failures += 1;
          known.failed = { at: now, error };
        }
        throw error;
      });
      known.failures = 0;
      known.failed = null;
      const latest = [...known.judgements].slice(1 - mostVerdicts);
      known.judgements.clear();
      for (const [key, value] of [...latest, [hash, judgement] as const]) known.judgements.set(key, value);
      return judgement;
    };
    return judgePlan(plan, policies, { allow: guards.allow, evaluate });
  }
}

/** @throws PolicyFailure when the policies failed too often to be evaluated now */
function refuseTooSoon({ failed, failures }: StackVerdicts, intervalMs: number, now: number): void {
  if (failed === null || failures < mostFailures || now >= failed.at + intervalMs) return;
  const again = new Date(failed.at + intervalMs).toISOString();
  const { message, policy } = failed.error;
  throw new PolicyFailure(
    `${message}; that happened ${failures} times, so it is evaluated again from ${again} on`,
    policy,
  );
}
