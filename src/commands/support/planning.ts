import { relative, resolve, sep } from "node:path";
import type { ReadClient } from "../../api/client.js";
import { EdgewiseError } from "../../core/errors.js";
import { version } from "../../core/version.js";
import { didYouMean } from "../../diagnostics/suggest.js";
import { headCommit } from "../../git/resolve-commit.js";
import { type Impact, isAtLeast } from "../../kinds/impact.js";
import type { Live } from "../../live/live.js";
import { readLiveFor, startListing } from "../../live/read-live.js";
import type { Manifest } from "../../manifest/manifest.js";
import { plan as make } from "../../plan/make-plan.js";
import { modelledLive, withoutIds } from "../../plan/modelled-live.js";
import type { PlanOptions } from "../../plan/options.js";
import type { Plan, Provenance, Selection, UnavailableSecret } from "../../plan/plan-format.js";
import { withoutSecrets } from "../../plan/plan-secrets.js";
import { judgePlan } from "../../policies/judge-plan.js";
import { type CommandContext, requireBaseUrl, requireStack } from "./command-context.js";
import type { PlanFlags } from "./command-options.js";
import { type Base, loadBase, maskFormerSecrets, withOrigins } from "./compare-base.js";
import { loadDesired } from "./load-desired.js";
import { during } from "./log.js";
import { addressOfOnly, selectedAddresses } from "./select-manifests.js";
import type { SharedReads } from "./shared-account.js";

/** A plan and everything that it was made from. */
export interface Planned {
  readonly plan: Plan;
  /** As they were loaded: secrets are taken from these. */
  readonly manifests: readonly Manifest[];
  /** The manifests that were planned: those above, without withheld secrets. */
  readonly desired: readonly Manifest[];
  readonly live: Live;
  readonly options: PlanOptions;
}

/** What a command asks of a plan beyond its flags. */
export interface PlanRequest extends Pick<Partial<PlanOptions>, "again" | "destroy" | "judged" | "prune" | "rehearse"> {
  /** Secrets to plan without, although they can be read here. */
  readonly withheld?: readonly UnavailableSecret[];
  /** Lists that serve the other stacks of the account, too. */
  readonly shared?: SharedReads | undefined;
}

/**
 * Loads the manifests (none for `destroy`), lists the live resources and plans; with `--base` the plan shows who changed
 * what. Every command gets its plan from here.
 * @param client null = offline: the manifests of the base, run through the model, stand for what is live
 */
export async function planLive(
  context: CommandContext,
  client: ReadClient | null,
  flags: PlanFlags,
  { shared, withheld = [], ...asked }: PlanRequest = {},
): Promise<Planned> {
  // First of all: the lists take the longest. Without a stack nothing can be planned, and mistakes in manifests come first.
  const sharedLists = shared?.begin();
  const listing =
    sharedLists === undefined && client !== null && context.config.stack !== null ? startListing(client) : undefined;
  const [manifests, provenance, base] = await Promise.all([
    asked.destroy === true ? [] : loadDesired(context, flags),
    // A drift report records no more than the commit of `--ref`.
    asked.judged === "drift" && context.at === null ? null : provenanceOf(context, flags, asked.destroy),
    loadBase(context, flags, asked.judged),
  ]);
  const loaded = withheld.length === 0 ? manifests : withoutSecrets(manifests, withheld);
  const desired = client === null ? withoutIds(loaded) : loaded;
  const options = planOptions(context, flags, desired, {
    ...asked,
    ...(provenance === null ? {} : { provenance }),
  });
  const readLive = async (): Promise<Live> => {
    if (client !== null) return sharedLists?.liveFor(desired) ?? readLiveFor(client, desired, [], listing);
    if (base === null) throw new EdgewiseError("manifests", "the manifests of the base can't be used");
    return modelledLive(base.manifests, desired, options);
  };
  const { live, plan } = await makePlan(context, desired, options, { readLive, base });
  warnOfMisspeltAllow(plan, flags, context);
  const planned = { plan, manifests, desired, live, options };
  return base === null ? planned : { ...planned, plan: await withOrigins(planned, base) };
}

/** The same plan from what is live now. */
export async function planAgain(
  context: CommandContext,
  client: ReadClient,
  desired: readonly Manifest[],
  options: PlanOptions,
): Promise<Plan> {
  return (await makePlan(context, desired, options, { readLive: async () => readLiveFor(client, desired) })).plan;
}

interface PlanInput {
  readonly readLive: () => Promise<Live>;
  readonly base?: Base | null;
}

