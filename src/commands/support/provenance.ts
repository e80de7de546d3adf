import { basename, relative, resolve, sep } from "node:path";
import { EdgewiseError } from "../../errors.js";
import type { GitHost } from "../../git/git-program.js";
import type { FileTree } from "../../manifest/file-tree.js";
import type { Manifest } from "../../manifest/manifest.js";
import type { Plan, Provenance, Selection } from "../../plan/plan-format.js";
import type { CommandContext } from "./command-context.js";
import type { PlanningFlags } from "./flags.js";
import type { Io } from "./io.js";
import type { Planned } from "./planning.js";

/** How a plan comes about, recorded in it: commit, selection, and the guards that flags loosened. */
export async function provenanceOf(
  context: CommandContext,
  flags: PlanningFlags,
  destroy = false,
): Promise<Provenance> {
  const { headCommit } = await import("../../git/resolve-commit.js");
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

/**
 * With `--base`: the plan with the origin of every field change, told from the manifests of the merge base. It annotates and changes no operation. Configuration and files are read at that commit too.
 * When they can't be used there, that is a warning: a branch must be able to mend them.
 * @throws EdgewiseError `git` when there is no such commit
 */
export async function withOrigins(planned: Planned, context: CommandContext, flags: PlanningFlags): Promise<Plan> {
  if (flags.base === undefined) return planned.plan;
  const { config, io, log } = context;
  const [{ findRepository }, { resolveBase }, { gitTree }, { plan }, { annotateOrigins }, { formerSecrets }] =
    await Promise.all([
      import("../../git/find-repository.js"),
      import("../../git/resolve-commit.js"),
      import("../../git/git-tree.js"),
      import("../../plan/make-plan.js"),
      import("../../plan/annotate-origins.js"),
      import("../../plan/former-secrets.js"),
    ]);
  const repository = await findRepository(config.root, gitHost(io));
  const { mergeBase } = await resolveBase(repository, flags.base);
  const tree = await gitTree(repository, mergeBase, config.root);
  const short = mergeBase.slice(0, 12);
  try {
    const before = await manifestsAt(tree, context, flags);
    for (const text of formerSecrets(before, planned.live, planned.options, planned.normalForms)) io.redactor.add(text);
    const options = { ...planned.options, only: null, lookUp: true, rehearse: false };
    const atBase = plan(before, planned.live, options, planned.normalForms);
    return annotateOrigins(planned.plan, atBase, { base: mergeBase, now: planned.desired, atBase: before });
  } catch (error) {
    if (!(error instanceof EdgewiseError) || error.code === "git") throw error;
    log.warning(
      `the manifests of the merge base ${short} can't be used, so nothing tells who changed what: ${error.message}`,
    );
    return planned.plan;
  }
}

/** The manifests of a commit, as its own configuration names them. */
async function manifestsAt(
  tree: FileTree,
  context: CommandContext,
  flags: PlanningFlags,
): Promise<readonly Manifest[]> {
  const { config, io } = context;
  const [{ loadConfig }, { loadManifests }, { shownValues }] = await Promise.all([
    import("../../config/load-config.js"),
    import("../../manifest/load-manifests.js"),
    import("./shown-values.js"),
  ]);
  let then = config;
  if (config.file !== null) {
    const name = relative(config.root, config.file).split(sep).join("/") || basename(config.file);
    if ((await tree.stat(name)) !== "file") return [];
    const text = new TextDecoder().decode(await tree.read(name));
    then = await loadConfig({ cwd: io.cwd, env: io.env, flags, text });
  }
  const { manifests, diagnostics } = await loadManifests({
    tree,
    patterns: then.patterns,
    patternBase: then.patternBase,
    variables: then.variables,
    untyped: then.untyped,
    env: io.env,
    adopt: then.adopt,
    stack: then.stack,
    allowInlineSecrets: true,
    apiKeyFile: null,
    complete: false,
    deep: false,
    secrecy: io.redactor,
  });
  io.redactor.show(() => shownValues(manifests));
  // A pattern that matched nothing then is no matter: its files are new.
  const [first] = diagnostics.filter(({ severity, code }) => severity === "error" && code !== "pattern-no-match");
  if (first !== undefined) throw new EdgewiseError("manifests", `${first.file}:${first.line}: ${first.message}`);
  return manifests;
}

/** What git's use depends on, of this process. */
function gitHost(io: Pick<Io, "env">): GitHost {
  return { env: io.env, platform: process.platform, uid: process.geteuid?.() ?? null };
}
