import { relative, resolve, sep } from "node:path";
import type { ReadClient } from "../../api/client.js";
import { EdgewiseError, misuse } from "../../core/errors.js";
import { listFew } from "../../core/text.js";
import { version } from "../../core/version.js";
import { findRepository } from "../../git/find-repository.js";
import { GitCommit } from "../../git/git-commit.js";
import { headCommit, resolveBase } from "../../git/resolve-commit.js";
import type { Address } from "../../kinds/names.js";
import type { Live } from "../../live/live.js";
import { type Listing, readLiveFor, startListing } from "../../live/read-live.js";
import { loadManifests } from "../../manifest/load-manifests.js";
import type { Manifest } from "../../manifest/manifest.js";
import { annotateOrigins } from "../../plan/annotate-origins.js";
import { plan as make } from "../../plan/make-plan.js";
import { modelledLive, withoutIds } from "../../plan/modelled-live.js";
import type { PlanOptions } from "../../plan/plan-context.js";
import type { Plan, Provenance, Selection, UnavailableSecret } from "../../plan/plan-format.js";
import { formerSecrets, sourcePlaces, withoutSecrets } from "../../plan/plan-secrets.js";
import { judgePlan } from "../../policies/judge-plan.js";
import {
  type CommandContext,
  loadContext,
  loadDesired,
  loadOptions,
  requireBaseUrl,
  requireStack,
  sourceAt,
} from "./command-context.js";
import { type CommandIo, during } from "./command-io.js";
import type { Flags } from "./command-options.js";
import { withReadClient } from "./connect.js";

type PlanContext = CommandContext;

export type Planned = Readonly<{
  plan: Plan;
  manifests: readonly Manifest[];
  /** Without withheld secrets. */
  desired: readonly Manifest[];
  live: Live;
  options: PlanOptions;
  /** Secrets that a saved plan was made without; null = it is new. */
  withheld: readonly UnavailableSecret[] | null;
}>;

interface PlanRequest
  extends
    Pick<Partial<PlanOptions>, "again" | "destroy" | "judged" | "prune" | "rehearse">,
    Partial<Pick<Planned, "withheld">> {}

export const everything = { destroy: true, prune: true } as const;

export async function planOnly(
  flags: Flags,
  io: CommandIo,
  request?: PlanRequest,
): Promise<Planned & { readonly context: CommandContext }> {
  const context = await loadContext(flags, io, flags.offline);
  const planned = await (flags.offline === true
    ? planLive(context, null, request)
    : withReadClient(context, async (client, list) => planLive(context, client, request, list)));
  return { ...planned, context };
}

/** Without a client, the base's manifests, run through the model, stand for live. */
export async function planLive(
  context: PlanContext,
  client: ReadClient | null,
  { withheld = null, ...asked }: PlanRequest = {},
  list: (client: ReadClient) => Listing = startListing,
): Promise<Planned> {
  // The lists take the longest. Without a stack nothing is planned, and mistakes in manifests come first.
  const listing = client === null || context.config.stack === null ? undefined : list(client);
  const isDrift = asked.judged === "drift";
  const [manifests, provenance, base] = await Promise.all([
    asked.destroy ? [] : loadDesired(context),
    isDrift && context.at === null ? null : provenanceOf(context, asked.destroy),
    loadBase(context, isDrift),
  ]);
  const loaded = withoutSecrets(manifests, withheld ?? []);
  const desired = client === null ? withoutIds(loaded) : loaded;
  const options = planOptions(context, desired, { ...asked, ...(provenance !== null && { provenance }) });
  const live = await during(context.io, "Reading live resources …", async () => {
    if (client !== null) {
      const read = await readLiveFor(client, desired, [], listing);
      // Today's manifests may no longer name the secrets that the base names.
      const former = base === null ? [] : formerSecrets(sourcePlaces(base.manifests), base.manifests, read, options);
      for (const text of former) context.io.redactor.addSecret(text);
      return read;
    }
    if (base === null) throw new EdgewiseError("manifests", "the manifests of the base can't be used");
    return modelledLive(base.manifests, desired, { ...options, stack: base.stack ?? options.stack });
  });
  const planned = { manifests, desired, live, options, withheld };
  const plan = await judgedPlan(context, desired, live, options);
  if (base === null) return { ...planned, plan };
  const { commit, manifests: atBase, stack, unusable } = base;
  const then = { ...options, stack: stack ?? options.stack, only: null, lookUp: true, rehearse: false };
  try {
    const whole = make(atBase, live, then);
    return { ...planned, plan: annotateOrigins(plan, whole, { base: commit, now: desired, atBase }) };
  } catch (error) {
    unusable(error);
    return { ...planned, plan };
  }
}

export async function planAgain(
  context: PlanContext,
  client: ReadClient,
  { desired, options }: Pick<Planned, "desired" | "options">,
): Promise<Plan> {
  const live = await during(context.io, "Reading live resources …", async () => readLiveFor(client, desired));
  return judgedPlan(context, desired, live, options);
}

async function judgedPlan(
  { config, io, stop }: PlanContext,
  desired: readonly Manifest[],
  live: Live,
  options: PlanOptions,
): Promise<Plan> {
  const plan = make(desired, live, { ...options, now: io.now() });
  // Nobody applies it: a drift report, or a plan that verifies a run.
  if (options.rehearse === false || config.policies.length === 0) return plan;
  const judge = async () => judgePlan(plan, config.policies, { allow: options.allow, stop });
  return during(io, "Evaluating policies …", judge);
}

