/** What a run of a CI system says about itself. */
export interface CiRun {
  /** `none` = no CI system that is known here. */
  readonly system: "github" | "gitlab" | "none";
  readonly event: "change" | "push" | "merge-queue" | "manual" | "schedule" | "comment";
  /** What a change is compared with, as Git names it; null where nothing is. */
  readonly base: string | null;
  readonly head: string | null;
  /** The number of the pull request or merge request; null elsewhere. */
  readonly change: number | null;
  /** Whether the change comes from another repository, whose authors must not get a key. */
  readonly isFork: boolean;
  readonly defaultBranch: string | null;
  /** Whether it runs for the tip of the default branch, which is what is applied. */
  readonly isDefaultBranch: boolean;
  readonly runUrl: string | null;
  readonly asked: Asked;
  /** Where the names `edge-applied-SLUG` are in a clone. */
  readonly appliedRefs: "refs/tags/" | "refs/remotes/origin/";
  /** What reports to the system are sent with. */
  readonly token: string | null;
}

/** What a person asked for who started the run. */
export interface Asked {
  /** Stacks; none = all that the run is about. */
  readonly slugs: readonly string[];
  /** The commit to roll back to. */
  readonly ref: string | null;
  readonly allow: readonly string[];
  readonly maxDeletes: string | null;
}

export type Env = { readonly [name: string]: string | undefined };

export const nothingAsked: Asked = { slugs: [], ref: null, allow: [], maxDeletes: null };

/** A run outside of CI systems. */
export const runOutside: CiRun = {
  system: "none",
  event: "manual",
  base: null,
  head: null,
  change: null,
  isFork: false,
  defaultBranch: null,
  isDefaultBranch: false,
  runUrl: null,
  asked: nothingAsked,
  appliedRefs: "refs/tags/",
  token: null,
};
