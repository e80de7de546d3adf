import { visibleLine } from "../text/visible.js";

/** Where a run reports, in the words of its CI system. */
export interface CiHost {
  /** The format of `plan` and `validate` that the system shows beside the lines of files; null = none. */
  readonly annotations: "github" | null;
  /** The most characters of a comment or an issue. */
  readonly longestText: number;
  /** Appends to the page of the run. */
  summary(markdown: string): Promise<void>;
  /** Writes the change's one comment with this key, or updates it. */
  comment(change: number, key: string, markdown: string): Promise<void>;
  /** Opens or updates the issue with this key; null closes it. */
  issue(key: string, title: string, markdown: string | null): Promise<void>;
  /** Moves the stack's `edge-applied-…` to a commit. */
  recordApplied(slug: string, commit: string): Promise<void>;
  /** Gives a value on one line to the steps that follow. */
  output(name: string, value: string): Promise<void>;
}

/** A host that says what it would do, and contacts nobody. */
export function tellingHost(tell: (text: string) => void): CiHost {
  const say = async (what: string): Promise<void> => tell(`Would ${visibleLine(what)}.\n`);
  return {
    annotations: null,
    longestText: 65_000,
    summary: () => say("write the summary of the run"),
    comment: (change) => say(`comment on change ${change} with the summary`),
    issue: (_key, title, markdown) =>
      say(`${markdown === null ? "close the issue, if there is one" : "open or update the issue"}: ${title}`),
    recordApplied: (slug, commit) => say(`set edge-applied-${slug} to ${commit}`),
    output: (name, value) => say(`output ${name}=${value}`),
  };
}
