/**
 * Edgewise as a library: load manifests, read what is live, plan, apply.
 *
 * ```js
 * const { manifests, diagnostics } = await loadManifests({ root: ".", patterns: ["edge/"] });
 * const client = createClient(clientOptions({ baseUrl, apiKey }));
 * const made = plan(manifests, await readLive(client, manifests), { stack: "edge-prod", baseUrl });
 * const result = await apply(made, { client, manifests });
 * ```
 *
 * Anything not exported here is internal and may change in any release.
 */
import { resolve } from "node:path";
import type { Client, ClientOptions } from "./api/client.js";
import { systemClock } from "./api/system-clock.js";
import type { ApplyDeps } from "./apply/run-context.js";
import { applyPlan } from "./apply/apply-plan.js";
import { configDefaults } from "./generated/config-defaults.js";
import { type Result, makeResult } from "./apply/result.js";
import { verify } from "./apply/verify.js";
import type { Diagnostic } from "./diagnostics/diagnostic.js";
import type { Live } from "./live/live.js";
import { diskTree } from "./manifest/file-tree.js";
import { loadManifests as load } from "./manifest/load-manifests.js";
import { type LoadOptions, loadDefaults } from "./manifest/load-run.js";
import type { Manifest } from "./manifest/manifest.js";
import { plan as make } from "./plan/make-plan.js";
import { type PlanOptions as FullPlanOptions, planDefaults } from "./plan/plan-context.js";
import type { Plan } from "./plan/plan-format.js";
import { secretResolver } from "./plan/plan-secrets.js";
import { judgePlan } from "./policies/judge-plan.js";
import type { Policy } from "./policies/plan-policy.js";
import { Secret } from "./core/secret.js";
import { version } from "./core/version.js";

export { createClient, createReadClient } from "./api/create-client.js";
export { loadConfig } from "./config/load-config.js";
export { readLiveFor as readLive } from "./live/read-live.js";
export { driftOf, type DriftOptions } from "./plan/drift-findings.js";
export { exportManifests, type Exported, type ExportOptions } from "./export/export-manifests.js";
export { Secret } from "./core/secret.js";
export { EdgewiseError, type ErrorCode } from "./core/errors.js";
export { version } from "./core/version.js";

export type { ApiRequest, ApiResponse, Client, ClientOptions, ReadClient } from "./api/client.js";
export type { ApplyEvent } from "./apply/run-context.js";
export type { OperationResult, OperationStatus, Outcome, Result } from "./apply/result.js";
export type { Config, ConfigInput } from "./config/config.js";
export type { Address, KindName } from "./kinds/names.js";
export type { Live } from "./live/live.js";
export type { Diagnostic } from "./diagnostics/diagnostic.js";
export type { Manifest } from "./manifest/manifest.js";
export type { Drift, Finding } from "./plan/drift-findings.js";
export type { Policy } from "./policies/plan-policy.js";
export type { Change, FieldChange, Operation, Plan, Refusal, Warning } from "./plan/plan-format.js";

/** The manifests to load; `root` and `patterns` are required. */
export type LoadManifestsOptions = Partial<Omit<LoadOptions, "tree" | "patterns" | "patternBase">> &
  Readonly<{
    /** The directory that patterns and files are relative to and must lie in. */
    root: string;
    /** Files, directories and globs. */
    patterns: readonly string[];
  }>;

/**
 * Reads, checks and resolves manifests. Don't use `manifests` when a diagnostic has the severity `error`. Environment
 * variables are read only from `env`, which is empty by default.
 */
export async function loadManifests(
  options: LoadManifestsOptions,
): Promise<Readonly<{ manifests: readonly Manifest[]; diagnostics: readonly Diagnostic[] }>> {
  const { root, ...rest } = options;
  return load({ tree: diskTree(resolve(root)), patternBase: resolve(root), ...loadDefaults, ...rest });
}

/** The options of a client, with the command line's defaults. Nothing is read from the process. */
export function clientOptions(
  given: Readonly<{ baseUrl: string; apiKey: string | Secret }> & Partial<Omit<ClientOptions, "baseUrl" | "apiKey">>,
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
export type PlanOptions = Pick<FullPlanOptions, "stack" | "baseUrl"> & Partial<FullPlanOptions>;

/**
 * The changes that bring the live account to the state of the manifests. Pure: the same input gives the same bytes.
 * @throws EdgewiseError `manifests` for a reference to nothing
 */
export function plan(desired: readonly Manifest[], live: Live, options: PlanOptions): Plan {
  return make(desired, live, { toolVersion: version, ...planDefaults, ...options });
}

/**
 * The plan with the refusals and warnings of policies, such as those of `loadConfig`, which `plan` can't know. They are
 * evaluated in a process of their own, for at most ten seconds.
 * @param options `allow`: the addresses whose refusals are lifted, as `plan` got them
 */
export async function judge(
  plan: Plan,
  policies: readonly Policy[],
  { allow = [] }: { readonly allow?: readonly string[] } = {},
): Promise<Plan> {
  return judgePlan(plan, policies, { allow });
}

export type ApplyOptions = Partial<
  Pick<ApplyDeps, "concurrency" | "signal" | "hardSignal" | "onEvent" | "consistencyMs" | "settleMs">
> &
  Readonly<{
    client: Client;
    /** The manifests that the plan was made from; secrets are read from them. */
    manifests: readonly Manifest[];
    /** Lists and plans again after the apply: `verified` is true when that plan is empty. Without it, null. */
    replan?: () => Promise<Plan>;
  }>;

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
