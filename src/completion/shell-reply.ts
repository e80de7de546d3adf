import { cut } from "../text/layout.js";
import { visibleLine } from "../text/visible.js";
import type { Candidate, Completion } from "./candidate.js";
import { type CurrentWord, unquoted } from "./shell-words.js";

/** More words are nothing that somebody wants to choose from, and zsh takes longer than a second for 10,000. */
const mostValues = 2000;

/** A longer value is nothing that somebody wants to choose, in characters. */
const longestValue = 500;

/** Longer descriptions are cut, in characters. */
const longestDescription = 80;

/** What bash knows of the word at the cursor. */
export interface BashWord {
  readonly current: CurrentWord;
  /** What bash will replace: the end of the word, after the last character of `COMP_WORDBREAKS`. */
  readonly replaced: string;
}

/**
 * What bash's script reads: what to do when there is nothing to offer (`files` or `nothing`), then a line for each word
 * as it will stand on the command line, quoted, with a space after it when it is finished.
 */
export function bashReply(completion: Completion, { current, replaced }: BashWord): string {
  if (completion.sort !== "values") return `${completion.sort}\n`;
  const typed = current.text;
  const tail = unquoted(current.quote + replaced).text;
  // Bash leaves what is before its last break where it is.
  const kept = typed.endsWith(tail) ? typed.length - tail.length : 0;
  const { skip, values } = completion;
  const before = typed.slice(skip);
  const fitting = values.filter(({ value }) => value.startsWith(before));
  const lines = offered(fitting, before).flatMap(({ open, value }) => {
    const word = bashQuoted((typed.slice(0, skip) + value).slice(kept), current.quote, open === true);
    return word === null ? [] : [open === true || current.quote !== "" ? word : `${word} `];
  });
  return ["nothing", ...lines, ""].join("\n");
}

/**
 * A text as it stands after what bash keeps, null when it can't stand in the quote that is open. In quotes, not with
 * backslashes: bash inserts what several words have in common, which must not end with one.
 */
function bashQuoted(text: string, quote: CurrentWord["quote"], open: boolean): string | null {
  if (quote === "'") return text.includes("'") ? null : text;
  if (quote === '"') return /["$`\\!]/u.test(text) ? null : text;
  if (/^[\w./@%+=:,\p{L}\p{N}-]*$/u.test(text)) return text;
  const quoted = text.replaceAll("'", "'\\''");
  return open ? `'${quoted}` : `'${quoted}'`;
}

/**
 * What zsh's script reads: what to do (`files`, `nothing`, `values`) and how many characters of the word to leave alone,
 * then a line for each value: `+` or, when it is not finished, `-`, the value, a tab, its description. zsh quotes it.
 */
export function zshReply(completion: Completion, current: CurrentWord): string {
  if (completion.sort === "nothing") return "nothing 0\n";
  if (completion.sort === "files") return `files ${completion.skip}\n`;
  const lines = offered(completion.values, current.text.slice(completion.skip)).map(
    ({ description, open, value }) => `${open === true ? "-" : "+"}${value}\t${shortened(description)}`,
  );
  return [`values ${completion.skip}`, ...lines, ""].join("\n");
}

/**
 * What fish's script reads: `files`, `nothing` or `values`, then a line for each word: the word, a tab, its description.
 * fish quotes it, and puts no space after a word that ends with `/`, `=` or `.`.
 */
export function fishReply(completion: Completion, current: CurrentWord): string {
  if (completion.sort !== "values") return `${completion.sort}\n`;
  const before = current.text.slice(0, completion.skip);
  const lines = offered(completion.values, current.text.slice(completion.skip)).map(
    ({ description, value }) => `${before}${value}\t${shortened(description)}`,
  );
  return ["values", ...lines, ""].join("\n");
}

/**
 * Leaves out what must not be offered, because somebody else may have written it: a value with characters that a terminal
 * acts upon or nobody can see, and one that the program would take for a flag. zsh and fish choose what fits by rules of
 * their own, so of too many values those come first that begin with what is typed.
 */
function offered(values: readonly Candidate[], typed: string): readonly Candidate[] {
  const isOffered = ({ flag, value }: Candidate): boolean =>
    value !== "" && value.length <= longestValue && visibleLine(value) === value && (flag ?? !value.startsWith("-"));
  const all = values.filter(isOffered);
  if (all.length <= mostValues) return all;
  const begins = ({ value }: Candidate): boolean => value.toLowerCase().startsWith(typed.toLowerCase());
  return [...all.filter(begins), ...all.filter((each) => !begins(each))].slice(0, mostValues);
}

function shortened(description: string): string {
  return visibleLine(cut(description, longestDescription)).replace(/ \(\d+ more characters\)$/u, "");
}
