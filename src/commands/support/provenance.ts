import { relative, resolve, sep } from "node:path";
import type { GitHost } from "../../git/git-program.js";
import type { Provenance, Selection } from "../../plan/plan-format.js";
import type { CommandContext } from "./command-context.js";
import type { PlanFlags } from "./flags.js";
import type { Io } from "./io.js";

/** How a plan was made, as it records it: commit, selection, and the guards that flags loosened. */
export async function provenanceOf(context: CommandContext, flags: PlanFlags, destroy = false): Promise<Provenance> {
  const { headCommit } = await import("../../git/resolve-commit.js");
  const { at, config, io } = context;
  return {
    commit: at === null ? await headCommit(config.root, gitHost(io)) : at.commit,
    ...(at === null ? {} : { ref: at.ref }),
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
    labels: flags.label ?? [],
    files: config.fromFlags ? config.patterns.map(fromRoot) : null,
    prune: flags.prune !== false,
  };
}

/** What running git needs to know of this process. */
export function gitHost(io: Pick<Io, "env">): GitHost {
  return { env: io.env, platform: process.platform, uid: process.geteuid?.() ?? null };
}
