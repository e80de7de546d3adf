import { resolve } from "node:path";
import type { Client, ClientOptions } from "../api/client.js";
import { systemClock } from "../api/system-clock.js";
import type { ApplyDeps } from "../apply/apply-deps.js";
import { applyPlan } from "../apply/apply-plan.js";
import { configDefaults } from "../generated/config-defaults.js";
import { secretResolver } from "../apply/preflight.js";
import { type Result, makeResult } from "../apply/result.js";
import { verify } from "../apply/verify.js";
import type { Diagnostic } from "../diagnostics/diagnostic.js";
import type { Live } from "../live/live.js";
import { diskTree } from "../manifest/disk-tree.js";
import { loadManifests as load } from "../manifest/load-manifests.js";
import type { LoadOptions } from "../manifest/load-options.js";
import type { Manifest } from "../manifest/manifest.js";
import { plan as make } from "../plan/make-plan.js";
import type { PlanOptions } from "../plan/options.js";
import type { Plan } from "../plan/plan-format.js";
import { judgePlan } from "../policies/judge-plan.js";
import type { Policy } from "../policies/plan-policy.js";
import { Secret } from "../core/secret.js";
import { version } from "../core/version.js";

/** The manifests to load; `root` and `patterns` are required. */
export interface LoadManifestsOptions extends Partial<Omit<LoadOptions, "tree" | "patterns" | "patternBase">> {
  /** The directory that patterns and files are relative to and must lie in. */
  readonly root: string;
  /** Files, directories and globs. */
  readonly patterns: readonly string[];
}

/**
 * Reads, checks and resolves manifests. Don't use `manifests` when a diagnostic has the severity `error`. Environment
 * variables are read only from `env`, which is empty by default.
 */
export async function loadManifests(
  options: LoadManifestsOptions,
): Promise<{ readonly manifests: readonly Manifest[]; readonly diagnostics: readonly Diagnostic[] }> {
  const { root, ...rest } = options;
  return load({
    tree: diskTree(resolve(root)),
    patternBase: resolve(root),
    variables: {},
    env: {},
    adopt: {},
    stack: null,
    allowInlineSecrets: false,
    apiKeyFile: null,
    complete: true,
    deep: true,
    ...rest,
  });
}

/** The options of a client, with the command line's defaults. Nothing is read from the process. */
export function clientOptions(
  given: { readonly baseUrl: string; readonly apiKey: string | Secret } & Partial<
    Omit<ClientOptions, "baseUrl" | "apiKey">
  >,
): ClientOptions {
  const { apiKey, ...rest } = given;
  return {
    versionHeader: configDefaults.api.versionHeader,
    concurrency: 8,
    timeoutMs: configDefaults.api.timeout,
    requestsPerMinute: null,
    env: {},
    ...rest,
    apiKey: typeof apiKey === "string" ? Secret.of(apiKey, "the option apiKey") : apiKey,
  };
}

/** `stack` and `baseUrl` are required; the other defaults are those of the command line. */
export type LibraryPlanOptions = Pick<PlanOptions, "stack" | "baseUrl"> & Partial<PlanOptions>;

/**
 * The changes that bring the live account to the state of the manifests. Pure: the same input gives the same bytes.
 * @throws EdgewiseError `manifests` for a reference to nothing
 */
export function plan(desired: readonly Manifest[], live: Live, options: LibraryPlanOptions): Plan {
  const all: PlanOptions = {
    previousStacks: [],
    toolVersion: version,
    moduleEndpoints: [],
    prune: true,
    allow: [],
    maxDeletes: null,
    allowEmpty: false,
    takeOver: false,
    only: null,
    destroy: false,
    lookUp: false,
    ...options,
  };
  return make(desired, live, all);
}

/** How policies judge a plan. */
export interface JudgeOptions {
  /** Addresses whose refusals are lifted: those that `plan` got. Default: none. */
  readonly allow?: readonly string[];
}

/**
 * The plan with the refusals and warnings of policies, such as those of `loadConfig`: `plan` can't know them, because it
 * runs nothing but itself. They are evaluated in a process of their own, for at most ten seconds.
 */
export async function judge(plan: Plan, policies: readonly Policy[], options: JudgeOptions = {}): Promise<Plan> {
  return judgePlan(plan, policies, { allow: options.allow ?? [] });
}

export interface ApplyOptions extends Partial<
  Pick<ApplyDeps, "concurrency" | "signal" | "hardSignal" | "failFast" | "onEvent" | "consistencyMs" | "settleMs">
> {
  readonly client: Client;
  /** The manifests that the plan was made from; secrets are read from them. */
  readonly manifests: readonly Manifest[];
  /** Lists and plans again after the apply: `verified` is true when that plan is empty. Without it, null. */
  readonly replan?: () => Promise<Plan>;
}

/**
 * Runs the operations of a plan, exactly these: pass a plan that `plan` just returned, never one that was read from a
 * file, whose requests cannot be trusted. Service errors do not throw; they are part of the result. A plan with refusals
 * is not run.
 * @throws EdgewiseError `plan-file` or `secret-unavailable`, before anything is sent
 */
export async function apply(plan: Plan, options: ApplyOptions): Promise<Result> {
  const { client, manifests, replan, ...rest } = options;
  const deps: ApplyDeps = {
    client,
    concurrency: 8,
    resolveSecret: secretResolver(manifests),
    signal: new AbortController().signal,
    failFast: false,
    onEvent: () => {},
    clock: systemClock,
    random: Math.random,
    ...rest,
  };
  const report = await applyPlan(plan, deps);
  if (replan === undefined || report.outcome === "refused" || report.interrupted) return makeResult(plan, report, null);
  const { clock, settleMs = configDefaults.api.settle, signal } = deps;
  return makeResult(plan, report, await verify({ plan, report }, { replan, clock, settleMs, signal }));
}
