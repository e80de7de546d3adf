import { EdgewiseError } from "../errors.js";
import { isAddress, type Address } from "../kinds/names.js";
import type { Manifest } from "../manifest/manifest.js";
import type { PlanOptions } from "../plan/options.js";
import { version } from "../version.js";
import { requireBaseUrl, requireStack, type CommandContext } from "./context.js";
import type { PlanningFlags } from "./plan-flags.js";

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
