import { spawn } from "node:child_process";
import { dirname } from "node:path";
import { workTreeOf } from "../../files/follow-links.js";
import { realPathOf } from "../../git/find-repository.js";
import { programOnPath } from "../../git/git-program.js";
import type { Io } from "./io.js";
import { gitHost } from "./provenance.js";

/** The size of a terminal, in lines and columns. */
export interface Screen {
  readonly rows: number;
  readonly columns: number;
}

/** What the pager needs of this process. */
export interface PagerHost extends Pick<Io, "env" | "cwd" | "onSignal"> {
  readonly screen: Screen;
}

/**
 * Shows a text that is longer than the screen in the user's pager, as git does, and waits until it ends. Signals of the
 * keyboard are the pager's while it runs.
 * @returns false when the text was not shown: it is short, there is no pager, or the pager failed
 */
export async function page(text: string, host: PagerHost): Promise<boolean> {
  const words = pagerWords(host.env);
  if (words === null || !exceeds(text, host.screen)) return false;
  const [name = "", ...args] = words;
  const found = await programOnPath(name, gitHost(host), await outermostWorkTree(host.cwd));
  return found !== null && show(text, { ...found, args }, host);
}

/**
 * The pager and its arguments, from `EDGEWISE_PAGER`, then `PAGER`, else `less`; null = none. An empty variable and `cat`
 * mean none, and there is none in a pipeline or on a terminal that can't move its cursor.
 */
export function pagerWords(env: Io["env"]): readonly string[] | null {
  const { CI: ci = "", TERM: terminal = "" } = env;
  if ((ci !== "" && ci !== "false") || terminal === "dumb" || terminal === "") return null;
  const words = splitWords(env["EDGEWISE_PAGER"] ?? env["PAGER"] ?? "less");
  return words === null || words.length === 0 || (words.length === 1 && words[0] === "cat") ? null : words;
}

/**
 * The words of a command line: blanks separate them, and quotes and backslashes work as in a shell. Nothing else does,
 * because no shell runs them: `$`, `|` and `~` are ordinary characters.
 * @returns null when a quote is not closed
 */
export function splitWords(line: string): readonly string[] | null {
  const words: string[] = [];
  let word: string | null = null;
  let quote = "";
  for (let index = 0; index < line.length; index += 1) {
    const character = line.charAt(index);
    if (character === quote) quote = "";
    else if (character === "\\" && quote !== "'" && index + 1 < line.length) word = (word ?? "") + line.charAt(++index);
    else if (quote !== "") word = (word ?? "") + character;
    else if (character === "'" || character === '"') [quote, word] = [character, word ?? ""];
    else if (!/\s/.test(character)) word = (word ?? "") + character;
    else if (word !== null) {
      words.push(word);
      word = null;
    }
  }
  if (quote !== "") return null;
  return word === null ? words : [...words, word];
}

/** Whether a text needs more lines than a screen has, with one for the prompt. Colours take no columns. */
export function exceeds(text: string, { rows, columns }: Screen): boolean {
  const lines = text.trimEnd().split("\n");
  let needed = 0;
  for (const line of lines) {
    // eslint-disable-next-line no-control-regex
    needed += Math.max(1, Math.ceil(line.replace(/\u001b\[[0-9;]*m/g, "").length / columns));
    if (needed >= rows) return true;
  }
  return false;
}

/** A pull request may add programs to any repository around the working directory. */
async function outermostWorkTree(cwd: string): Promise<string | null> {
  let outermost: string | null = null;
  for (let at: string | null = await realPathOf(cwd); at !== null;) {
    const top = workTreeOf(at);
    if (top === null) break;
    outermost = top;
    at = dirname(top) === top ? null : dirname(top);
  }
  return outermost;
}

/** The variables that pagers and terminals need. No other is passed on: any may hold a secret that a manifest names. */
const passedOn =
  /^(?:HOME|USER|LOGNAME|TERM|TERMINFO|TERMINFO_DIRS|COLORTERM|NO_COLOR|COLUMNS|LINES|LANG|LANGUAGE|LC_\w+|LESS\w*|LV|MORE|MOST_\w+|BAT_\w+|XDG_\w+|TMPDIR|TEMP|TMP|SYSTEMROOT)$/i;

interface Started {
  readonly program: string;
  readonly path: string;
  readonly args: readonly string[];
}

function show(text: string, { args, path, program }: Started, { cwd, env, onSignal }: PagerHost): Promise<boolean> {
  const passed = Object.entries(env).filter(([name]) => passedOn.test(name));
  const child = spawn(program, args, {
    cwd,
    // F: end when all fits on one screen, R: show colours, X: leave the text on the screen.
    env: { LESS: "FRX", LV: "-c", ...Object.fromEntries(passed), PATH: path },
    stdio: ["pipe", "inherit", "inherit"],
    windowsHide: true,
  });
  // The terminal sends SIGINT to the pager, too, which knows what to do; a SIGTERM is for this process alone.
  const end = onSignal((signal) => void (signal === "SIGTERM" && child.kill(signal)));
  // Whoever ends a pager before the end of the text has read enough.
  child.stdin.on("error", () => undefined);
  child.stdin.end(text);
  return new Promise((resolve) => {
    const ended = (isShown: boolean): void => {
      end();
      resolve(isShown);
    };
    child.once("error", () => ended(false));
    // 1 is what pagers exit with when they don't understand their arguments.
    child.once("close", (exit) => ended(exit !== 1 && exit !== 126 && exit !== 127));
  });
}
