import type { CiRun } from "../../ci/ci-host.js";
import { EdgewiseError } from "../../core/errors.js";
import { findRepository } from "../../git/find-repository.js";
import { resolveCommit } from "../../git/resolve-commit.js";
import { linesOf, runGit } from "../../git/run-git.js";
import { touchedStacks } from "../../stacks/touched-stacks.js";
import { checkOrigins } from "./all-flags.js";
import type { CiContext } from "./ci-context.js";
import { type SelectedStack, type SelectedStacks, findStacks, warnOfRemoved } from "./find-stacks.js";
import type { Io } from "./io.js";

type Place = Pick<Io, "cwd" | "env">;

/**
 * The stacks that a run is about: those that were asked for; those that a change touches; those that a push left different
 * from what was applied last; or all.
 */
export async function selectStacks(context: CiContext): Promise<SelectedStacks> {
  const { flags, io, log, run } = context;
  const base = flags.changedSince ?? run.base ?? undefined;
  const found = await findStacks(base, io);
  checkOrigins([...found.all, ...found.removed], flags, io);
  warnOfRemoved(found, log);
  const slugs = flags.slug === undefined ? run.asked.slugs : [flags.slug];
  const unknown = slugs.find((slug) => found.all.every((each) => each.slug !== slug));
  if (unknown !== undefined) {
    throw new EdgewiseError("usage", `there is no stack ${JSON.stringify(unknown)}`, {
      remedy: "`edgewise stacks -o json` lists the slug of each.",
    });
  }
  if (slugs.length > 0) return { ...found, stacks: found.all.filter(({ slug }) => slugs.includes(slug)) };
  const compares = base === undefined && run.event === "push";
  const stacks = compares ? await unapplied(found.stacks, run, io) : found.stacks;
  if (stacks.length + found.broken.length + found.removed.length === 0) log.info("This touches no stack.");
  return { ...found, stacks };
}

/** The stacks that differ from what was applied, whichever commit is the older one. Compares once for each commit. */
async function unapplied(stacks: readonly SelectedStack[], run: CiRun, io: Place): Promise<readonly SelectedStack[]> {
  const applied = await appliedCommits(run, io);
  const selected = new Set<string>();
  for (const commit of new Set(stacks.map(({ slug }) => applied.get(slug)))) {
    const some = stacks.filter(({ slug }) => applied.get(slug) === commit);
    const touched = commit === undefined ? some : await touchedSince(commit, some, io);
    for (const { slug } of touched) selected.add(slug);
  }
  return stacks.filter(({ slug }) => selected.has(slug));
}

async function touchedSince(
  ref: string,
  stacks: readonly SelectedStack[],
  io: Place,
): Promise<readonly SelectedStack[]> {
  try {
    const options = { cwd: io.cwd, ref, host: io, direct: true };
    return (await touchedStacks({ stacks, broken: [] }, options)).stacks;
  } catch (error) {
    // A commit that can't be compared with says nothing: then every stack is planned.
    if (error instanceof EdgewiseError && error.code === "git") return stacks;
    throw error;
  }
}

/** The commits that stacks were applied from last, by slug. */
export async function appliedCommits({ appliedRefs }: CiRun, io: Place): Promise<ReadonlyMap<string, string>> {
  const repository = await findRepository(io.cwd, io);
  const start = `${appliedRefs}edge-applied-`;
  const answer = await runGit(repository, ["for-each-ref", "--format=%(objectname) %(refname)", `${start}*`]);
  return new Map(
    linesOf(answer).map((line) => {
      const [id = "", name = ""] = line.split(" ");
      return [name.slice(start.length), id];
    }),
  );
}

/** Whether one commit, or what Git names like that, is part of another's history. */
export async function isPartOf(commit: string, of: string, io: Place): Promise<boolean> {
  const repository = await findRepository(io.cwd, io);
  const ids = [await resolveCommit(repository, commit), await resolveCommit(repository, of)];
  return (await runGit(repository, ["merge-base", "--is-ancestor", ...ids])).ok;
}

/** The full id of the commit that Git names like this. @throws EdgewiseError `git` */
export async function commitOf(ref: string, io: Place): Promise<string> {
  return resolveCommit(await findRepository(io.cwd, io), ref);
}

/** @throws EdgewiseError `refused` unless a commit to roll back to, and what runs, are part of the default branch */
export async function refuseUnmerged(commit: string, run: CiRun, io: Place): Promise<void> {
  const main = run.defaultBranch === null ? "HEAD" : `refs/remotes/origin/${run.defaultBranch}`;
  for (const each of ["HEAD", commit]) {
    if (await isPartOf(each, main, io)) continue;
    const what = each === "HEAD" ? "what is checked out" : `commit ${commit.slice(0, 12)}`;
    throw new EdgewiseError("refused", `${what} is not part of the default branch, so nothing is rolled back to it`, {
      remedy: "Run this on the default branch, and name a commit that was merged.",
      exit: 4,
    });
  }
}