/** Reads what is live and plans; a terminal shows a status line meanwhile. */
async function makePlan(
  context: CommandContext,
  desired: readonly Manifest[],
  options: PlanOptions,
  { base = null, readLive }: PlanInput,
): Promise<{ readonly plan: Plan; readonly live: Live }> {
  const { config, io, lockRun, status, stop } = context;
  const live = await during(status, "Reading live resources …", readLive);
  if (base !== null) maskFormerSecrets(base, live, options, context);
  const plan = make(desired, live, {
    ...options,
    ...(lockRun === undefined ? {} : { lockRun }),
    now: io.now(),
  });
  // Nobody applies a drift report, or what is planned to verify a run: they are neither rehearsed nor judged.
  if (options.rehearse === false || config.policies.length === 0) return { plan, live };
  const judge = async (): Promise<Plan> => judgePlan(plan, config.policies, { allow: options.allow, stop });
  return { plan: await during(status, "Evaluating policies …", judge), live };
}

/** A flag whose address is like one that is refused was most likely meant to lift that refusal. */
function warnOfMisspeltAllow({ changes, refusals }: Plan, { allow = [] }: PlanFlags, { log }: CommandContext): void {
  const refused = refusals.flatMap(({ address }) => address ?? []);
  const known = new Set<string>([...refused, ...changes.map(({ address }) => address)]);
  for (const address of allow) {
    const meant = known.has(address) ? null : didYouMean(address, refused);
    if (meant !== null) log.warning(`--allow ${address} lifts nothing. ${meant}`, { address });
  }
}

/** 2 and 4 only where they are asked for: otherwise a plan that was shown is a success. */
export function exitCodeOfPlan(plan: Plan, flags: Pick<PlanFlags, "detailedExitcode" | "failOn">): number {
  if (flags.detailedExitcode === true && plan.refusals.length > 0) return 4;
  if (flags.detailedExitcode === true && plan.changes.length > 0) return 2;
  return flags.failOn !== undefined && reaches(plan, flags.failOn) ? 2 : 0;
}

/** Whether the plan can do this to traffic, or worse. */
export function reaches(plan: Plan, impact: Impact): boolean {
  return plan.changes.some((change) => isAtLeast(change.impact, impact));
}

/**
 * The planner's options, from configuration and flags.
 * @throws EdgewiseError `config` without stack or base URL; `usage` when a selection selects nothing
 */
function planOptions(
  context: CommandContext,
  flags: PlanFlags,
  manifests: readonly Manifest[],
  more: Partial<PlanOptions>,
): PlanOptions {
  const { config } = context;
  const fromFlags = new Set(flags.allow ?? []);
  return {
    stack: requireStack(context),
    previousStacks: config.previousStacks,
    baseUrl: flags.offline === true ? (config.api.baseUrl ?? "offline") : requireBaseUrl(context),
    toolVersion: version,
    moduleEndpoints: config.api.moduleEndpoints,
    prune: flags.prune !== false && !config.fromFlags,
    allow: config.guards.allow,
    configuredAllow: config.guards.allow.filter((address) => !fromFlags.has(address)),
    maxDeletes: config.guards.maxDeletes,
    allowEmpty: flags.allowEmpty === true,
    takeOver: flags.takeOver === true,
    only: selectedAddresses(flags, manifests, more.again === true),
    ...(flags.exclude === undefined ? {} : { exclude: flags.exclude.map((one) => addressOfOnly(one, manifests)) }),
    destroy: false,
    lookUp: config.fromFlags,
    redact: (text) => context.io.redactor.redact(text),
    ...more,
  };
}

/** How a plan was made, as it records it: commit, selection, and the guards that flags loosened. */
async function provenanceOf(context: CommandContext, flags: PlanFlags, destroy = false): Promise<Provenance> {
  const { at, config, io } = context;
  return {
    commit: at === null ? await headCommit(config.root, io) : at.commit,
    ...(at === null ? {} : { ref: at.ref }),
    ...(flags.offline === true && flags.base !== undefined ? { comparedWith: flags.base } : {}),
    selection: selectionOf(context, flags),
    relaxations: {
      allow: [...new Set(flags.allow ?? [])].sort(),
      maxDeletes: flags.maxDeletes ?? null,
      allowEmpty: flags.allowEmpty === true,
      takeOver: flags.takeOver === true,
      destroy,
    },
  };
}

/** What the flags select. Files are relative to the configuration's root, so that the plan can be moved. */
export function selectionOf({ config }: Pick<CommandContext, "config">, flags: PlanFlags): Selection {
  const fromRoot = (pattern: string): string =>
    relative(config.root, resolve(config.patternBase, pattern)).split(sep).join("/") || ".";
  return {
    only: flags.only ?? null,
    ...(flags.exclude === undefined ? {} : { exclude: flags.exclude }),
    labels: flags.label ?? [],
    files: config.fromFlags ? config.patterns.map(fromRoot) : null,
    prune: flags.prune !== false,
  };
}
