import { judgePlan } from "../../policies/judge-plan.js";
import { plan as make } from "../../plan/make-plan.js";
import { readLiveFor } from "../../live/read-live.js";
import type { ReadClient } from "../../api/client.js";
import { didYouMean, suggest } from "../../diagnostics/suggest.js";
import { listFew } from "../../text/layout.js";
import { EdgewiseError } from "../../core/errors.js";
import { type Impact, isAtLeast } from "../../kinds/impact.js";
import { type Address, addressExample, isAddress, nameOf } from "../../kinds/names.js";
import type { Live } from "../../live/live.js";
import type { Manifest } from "../../manifest/manifest.js";
import type { PlanOptions } from "../../plan/options.js";
import type { Plan, Provenance, UnavailableSecret } from "../../plan/plan-format.js";
import { formerSecrets, sourcePlaces, withoutSecrets } from "../../plan/plan-secrets.js";
import { version } from "../../core/version.js";
import { type CommandContext, requireBaseUrl, requireStack } from "./command-context.js";
import type { PlanFlags } from "./command-options.js";
import { type LoadedAndListing, loadAndList } from "./load-and-list.js";
import { loadDesired } from "./load-desired.js";
import { type Log, during } from "./log.js";
import { type Base, type Planned, loadBase, withOrigins } from "./origins.js";
import { provenanceOf } from "./provenance.js";
import type { SharedReads } from "./shared-account.js";

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
 */
export async function planLive(
  context: CommandContext,
  client: ReadClient,
  flags: PlanFlags,
  request: PlanRequest = {},
): Promise<Planned> {
  const { withheld = [], shared, ...asked } = request;
  const load = asked.destroy === true ? async () => [] : loadDesired;
  const sharedLists = shared?.begin();
  const provenance = async (): Promise<Provenance> => provenanceOf(context, flags, asked.destroy, shared?.heads);
  const [loaded, origin, base] = await Promise.all([
    // First of all: the lists take the longest.
    sharedLists === undefined ? loadAndList(context, flags, client, load) : loadOnly(context, flags, load),
    // A drift report records no more than the commit of `--ref`.
    asked.judged === "drift" && context.at === null ? null : provenance(),
    loadBase(context, flags, asked.judged),
  ]);
  const desired = withheld.length === 0 ? loaded.manifests : withoutSecrets(loaded.manifests, withheld);
  const options = planOptions(context, flags, desired, {
    ...asked,
    ...(origin === null ? {} : { provenance: origin }),
  });
  const input = { ...loaded, desired, options, base, ...(sharedLists === undefined ? {} : { sharedLists }) };
  const made = await makePlan(context, client, input);
  const planned = { ...made, manifests: loaded.manifests, desired, options };
  warnOfMisspeltAllow(made.plan, flags, context.log);
  return { ...planned, plan: await withOrigins(planned, base) };
}

/** A flag whose address is like one that is refused was most likely meant to lift that refusal. */
function warnOfMisspeltAllow({ changes, refusals }: Plan, { allow = [] }: PlanFlags, log: Log): void {
  const refused = refusals.flatMap(({ address }) => address ?? []);
  const known = new Set<string>([...refused, ...changes.map(({ address }) => address)]);
  for (const address of allow) {
    const meant = known.has(address) ? null : didYouMean(address, refused);
    if (meant !== null) log.warning(`--allow ${address} lifts nothing. ${meant}`, { address });
  }
}

/** What nobody is going to apply is neither rehearsed nor judged: drift, and what is planned to verify a run. */
function isOffered({ rehearse }: Pick<Partial<PlanOptions>, "rehearse">): boolean {
  return rehearse !== false;
}

/** The manifests, when the lists are shared with other stacks and have started already. */
async function loadOnly(
  context: CommandContext,
  flags: PlanFlags,
  load: typeof loadDesired,
): Promise<LoadedAndListing> {
  return { manifests: await load(context, flags), listing: undefined };
}

/** What a plan is made from; the lists only when they were started earlier. */
export interface PlanInput extends Partial<Pick<LoadedAndListing, "listing">> {
  readonly desired: readonly Manifest[];
  readonly options: PlanOptions;
  readonly base?: Base | null;
  readonly sharedLists?: ReturnType<SharedReads["begin"]>;
}

