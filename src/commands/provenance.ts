import { relative, resolve, sep } from "node:path";
import type { Provenance, Selection } from "../plan/plan-format.js";
import type { CommandContext } from "./context.js";
import { gitHost } from "./git-host.js";
import type { PlanningFlags } from "./plan-flags.js";

/** How a plan comes about, recorded in it: commit, selection, and the guards that flags loosened. */
export async function provenanceOf(
  context: CommandContext,
  flags: PlanningFlags,
  destroy = false,
): Promise<Provenance> {
  const { headCommit } = await import("../git/resolve-commit.js");
  const { config, io } = context;
  return {
    commit: await headCommit(config.root, gitHost(io)),
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

/** What flags select. Files are told relative to the configuration's root, so that the plan can be moved. */
export function selectionOf({ config }: Pick<CommandContext, "config">, flags: PlanningFlags): Selection {
  const fromRoot = (pattern: string): string =>
    relative(config.root, resolve(config.patternBase, pattern)).split(sep).join("/") || ".";
  return {
    only: flags.only ?? null,
    labels: flags.label ?? [],
    files: config.fromFlags ? config.patterns.map(fromRoot) : null,
    prune: flags.prune !== false,
  };
}
