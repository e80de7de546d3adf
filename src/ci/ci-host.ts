import { visibleLine } from "../core/visible.js";

export type Env = { readonly [name: string]: string | undefined };

export interface CiRun {
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
  readonly token: string | null;
}

interface Asked {
  readonly slugs: readonly string[];
  readonly ref: string | null;
  readonly allow: readonly string[];
  readonly maxDeletes: string | null;
}

/** @param input what was typed for a name */
export function askedOf(input: (name: "stack" | "ref" | "allow" | "max-deletes") => string | null): Asked {
  const words = (text: string | null): readonly string[] => text?.split(/\s+/u).filter((word) => word !== "") ?? [];
  const text = (name: "ref" | "max-deletes"): string | null => input(name)?.trim() || null;
  return {
    slugs: words(input("stack")),
    ref: text("ref"),
    allow: words(input("allow")),
    maxDeletes: text("max-deletes"),
  };
}

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
  asked: { slugs: [], ref: null, allow: [], maxDeletes: null },
  appliedRefs: "refs/tags/",
  token: null,
};

export interface CiHost {
  summary(markdown: string): Promise<void>;
  comment(change: number, key: string, markdown: string): Promise<void>;
  /** Opens or updates the issue with this key; null closes it. */
  issue(key: string, title: string, markdown: string | null): Promise<void>;
  /** Moves the stack's `edge-applied-…` to a commit. */
  recordApplied(slug: string, commit: string): Promise<void>;
  /** Gives values to the steps that follow: `approved` is the hash of what was planned, empty when nothing changes. */
  handOn(values: { readonly [name: string]: string }): Promise<void>;
}

/** The most characters of a comment or an issue: GitHub refuses more than 65,536. */
export const longestText = 65_000;

/** The label of the issues about drift. */
export const driftLabel = "edgewise-drift";

export function tellingHost(tell: (text: string) => void): CiHost {
  const say = async (what: string): Promise<void> => tell(`Would ${visibleLine(what)}.\n`);
  return {
    summary: () => say("write the summary of the run"),
    comment: (change) => say(`comment on change ${change} with the summary`),
    issue: (_key, title, markdown) =>
      say(`${markdown === null ? "close the issue, if there is one" : "open or update the issue"}: ${title}`),
    recordApplied: (slug, commit) => say(`set edge-applied-${slug} to ${commit}`),
    handOn(values) {
      const shown = Object.entries(values).map(([name, value]) => `${name}=${value}`);
      return say(`hand on ${shown.join(", ")}`);
    },
  };
}