/** Lists the live resources and plans; a terminal shows a status line meanwhile. */
export async function makePlan(
  { config, io, status, lockRun, stop }: Pick<CommandContext, "config" | "io" | "status" | "lockRun" | "stop">,
  client: ReadClient,
  { base = null, desired, options, listing, sharedLists }: PlanInput,
): Promise<Pick<Planned, "plan" | "live">> {
  const readAlone = (): Promise<Live> => readLiveFor(client, desired, [], listing);
  const live = await during(
    status,
    "Reading live resources …",
    async () => sharedLists?.liveFor(desired) ?? readAlone(),
  );
  if (base !== null) {
    const places = sourcePlaces(base.manifests);
    for (const text of formerSecrets(places, base.manifests, live, options)) io.redactor.addSecret(text);
  }
  const ownLock = lockRun === undefined ? {} : { lockRun };
  const judged = async (unjudged: Plan): Promise<Plan> => {
    if (config.policies.length === 0) return unjudged;
    return judgePlan(unjudged, config.policies, { allow: options.allow, stop });
  };
  const made = make(desired, live, { ...options, now: io.now(), ...ownLock });
  const plan = isOffered(options) ? await during(status, "Evaluating policies …", async () => judged(made)) : made;
  return { plan, live };
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
    baseUrl: requireBaseUrl(context),
    toolVersion: version,
    moduleEndpoints: config.api.moduleEndpoints,
    prune: flags.prune !== false && !config.fromFlags,
    allow: config.guards.allow,
    configuredAllow: config.guards.allow.filter((address) => !fromFlags.has(address)),
    maxDeletes: config.guards.maxDeletes,
    allowEmpty: flags.allowEmpty === true,
    takeOver: flags.takeOver === true,
    only: selection(flags, manifests, more.again === true),
    destroy: false,
    lookUp: config.fromFlags,
    redact: (text) => context.io.redactor.redact(text),
    ...more,
  };
}

/** The addresses that `--only` and `--label` select, each narrowing the other; null = everything. */
function selection(flags: PlanFlags, manifests: readonly Manifest[], again: boolean): readonly Address[] | null {
  const only = flags.only?.map((named) => addressOfOnly(named, manifests)) ?? null;
  if ((flags.label ?? []).length === 0) return only;
  const among = only === null ? manifests : manifests.filter(({ address }) => only.includes(address));
  const labelled = labelledManifests(flags, among, again || only !== null);
  if (labelled.length > 0 || again) return labelled.map(({ address }) => address);
  throw noneLabelled(flags.label ?? [], "selected ", among);
}

/** @throws EdgewiseError `usage` for a name without its kind */
export function addressOfOnly(named: string, manifests: readonly Manifest[]): Address {
  if (isAddress(named)) return named;
  const known = manifests.map(({ address }) => address);
  const names = known.map(nameOf);
  const near = names.includes(named) ? named : suggest(named, names);
  const meant = known.filter((address) => nameOf(address) === near);
  throw new EdgewiseError("usage", `${JSON.stringify(named)} is not an address`, {
    remedy:
      meant.length > 0
        ? `Did you mean ${listFew(meant, 3)}?`
        : `An address is Kind/name, like ${known[0] ?? addressExample}.`,
  });
}

/**
 * The manifests that have every label of `--label`.
 * @param mayBeNone whether it is no error that none has
 * @throws EdgewiseError `usage` when none has
 */
export function labelledManifests(
  { label = [] }: Pick<PlanFlags, "label">,
  manifests: readonly Manifest[],
  mayBeNone = false,
): readonly Manifest[] {
  const wanted = label.map((each) => each.split(/=(.*)/su));
  const labelled = manifests.filter((manifest) =>
    wanted.every(([name, value]) => name !== undefined && value !== undefined && manifest.labels[name] === value),
  );
  if (labelled.length > 0 || mayBeNone || label.length === 0) return labelled;
  throw noneLabelled(label, "", manifests);
}

function noneLabelled(labels: readonly string[], selected: string, manifests: readonly Manifest[]): EdgewiseError {
  const there = new Set(
    manifests.flatMap(({ labels: own }) => Object.entries(own).map(([name, value]) => `${name}=${value}`)),
  );
  const near = labels.length === 1 ? didYouMean(labels[0] ?? "", [...there]) : null;
  const known = there.size === 0 ? "None has a label" : `The labels there are ${listFew([...there].toSorted(), 6)}`;
  return new EdgewiseError("usage", `no ${selected}manifest has the label ${labels.join(" and ")}`, {
    remedy: near ?? `${known}; they are set in \`metadata.labels\`.`,
  });
}
