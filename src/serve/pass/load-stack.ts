import { createHash } from "node:crypto";
import { ConfigProblems } from "../../config/config.js";
import { EdgewiseError } from "../../core/errors.js";
import type { Diagnostic } from "../../diagnostics/diagnostic.js";
import { loadManifests } from "../../manifest/load-manifests.js";
import { loadDefaults } from "../../manifest/load-run.js";
import type { Plan } from "../../plan/plan-format.js";
import { askProcess } from "../../policies/ask-process.js";
import { judgePlan } from "../../policies/judge-plan.js";
import type { Judgement } from "../../policies/plan-policy.js";
import type { Redactor } from "../../redact.js";
import type { Fleet, FleetAccount, StackTarget } from "../fleet/fleet.js";
import { secretFilesOf, stackSecrets } from "../fleet/read-secret-source.js";
import { type GrantedSettings, grantSettings, refuseManifests, underFleet } from "../fleet/stack-powers.js";
import { type SourceCommit, directoryOf } from "../git/source-reader.js";
import { problemWords } from "../serve-events.js";

export type LoadedStack = Awaited<ReturnType<LoadStack>>;

type StackToLoad = Readonly<{
  target: StackTarget;
  account: FleetAccount;
  commit: SourceCommit;
  now: number;
}>;

export type LoadStack = ReturnType<typeof stackLoader>;

export function stackLoader(fleet: () => Fleet, redactor: Redactor, evaluate = askProcess) {
  const verdicts = new Map<string, typeof askProcess>();
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
      ...(patternPlace === undefined ? {} : { patternPlace }),
      redactor,
      secrets: stackSecrets(target, secretFilesOf(fleet())),
    });
    const errors = diagnostics.filter(({ severity }) => severity === "error");
    const problems = errors.length > 0 ? errors : refuseManifests(target.entry, manifests);
    if (problems.length > 0) throw stackProblem(problems, target);
    const remembered = verdicts.get(target.name) ?? rememberVerdicts(evaluate);
    verdicts.set(target.name, remembered);
    const { guards, policies } = settings;
    const judge = (plan: Plan) => judgePlan(plan, policies, { allow: guards.allow, evaluate: remembered });
    return { settings, manifests, redactor, judge };
  };
}

function settingsOf(target: StackTarget, account: FleetAccount, text: string): GrantedSettings {
  try {
    return grantSettings(target, account, text);
  } catch (error) {
    throw error instanceof ConfigProblems ? stackProblem(error.diagnostics, target) : error;
  }
}

function stackProblem(problems: readonly Diagnostic[], target: StackTarget): EdgewiseError {
  return new EdgewiseError("manifests", problemWords(problems.map((each) => underFleet(each, target))));
}

const deadlineMs = 1000;
const mostVerdicts = 2;

function rememberVerdicts(evaluate: typeof askProcess): typeof askProcess {
  const verdicts = new Map<string, Judgement>();
  return async (request) => {
    const hash = createHash("sha256").update(JSON.stringify(request)).digest("hex");
    const verdict = verdicts.get(hash) ?? (await evaluate(request, { deadlineMs }));
    verdicts.delete(hash);
    verdicts.set(hash, verdict);
    for (const oldest of [...verdicts.keys()].slice(0, -mostVerdicts)) verdicts.delete(oldest);
    return verdict;
  };
}
