import type { ReadClient } from "../../api/client.js";
import { EdgewiseError } from "../../errors.js";
import { type Address, isAddress } from "../../kinds/names.js";
import type { NormalForms } from "../../kinds/normal-form.js";
import type { Live } from "../../live/live.js";
import type { Manifest } from "../../manifest/manifest.js";
import type { PlanOptions } from "../../plan/options.js";
import type { Plan } from "../../plan/plan-format.js";
import { version } from "../../version.js";
import { type CommandContext, requireBaseUrl, requireStack } from "./command-context.js";
import type { PlanningFlags } from "./flags.js";
import type { LoadedAndListing } from "./load-desired.js";
import { during } from "./log.js";

/** A plan and all that it was made from. */
export interface Planned {
  readonly plan: Plan;
  readonly desired: readonly Manifest[];
  readonly live: Live;
  readonly options: PlanOptions;
  readonly normalForms: NormalForms;
}

/**
 * Lists what is live and plans; the one way in which every command comes to a plan. A terminal is told meanwhile.
 * @param ahead the lists and normal forms, when they were begun earlier
 */
export async function makePlanFrom(
  { io, status }: Pick<CommandContext, "io" | "status">,
  client: ReadClient,
  desired: readonly Manifest[],
  options: PlanOptions,
  ahead?: Pick<LoadedAndListing, "listing" | "normalForms">,
): Promise<Planned> {
  const [{ readLiveFor }, { NormalForms }, { plan: make }, { formerSecrets }] = await Promise.all([
    import("../../live/read-live.js"),
    import("../../kinds/normal-form.js"),
    import("../../plan/make-plan.js"),
    import("../../plan/former-secrets.js"),
  ]);
  const live = await during(status, "Reading what is live …", async () =>
    readLiveFor(client, desired, [], ahead?.listing),
  );
  const normalForms = ahead?.normalForms ?? new NormalForms();
  // What is live in the place of a secret is one, and may be repeated elsewhere.
  for (const text of formerSecrets(desired, live, options, normalForms)) io.redactor.addSent(text);
  const plan = make(desired, live, options, normalForms);
  // Hashes can be tried out until they hold a guess.
  const fingerprints = [...plan.preconditions, ...Object.values(plan.secrets)].map(({ fingerprint }) => fingerprint);
  io.redactor.reveal([plan.hash, plan.commit, ...fingerprints]);
  return { plan, desired, live, options, normalForms };
}

/**
 * What the planner is asked, from configuration and flags.
 * @throws EdgewiseError `config` without stack or address; `usage` when a selection selects nothing
 */
export function planOptions(
  context: CommandContext,
  flags: PlanningFlags,
  manifests: readonly Manifest[],
  more: Partial<PlanOptions> = {},
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
    ...more,
  };
}

/** The addresses that `--only` and `--label` select, each narrowing the other; null = everything. */
function selection(flags: PlanningFlags, manifests: readonly Manifest[], again: boolean): readonly Address[] | null {
  const only = flags.only?.filter(isAddress) ?? null;
  const labels = flags.label ?? [];
  if (labels.length === 0) return only;
  const wanted = labels.map((label) => label.split(/=(.*)/su));
  const labelled = manifests
    .filter((manifest) =>
      wanted.every(([name, value]) => name !== undefined && value !== undefined && manifest.labels[name] === value),
    )
    .map(({ address }) => address);
  const selected = only === null ? labelled : labelled.filter((address) => only.includes(address));
  if (selected.length > 0 || again) return selected;
  throw new EdgewiseError(
    "usage",
    `no manifest ${only === null ? "" : "of those named "}has the label ${labels.join(" and ")}`,
    {
      remedy: "Labels stand in a manifest's `metadata.labels`.",
    },
  );
}
