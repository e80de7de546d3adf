import { shellWord } from "../core/shell-word.js";
import { listFew } from "../text/layout.js";
import { visibleLine } from "../text/visible.js";

/** What a list of stacks shows of one. */
interface ListedStack {
  readonly config: string;
  readonly environment: string | null;
  readonly stack: string | null;
  /** The files that changed, if changes were asked for. */
  readonly changed?: readonly string[];
}

/** Up to this many changed files are named in text. */
const fewFiles = 5;

/** How a stack is called, on one line: `edge/edgewise.yaml, environment staging`. */
export function stackHeading({ config, environment }: Pick<ListedStack, "config" | "environment">): string {
  return visibleLine(environment === null ? config : `${config}, environment ${environment}`);
}

/** The flags that select a stack: `-c edge/edgewise.yaml -e staging`. */
export function stackFlags({ config, environment }: Pick<ListedStack, "config" | "environment">): string {
  return `-c ${shellWord(config)}${environment === null ? "" : ` -e ${environment}`}`;
}

/** Stacks for people: a line for each, with the flags that select it, and its changed files below. */
export function renderStacksText(stacks: readonly ListedStack[]): string {
  const names = stacks.map(({ stack }) => visibleLine(stack ?? "(no name)"));
  const width = Math.max(0, ...names.map((name) => name.length));
  return stacks
    .map((each, index) => {
      const line = `${(names[index] ?? "").padEnd(width)}  ${visibleLine(stackFlags(each))}\n`;
      return each.changed === undefined ? line : `${line}  changed: ${visibleLine(listFew(each.changed, fewFiles))}\n`;
    })
    .join("");
}
