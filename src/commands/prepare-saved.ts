import type { Client } from "../api/client.js";
import { EdgewiseError } from "../errors.js";
import { kindOf, type Address } from "../kinds/names.js";
import type { Live } from "../live/live.js";
import type { Manifest } from "../manifest/manifest.js";
import { checkStale } from "../plan/check-stale.js";
import type { PlanOptions } from "../plan/options.js";
import type { Plan, Refusal } from "../plan/plan.js";
import { ownerOf } from "../plan/secret-sources.js";
import { requireBaseUrl, type Context } from "./context.js";
import { loadDesired } from "./load-desired.js";
import type { ApplyFlags } from "./plan-flags.js";
import { planOptions } from "./plan-options.js";
import { planAgain, type Prepared } from "./prepared.js";
import { readLiveFor } from "../live/read-live-for.js";

/**
 * Makes a saved plan ready: it must be for this stack and service, still hold, and its secrets' manifests must be as
 * they were. What speaks against it is added to its refusals (`stale-plan`).
 * @throws EdgewiseError `plan-file` when it is for something else
 */
export async function prepareSaved(
  saved: Plan,
  context: Context,
  flags: ApplyFlags,
  client: Client,
): Promise<Prepared> {
  const manifests = await loadDesired(context, flags);
  const options = planOptions({ ...context, config: { ...context.config, stack: saved.stack } }, flags, manifests);
  const list = (): Promise<Live> =>
    readLiveFor(
      client,
      manifests,
      saved.changes.map(({ address }) => kindOf(address)),
    );
  const live = await list();
  const { desired, only, complete } = covered(saved, manifests);
  // References to what the plan doesn't cover are found among what is live; nothing else is looked at.
  const narrow: PlanOptions = { ...options, only, lookUp: true, prune: true, destroy: desired.length === 0 };
  const stale: Refusal[] = [...checkStale(saved, live, options), ...changedManifests(saved, manifests)];
  // Preconditions hold no secrets. Where nothing but secrets is written, planning again tells whether that was done.
  if (stale.length === 0 && complete && onlySecrets(saved)) {
    const { changes } = await planAgain(desired, live, narrow);
    if (changes.length === 0) stale.push(alreadyDone);
  }
  return {
    plan: stale.length === 0 ? saved : { ...saved, refusals: [...saved.refusals, ...stale] },
    manifests,
    options,
    list,
    replan: complete ? async () => planAgain(desired, await list(), narrow) : null,
  };
}

const alreadyDone: Refusal = {
  code: "stale-plan",
  message: "all that the plan does has been done since it was made",
  remedy: "Nothing: there is nothing left to do.",
};

/** Whether every operation sends a secret that the manifests still give in the same way. */
function onlySecrets({ operations }: Plan): boolean {
  const sendsSecret = ({ bind }: Plan["operations"][number]): boolean =>
    Object.values(bind).some((binding) => "secret" in binding);
  return operations.length > 0 && operations.every(sendsSecret);
}

/** @throws EdgewiseError `plan-file` when the plan was made for another stack or service than the configuration's */
export function refuseForeign(saved: Plan, context: Context): void {
  const { stack } = context.config;
  const baseUrl = requireBaseUrl(context).replace(/\/$/u, "");
  if (stack !== null && stack !== saved.stack) throw foreign("stack", saved.stack, stack);
  if (baseUrl !== saved.baseUrl.replace(/\/$/u, "")) throw foreign("address", saved.baseUrl, baseUrl);
}

function foreign(what: string, its: string, ours: string): EdgewiseError {
  return new EdgewiseError("plan-file", `the plan is for the ${what} ${its}, and the configuration says ${ours}`, {
    remedy: "Apply it with the configuration and environment that it was made with.",
    exit: 4,
  });
}

/** The manifests that the plan is about (`complete`: all are at hand), and every address that it changes. */
function covered(
  saved: Plan,
  manifests: readonly Manifest[],
): { readonly desired: readonly Manifest[]; readonly only: readonly Address[]; readonly complete: boolean } {
  const kept = new Set(
    saved.changes.filter(({ action }) => action !== "delete" && action !== "orphan").map(({ address }) => address),
  );
  const desired = manifests.filter(({ address }) => kept.has(address));
  return {
    desired,
    only: [...new Set(saved.changes.map(({ address }) => address))],
    complete: desired.length === kept.size,
  };
}

/** Secrets are taken from the manifests as they are now: they must be the ones that were planned from. */
function changedManifests(saved: Plan, manifests: readonly Manifest[]): readonly Refusal[] {
  const byAddress = new Map(manifests.map((manifest) => [manifest.address as string, manifest]));
  const refusals: Refusal[] = [];
  for (const [reference, { file, fingerprint }] of Object.entries(saved.secrets)) {
    const manifest = byAddress.get(ownerOf(reference));
    if (manifest !== undefined && manifest.fingerprint === fingerprint) continue;
    const what = manifest === undefined ? "is gone" : "has changed";
    refusals.push({
      code: "stale-plan",
      ...(manifest === undefined ? {} : { address: manifest.address }),
      message: `the manifest in ${file} ${what} since the plan was made, and its secret must be sent`,
      remedy: "Plan again.",
    });
  }
  return refusals;
}
