import { loadConfig } from "../../config/load-config.js";
import { EdgewiseError } from "../../core/errors.js";
import { findRepository } from "../../git/find-repository.js";
import { GitCommit } from "../../git/git-commit.js";
import { configAt, gitTree } from "../../git/git-tree.js";
import { resolveBase, resolveCommit } from "../../git/resolve-commit.js";
import type { Live } from "../../live/live.js";
import { loadManifests } from "../../manifest/load-manifests.js";
import type { Manifest } from "../../manifest/manifest.js";
import { annotateOrigins } from "../../plan/annotate-origins.js";
import { formerSecrets, sourcePlaces } from "../../plan/plan-secrets.js";
import { plan } from "../../plan/make-plan.js";
import type { PlanOptions } from "../../plan/options.js";
import type { Plan } from "../../plan/plan-format.js";
import type { CommandContext } from "./command-context.js";
import type { PlanFlags } from "./command-options.js";
import { loadOptions } from "./load-desired.js";

/** What a plan is compared with. */
export interface Base {
  readonly commit: string;
  readonly manifests: readonly Manifest[];
  /** Warns that the plan is not compared. @throws what is no mistake in the manifests */
  readonly unusable: (error: unknown) => null;
}

/**
 * The manifests of the merge base; a drift report names the commit that was applied last, and is compared with that, and so
 * is a roll-back with `--ref`. Configuration and files are read at that commit too; when they are invalid there, that is
 * only a warning, so that a branch can fix them.
 * @returns null without `--base`, and when they can't be used
 * @throws EdgewiseError `git` when there is no such commit
 */
export async function loadBase(
  context: CommandContext,
  flags: PlanFlags,
  judged: PlanOptions["judged"],
): Promise<Base | null> {
  if (flags.base === undefined) return null;
  const { config, io, log } = context;
  const repository = await findRepository(config.root, io);
  const isDrift = judged === "drift";
  const at = context.at?.commit ?? null;
  const { commit, mergeBase } = isDrift
    ? { commit: await resolveCommit(repository, flags.base), mergeBase: null }
    : await resolveBase(repository, flags.base, at);
  // A roll-back goes to an ancestor of what is applied: what it takes back is the difference between the two.
  const isDirect = mergeBase === null || mergeBase === at;
  const base = isDirect ? commit : mergeBase;
  const unusable = (error: unknown): null => {
    if (!(error instanceof EdgewiseError) || error.code === "git") throw error;
    const which = `the manifests of the ${isDirect ? "commit" : "merge base"} ${base.slice(0, 12)} can't be used`;
    const consequence = isDrift
      ? "what is merged and not yet applied counts as drift"
      : "the plan does not show who changed what";
    log.warning(`${which}, so ${consequence}: ${error.message}`);
    return null;
  };
  try {
    return { commit: base, manifests: await manifestsAt(new GitCommit(repository, base), context, flags), unusable };
  } catch (error) {
    return unusable(error);
  }
}

/** Masks the secrets that the base names and that today's manifests may no longer name. */
export function maskFormerSecrets({ manifests }: Base, live: Live, options: PlanOptions, { io }: CommandContext): void {
  for (const text of formerSecrets(sourcePlaces(manifests), manifests, live, options)) io.redactor.addSecret(text);
}

/** Adds the origin of every field change to the plan, by comparing with the base. Operations stay the same. */
export async function withOrigins(
  made: {
    readonly plan: Plan;
    readonly live: Live;
    readonly desired: readonly Manifest[];
    readonly options: PlanOptions;
  },
  { commit, manifests, unusable }: Base,
): Promise<Plan> {
  try {
    const options = { ...made.options, only: null, lookUp: true, rehearse: false };
    const atBase = plan(manifests, made.live, options);
    return annotateOrigins(made.plan, atBase, { base: commit, now: made.desired, atBase: manifests });
  } catch (error) {
    return unusable(error) ?? made.plan;
  }
}

/** The manifests of a commit, loaded by that commit's own configuration. */
async function manifestsAt(
  commit: GitCommit,
  { config, io }: CommandContext,
  flags: PlanFlags,
): Promise<readonly Manifest[]> {
  let then = config;
  if (config.file !== null) {
    const text = await configAt(commit, config.file);
    if (text === null) return [];
    const offline = flags.offline === true;
    then = await loadConfig({ cwd: io.cwd, env: io.env, flags, offline, committed: { file: config.file, text } });
  }
  const { manifests, diagnostics } = await loadManifests({
    ...loadOptions(await gitTree(commit, config.root), then, flags, io),
    allowInlineSecrets: true,
    apiKeyFile: null,
    complete: false,
    // Today's keys don't have to match the certificates of that commit.
    deep: false,
  });
  // A pattern that matches nothing there is fine: its files are new.
  const [first] = diagnostics.filter(({ severity, code }) => severity === "error" && code !== "pattern-no-match");
  if (first !== undefined) throw new EdgewiseError("manifests", `${first.file}:${first.line}: ${first.message}`);
  return manifests;
}
