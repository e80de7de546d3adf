import type { ConfiguredPolicy } from "../config/config.js";
import { EdgewiseError } from "../core/errors.js";
import type { Diagnostic } from "../diagnostics/diagnostic.js";
import { isAddress } from "../kinds/names.js";
import { hashPlan, type Plan, type Refusal } from "../plan/plan-format.js";
import { Findings } from "../plan/plan-context.js";
import { type AskOptions, PolicyFailure, askProcess } from "./ask-process.js";
import {
  type Judgement,
  type Policy,
  type PolicyHit,
  isJudged,
  judgedText,
  mostHits,
  policyCode,
} from "./plan-policy.js";

export type JudgeOptions = Pick<AskOptions, "stop"> &
  Readonly<{
    allow: readonly string[];
    evaluate?: typeof askProcess;
  }>;

export async function judgePlan(plan: Plan, policies: readonly Policy[], options: JudgeOptions): Promise<Plan> {
  if (policies.length === 0 || !isJudged(plan)) return plan;
  const { allow, evaluate = askProcess, stop } = options;
  try {
    const expressions = policies.map(({ expression }) => expression);
    return withJudgement(plan, policies, await evaluate({ expressions, plan: judgedText(plan) }, { stop }), allow);
  } catch (error) {
    if (!(error instanceof PolicyFailure) && !(error instanceof RangeError)) throw error;
    const policy = error instanceof PolicyFailure ? (error.policy ?? -1) : -1;
    const hits = [{ policy, address: null, error: error.message }];
    return withJudgement(plan, policies, { hits, perChange: [], more: false }, allow);
  }
}

function withJudgement(
  plan: Plan,
  policies: readonly Policy[],
  { hits, more }: Judgement,
  allow: readonly string[],
): Plan {
  if (hits.length === 0) return plan;
  const refusals: Refusal[] = [];
  const all = { warnings: [...plan.warnings], lifted: [...plan.lifted] };
  for (const hit of hits) {
    const policy = policies[hit.policy];
    const findings = new Findings(allow);
    judge(hit, policy, findings);
    const named = policy === undefined ? {} : { policy: policy.name };
    refusals.push(...findings.refusals.map((refusal) => ({ ...refusal, ...named })));
    all.lifted.push(...findings.lifted.map((lifted) => ({ ...lifted, ...named })));
    all.warnings.push(...findings.warnings);
  }
  if (more) refusals.push(tooManyHits);
  const used = new Set<string>(all.lifted.flatMap(({ code, address }) => (code === policyCode ? [address] : [])));
  const { hash: _hash, toolVersion, ...rest } = plan;
  const judged = {
    ...rest,
    refusals: [...plan.refusals, ...refusals],
    warnings: all.warnings.filter(({ code, address = "" }) => code !== "unused-allow" || !used.has(address)),
    lifted: all.lifted,
  };
  return { ...judged, toolVersion, hash: hashPlan(judged) };
}

function judge({ address: name, error }: PolicyHit, policy: Policy | undefined, findings: Findings): void {
  const address = name !== null && isAddress(name) ? name : null;
  if (policy === undefined) {
    findings.refuse(policyCode, null, `the policies can't be evaluated: ${error ?? ""}`, unevaluated);
  } else if (error !== null) {
    const remedy = "correct its expression in the configuration; `edgewise validate` shows where a mistake is";
    findings.refuse(policyCode, address, `policy ${policy.name} can't be evaluated: ${error}`, remedy);
  } else if (policy.effect === "warn") {
    findings.warn(policyCode, `policy ${policy.name}: ${policy.message}`, address ?? undefined);
  } else {
    const [denied, remedy] =
      address === null ? ["the plan", remedyOfPlan] : ["it", "change what it denies, or the policy"];
    findings.refuse(policyCode, address, `policy ${policy.name} denies ${denied}: ${policy.message}`, remedy);
  }
}

const unevaluated =
  "let edgewise start processes (node), and make the plan smaller if it takes too much memory or time";

const remedyOfPlan =
  "change what it denies, or the policy: it is about the plan as a whole, so --allow does not lift it";

const tooManyHits: Refusal = {
  code: policyCode,
  message: `policies deny or warn more than ${mostHits} times, and the rest was not counted`,
  remedy: "correct the policies, or make a smaller plan with --only",
};

/** Mistakes in expressions. @throws EdgewiseError `config` when nothing can check them */
export async function policyDiagnostics(policies: readonly ConfiguredPolicy[]): Promise<readonly Diagnostic[]> {
  if (policies.length === 0) return [];
  try {
    const { hits } = await askProcess({ expressions: policies.map(({ expression }) => expression), plan: null });
    return hits.flatMap(({ error, policy }) => policies[policy]?.problem(error ?? "").diagnostics ?? []);
  } catch (error) {
    if (!(error instanceof PolicyFailure)) throw error;
    const remedy = "let edgewise start processes (node), and give it time and memory: one checks the expressions";
    throw new EdgewiseError("config", `the expressions of the policies can't be checked: ${error.message}`, { remedy });
  }
}
