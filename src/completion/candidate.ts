/** A word that is offered. */
export interface Candidate {
  readonly value: string;
  /** On one line; "" = none. */
  readonly description: string;
  /** Whether more will be typed after it, so that no space follows: `edge/`, `team=`, `TLSEdge.` */
  readonly open?: boolean;
  /** Whether it is a flag of the program: nothing else that begins with a dash is offered. */
  readonly flag?: boolean;
}

/**
 * What is offered at the cursor. `files` leaves it to the shell to offer files.
 * `skip`: how many characters of the word at the cursor stand before what is completed, as in `--only=`.
 */
export type Completion =
  | { readonly sort: "nothing" }
  | { readonly sort: "files"; readonly skip: number }
  | { readonly sort: "values"; readonly skip: number; readonly values: readonly Candidate[] };

/** Candidates of names and their descriptions. */
export function candidates(entries: Iterable<readonly [value: string, description: string]>): readonly Candidate[] {
  return Array.from(entries, ([value, description]) => ({ value, description }));
}

/** The first sentence of a text. */
export function firstSentence(text: string): string {
  return /^.*?\.(?=\s|$)/su.exec(text)?.[0].slice(0, -1) ?? text;
}
