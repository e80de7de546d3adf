import type { CiRun } from "../../ci/ci-run.js";
import { EdgewiseError } from "../../core/errors.js";
import { findRepository } from "../../git/find-repository.js";
import { linesOf, runGit } from "../../git/run-git.js";
import { touchedStacks } from "../../stacks/touched-stacks.js";
import { type SelectedStack, type SelectedStacks, findStacks } from "./find-stacks.js";
import type { AllFlags } from "./flags.js";
import type { Io } from "./io.js";
import { gitHost } from "./provenance.js";

type Place = Pick<Io, "cwd" | "env">;

/** The tag of the commit that a stack was applied from last; null = there is none. */
export async function appliedTag(slug: string, io: Place): Promise<string | null> {
  const tag = `refs/tags/edge-applied-${slug}`;
  return (await appliedTags(io)).has(tag) ? tag : null;
}

/**
 * The stacks that an event is about: those that a change touches, those that a push left different from what was applied
 * last, or all.
 */
export async function stacksOfRun(run: CiRun, { changedSince }: AllFlags, io: Place): Promise<SelectedStacks> {
  const base = changedSince ?? run.base ?? undefined;
  const found = await findStacks(base, io);
  return base === undefined && run.event === "push" ? { ...found, stacks: await unapplied(found, io) } : found;
}

/** Compares once for each commit that stacks were applied from. */
async function unapplied({ stacks }: SelectedStacks, io: Place): Promise<readonly SelectedStack[]> {
  const tags = await appliedTags(io);
  const commitOf = ({ slug }: SelectedStack): string | undefined => tags.get(`refs/tags/edge-applied-${slug}`);
  const selected = new Set<string>();
  for (const ref of new Set(stacks.map(commitOf))) {
    const some = stacks.filter((stack) => commitOf(stack) === ref);
    const touched = ref === undefined ? some : await touchedOf(some, ref, io);
    for (const { slug } of touched) selected.add(slug);
  }
  return stacks.filter(({ slug }) => selected.has(slug));
}

async function touchedOf(stacks: readonly SelectedStack[], ref: string, io: Place): Promise<readonly SelectedStack[]> {
  try {
    return (await touchedStacks({ stacks, broken: [] }, { cwd: io.cwd, ref, host: gitHost(io) })).stacks;
  } catch (error) {
    // A commit that can't be compared with says nothing: then every stack is planned.
    if (error instanceof EdgewiseError && error.code === "git") return stacks;
    throw error;
  }
}

/** The tags `edge-applied-…`, and the ids that they name. */
async function appliedTags(io: Place): Promise<ReadonlyMap<string, string>> {
  const repository = await findRepository(io.cwd, gitHost(io));
  const answer = await runGit(repository, [
    "for-each-ref",
    "--format=%(objectname) %(refname)",
    "refs/tags/edge-applied-*",
  ]);
  return new Map(
    linesOf(answer).map((line) => {
      const [id = "", name = ""] = line.split(" ");
      return [name, id];
    }),
  );
}
