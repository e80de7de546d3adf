import { createHash } from "node:crypto";
import { posix } from "node:path";
import { ConfigProblems } from "../../config/config.js";
import { EdgewiseError } from "../../core/errors.js";
import type { Diagnostic } from "../../diagnostics/diagnostic.js";
import { loadManifests } from "../../manifest/load-manifests.js";
import { type PatternPlace, loadDefaults } from "../../manifest/load-run.js";
import type { Plan } from "../../plan/plan-format.js";
import { PolicyFailure, askProcess } from "../../policies/ask-process.js";
import { judgePlan } from "../../policies/judge-plan.js";
import type { Judgement } from "../../policies/plan-policy.js";
import type { Redactor } from "../../redact.js";
import type { Fleet, FleetAccount, StackTarget } from "../fleet/fleet.js";
import { secretFilesOf, stackSecrets } from "../fleet/read-secret-source.js";
import { type GrantedSettings, grantSettings, refuseManifests, underFleet } from "../fleet/stack-powers.js";
import { type SourceCommit, directoryOf } from "../git/source-reader.js";

export type LoadedStack = Awaited<ReturnType<LoadStack>>;

type StackToLoad = Readonly<{
  target: StackTarget;
  account: FleetAccount;
  commit: SourceCommit;
  now: number;
}>;

export type LoadStack = ReturnType<typeof stackLoader>;

export function stackLoader(fleet: () => Fleet, redactor: Redactor, evaluate = askProcess) {
  const verdicts = new Map<string, PolicyVerdicts>();
  return async ({ account, commit, now, target }: StackToLoad) => {
    const tree = await commit.tree(directoryOf(target.config));
    const text = await commit.readConfig(target.config);
    if (text === null)
      throw new EdgewiseError(
        "manifests",
        `commit ${commit.commit.slice(0, 12)} holds no configuration ${target.config}`,
      );
    const settings = settingsOf(target, account, text);
    const { adopt, marker, patternPlace, patterns, variables } = settings;
    const { manifests, diagnostics } = await loadManifests({
      ...loadDefaults,
      tree,
      patterns,
      patternBase: tree.root,
      variables,
      adopt,
      stack: marker,
      plansUnavailable: true,
      now,
      ...(patternPlace === undefined ? {} : { patternPlace: besideManifests(patternPlace) }),
      redactor,
      secrets: stackSecrets(target, secretFilesOf(fleet())),
    });
    const errors = diagnostics.filter(({ severity }) => severity === "error").map((each) => underFleet(each, target));
    const problems = errors.length > 0 ? errors : refuseManifests(target, manifests);
    if (problems.length > 0) throw stackProblem(problems);
    const known = verdicts.get(target.name) ?? new PolicyVerdicts(evaluate);
    verdicts.set(target.name, known);
    const judge = (plan: Plan): Promise<Plan> => known.judge(plan, settings, target.entry.policy.intervalMs, now);
    return { settings, manifests, redactor, judge };
  };
}

function settingsOf(target: StackTarget, account: FleetAccount, text: string): GrantedSettings {
  try {
    return grantSettings(target, account, text);
  } catch (error) {
    throw error instanceof ConfigProblems ? stackProblem(error.diagnostics) : error;
  }
}

function besideManifests(patternPlace: PatternPlace): PatternPlace {
  return (index) => {
    const found = patternPlace(index);
    return found === null ? null : { ...found, place: { ...found.place, file: posix.basename(found.place.file) } };
  };
}

const shownProblems = 3;

function stackProblem(problems: readonly Diagnostic[]): EdgewiseError {
  const shown = problems.slice(0, shownProblems).map(({ column, file, line, message, remedy }) => {
    return `${file}:${line}:${column}: ${message}${remedy === null ? "" : ` (${remedy})`}`;
  });
  const more = problems.length - shown.length;
  return new EdgewiseError("manifests", [...shown, ...(more > 0 ? [`and ${more} more`] : [])].join("; "));
}

const deadlineMs = 1000;
const mostVerdicts = 2;

type Verdict = Judgement | Readonly<{ failure: PolicyFailure; until: number }>;

class PolicyVerdicts {
  readonly #verdicts = new Map<string, Verdict>();

  constructor(private readonly evaluate: typeof askProcess) {}

  async judge(plan: Plan, { guards, policies }: GrantedSettings, intervalMs: number, now: number): Promise<Plan> {
    const evaluate: typeof askProcess = async (request) => {
      const hash = createHash("sha256").update(JSON.stringify(request)).digest("hex");
      const known = this.#verdicts.get(hash);
      if (known !== undefined && !("failure" in known)) return known;
      if (known !== undefined && now < known.until) throw known.failure;
      try {
        const judgement = await this.evaluate(request, { deadlineMs });
        this.#remember(hash, judgement);
        return judgement;
      } catch (failure) {
        // A process that can't be started is not the repository's fault.
        if (failure instanceof PolicyFailure && failure.policy !== null)
          this.#remember(hash, { failure, until: now + intervalMs });
        throw failure;
      }
    };
    return judgePlan(plan, policies, { allow: guards.allow, evaluate });
  }

  #remember(hash: string, verdict: Verdict): void {
    this.#verdicts.delete(hash);
    this.#verdicts.set(hash, verdict);
    for (const oldest of [...this.#verdicts.keys()].slice(0, -mostVerdicts)) this.#verdicts.delete(oldest);
  }
}