type Base = Readonly<{
  commit: string;
  manifests: readonly Manifest[];
  stack: string | null;
  unusable: (error: unknown) => null;
}>;

/** What is invalid there is only a warning, so that a branch can mend it. */
async function loadBase(context: PlanContext, isDrift: boolean): Promise<Base | null> {
  const { at, config, flags, io } = context;
  const { base: ref } = flags;
  if (ref === undefined) return null;
  const repository = await findRepository(config.root, io);
  const { commit, isMergeBase } = await resolveBase(repository, ref, { direct: isDrift, from: at?.commit ?? null });
  const unusable = (error: unknown) => {
    if (!(error instanceof EdgewiseError) || error.code === "git") throw error;
    const which = `the manifests of the ${isMergeBase ? "merge base" : "commit"} ${commit.slice(0, 12)} can't be used`;
    const then = isDrift ? "what is not yet applied counts as drift" : "the plan doesn't show who changed what";
    io.log.warning(`${which}, so ${then}: ${error.message}`);
    return null;
  };
  try {
    const input = { cwd: io.cwd, env: io.env, flags, offline: flags.offline === true };
    const source = await sourceAt(new GitCommit(repository, commit), config.file, input);
    if (source === null) return { commit, manifests: [], stack: null, unusable };
    const lenient = { allowInlineSecrets: true, apiKeyFile: null, complete: false, deep: false };
    const options = loadOptions({ ...context, config: source.config }, source.tree);
    const { manifests, diagnostics } = await loadManifests({ ...options, ...lenient });
    // A pattern's files may be new.
    const first = diagnostics.find(({ severity, code }) => severity === "error" && code !== "pattern-no-match");
    if (first !== undefined) throw new EdgewiseError("manifests", `${first.file}:${first.line}: ${first.message}`);
    return { commit, manifests, stack: source.config.stack, unusable };
  } catch (error) {
    return unusable(error);
  }
}

function planOptions(context: PlanContext, manifests: readonly Manifest[], more: Partial<PlanOptions>): PlanOptions {
  const { config, flags, io } = context;
  return {
    stack: requireStack(context),
    previousStacks: config.previousStacks,
    baseUrl: flags.offline ? (config.api.baseUrl ?? "offline") : requireBaseUrl(context),
    toolVersion: version,
    moduleEndpoints: config.api.moduleEndpoints,
    prune: flags.prune !== false && !config.fromFlags,
    allow: config.guards.allow,
    configuredAllow: config.guards.allow.filter((address) => flags.allow?.includes(address) !== true),
    maxDeletes: config.guards.maxDeletes,
    allowEmpty: flags.allowEmpty === true,
    takeOver: flags.takeOver === true,
    only: selectedAddresses(flags, manifests, more.again === true),
    ...(flags.exclude !== undefined && { exclude: flags.exclude }),
    destroy: false,
    lookUp: config.fromFlags,
    redact: (text) => io.redactor.redact(text),
    ...(context.lockRun !== undefined && { lockRun: context.lockRun }),
    ...more,
  };
}

async function provenanceOf({ at, config, flags, io }: PlanContext, destroy = false): Promise<Provenance> {
  return {
    commit: at === null ? await headCommit(config.root, io) : at.commit,
    ...(at !== null && { ref: at.ref }),
    ...(flags.offline && flags.base !== undefined ? { comparedWith: flags.base } : {}),
    selection: selectionOf({ config, flags }),
    relaxations: {
      allow: [...new Set(flags.allow ?? [])].sort(),
      maxDeletes: flags.maxDeletes ?? null,
      allowEmpty: flags.allowEmpty === true,
      takeOver: flags.takeOver === true,
      destroy,
    },
  };
}

/** Files are relative to the configuration's root, so that the plan can be moved. */
export function selectionOf({ config, flags }: Pick<PlanContext, "config" | "flags">): Selection {
  const fromRoot = (pattern: string): string =>
    relative(config.root, resolve(config.patternBase, pattern)).split(sep).join("/") || ".";
  return {
    only: flags.only ?? null,
    ...(flags.exclude !== undefined && { exclude: flags.exclude }),
    labels: flags.label ?? [],
    files: config.fromFlags ? config.patterns.map(fromRoot) : null,
    prune: flags.prune !== false,
  };
}

/** `again`: manifests that a saved plan selected may be gone. */
function selectedAddresses(
  { label = [], only: named }: Flags,
  manifests: readonly Manifest[],
  again: boolean,
): readonly Address[] | null {
  const only = named ?? null;
  if (label.length === 0) return only;
  const among = only === null ? manifests : manifests.filter(({ address }) => only.includes(address));
  const labelsOf = ({ labels }: Manifest): readonly string[] =>
    Object.entries(labels).map(([name, value]) => `${name}=${value}`);
  const labelled = among.filter((manifest) => label.every((wanted) => labelsOf(manifest).includes(wanted)));
  if (labelled.length > 0 || again) return labelled.map(({ address }) => address);
  const known = listFew([...new Set(among.flatMap(labelsOf))].toSorted(), 6);
  throw misuse(`no manifest has the label ${label.join(" and ")}`, `The labels there are: ${known || "none"}.`);
}
