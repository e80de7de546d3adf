import { basename } from "node:path";

/** The word at the cursor. */
export interface CurrentWord {
  /** Without quotes and backslashes. */
  readonly text: string;
  /** The quote that is still open. */
  readonly quote: "" | "'" | '"';
  /** Whether the shell will replace a part of it, like `$HOME` or `~`: then only the shell knows what it means. */
  readonly expands: boolean;
}

/** A line up to the cursor. */
export interface SplitLine {
  /** The words before the one at the cursor, without quotes and backslashes. */
  readonly words: readonly string[];
  readonly current: CurrentWord;
  /** Whether the word at the cursor is the file of a redirection. */
  readonly redirects: boolean;
}

/**
 * Splits a line as bash would, up to the cursor. Nothing is expanded or evaluated.
 * @param line one command, as bash gives it
 */
export function splitLine(line: string): SplitLine {
  const words: string[] = [];
  let state = newWord();
  let isWord = false;
  let redirects = false;
  for (let at = 0; at < line.length; at++) {
    const character = line.charAt(at);
    if (state.quote === "" && /[\s<>]/u.test(character)) {
      if (isWord && !redirects) words.push(state.text);
      if (isWord) redirects = false;
      if (/[<>]/u.test(character)) redirects = true;
      state = newWord();
      isWord = false;
    } else {
      at = readCharacter(line, at, state);
      isWord = true;
    }
  }
  return { words, current: finished(state), redirects };
}

/** A single word with its quotes, as the shell's line has it. */
export function unquoted(word: string): CurrentWord {
  const state = newWord();
  for (let at = 0; at < word.length; at++) at = readCharacter(word, at, state);
  return finished(state);
}

interface WordState {
  text: string;
  quote: CurrentWord["quote"];
  expands: boolean;
}

function newWord(): WordState {
  return { text: "", quote: "", expands: false };
}

function finished({ text, quote, expands }: WordState): CurrentWord {
  return { text, quote, expands };
}

/** @returns the offset of the last character that was read */
function readCharacter(line: string, at: number, state: WordState): number {
  const character = line.charAt(at);
  const { quote } = state;
  if (character === quote) state.quote = "";
  else if (quote === "" && (character === "'" || character === '"')) state.quote = character;
  else if (character === "\\" && quote !== "'" && (quote === "" || /["\\$`]/u.test(line.charAt(at + 1)))) {
    state.text += line.charAt(at + 1);
    return at + 1;
  } else {
    if (quote !== "'" && /[$`]/u.test(character)) state.expands = true;
    if (quote === "" && character === "~" && state.text === "") state.expands = true;
    if (quote === "" && /[*?[{]/u.test(character)) state.expands = true;
    state.text += character;
  }
  return at;
}

/**
 * A word with the home directory in place of `~`, `$HOME` or `${HOME}` at its beginning: before the cursor these stand as
 * they were typed, and `-c ~/infra/edgewise.yaml` decides what is offered later. Other variables are left as they are.
 */
export function atHome(word: string, home: string | undefined): string {
  const before = /^((?:--[a-z-]+=|-[a-zA-Z])?)(?:~|\$HOME|\$\{HOME\})(?=\/|$)/u.exec(word);
  if (before === null || home === undefined || home === "") return word;
  return `${before[1] ?? ""}${home}${word.slice(before[0].length)}`;
}

/** Programs that run edgewise: `node .edgewise/edgewise.mjs plan`, `npx edgewise plan`. */
const launchers = new Set(["node", "nodejs", "npx", "npm", "pnpm", "yarn", "bunx"]);

/**
 * The words after the program's name; null when these are not words of edgewise. The first word may be an alias of any
 * name.
 */
export function ownWords(words: readonly string[]): readonly string[] | null {
  const [program] = words;
  if (program === undefined) return null;
  if (!launchers.has(basename(program))) return words.slice(1);
  const at = words.findIndex((word) => /^edgewise(\.m?js)?$/u.test(basename(word)));
  return at === -1 ? null : words.slice(at + 1);
}
