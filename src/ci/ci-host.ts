import { visibleLine } from "../text/visible.js";

/** Where a run reports, in the words of its CI system. */
export interface CiHost {
  /** Appends to the page of the run. */
  summary(markdown: string): Promise<void>;
  /** Writes the change's one comment with this key, or updates it. */
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

/** A host that says what it would do, and contacts nobody. */
export function tellingHost(tell: (text: string) => void): CiHost {
  const say = async (what: string): Promise<void> => tell(`Would ${visibleLine(what)}.\n`);
  return {
    summary: () => say("write the summary of the run"),
    comment: (change) => say(`comment on change ${change} with the summary`),
    issue: (_key, title, markdown) =>
      say(`${markdown === null ? "close the issue, if there is one" : "open or update the issue"}: ${title}`),
    recordApplied: (slug, commit) => say(`set edge-applied-${slug} to ${commit}`),
    handOn: async (values) => {
      for (const [name, value] of Object.entries(values)) await say(`hand on ${name}=${value}`);
    },
  };
}
