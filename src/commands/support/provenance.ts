import { workTreeOf } from "../../files/real-path.js";
import { realPathOf } from "../../git/find-repository.js";
import { headCommit } from "../../git/resolve-commit.js";
import { relative, resolve, sep } from "node:path";
import type { GitHost } from "../../git/git-program.js";
import type { Provenance, Selection } from "../../plan/plan-format.js";
import type { CommandContext } from "./command-context.js";
import type { PlanFlags } from "./command-options.js";
import type { Io } from "./io.js";

/** The commits that are checked out. Each work tree is asked once: that starts a process, and a repository has many stacks. */
export class KnownHeads {
  readonly #heads = new Map<string, Promise<string | null>>();

  /** The full id of the commit that is checked out where a directory is; null without Git or a usable repository. */
  async at(directory: string, host: GitHost): Promise<string | null> {
    const top = workTreeOf(await realPathOf(directory));
    if (top === null) return null;
    const head = this.#heads.get(top) ?? headCommit(top, host);
    this.#heads.set(top, head);
    return head;
  }
}

/**
 * How a plan was made, as it records it: commit, selection, and the guards that flags loosened.
 * @param heads what is known of them from other stacks of this run
 */
export async function provenanceOf(
  context: CommandContext,
  flags: PlanFlags,
  destroy = false,
  heads?: KnownHeads,
): Promise<Provenance> {
  const { at, config, io } = context;
  const head = async (): Promise<string | null> => {
    if (heads !== undefined) return heads.at(config.root, gitHost(io));
    return headCommit(config.root, gitHost(io));
  };
  return {
    commit: at === null ? await head() : at.commit,
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
  return { env: io.env, platform: process.platform };
}
