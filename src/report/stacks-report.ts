import { shellWord } from "../core/shell-word.js";
import { listFew } from "../core/text.js";
import { safeJson, guardRunner, visibleLine } from "../core/visible.js";
import { markdownCode, markdownText } from "./escape.js";

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

/** What became of one stack of `--all`. */
export interface StackReport {
  readonly config: string;
  readonly directory: string | null;
  readonly environment: string | null;
  readonly stack: string | null;
  readonly baseUrl: string | null;
  readonly slug: string | null;
  readonly changed?: readonly string[];
  /** What the command would have exited with for this stack alone. */
  readonly exit: number;
  /** The report in the format that was asked for; null = there was an error. */
  readonly report: string | null;
  readonly error: StackError | null;
}

/** Why there is no report; the place and the remedy of problems are on stderr. */
interface StackError {
  readonly code: string;
  readonly message: string;
  readonly remedy: string | null;
}

/** The formats that reports of several stacks are put together in. */
export const allFormats = ["text", "json", "markdown", "github"] as const;

/** One stack's report below its heading, for people. */
export function allStacksText(stack: StackReport): string {
  const { error, report } = stack;
  const body = report ?? `There is no report: ${visibleLine(error?.message ?? "")}\n`;
  return guardRunner(`== ${stackHeading(stack)} ==\n`) + (report === null ? guardRunner(body) : body);
}

/** The same as Markdown. */
export function allStacksMarkdown(stack: StackReport): string {
  const { config, environment, error, report } = stack;
  const name = environment === null ? "" : `, environment ${markdownCode(environment)}`;
  const body = report ?? `⛔ There is no report: ${markdownText(error?.message ?? "")}\n`;
  return `# ${markdownCode(config)}${name}\n\n${body}`;
}

/** All reports as JSON (schemas/all-stacks.schema.json). */
export function allStacksJson(command: "plan" | "drift", stacks: readonly StackReport[]): string {
  return safeJson({
    format: "edgewise.all/v1",
    command,
    stacks: stacks.map(({ report, ...stack }) => ({
      ...stack,
      [command]: report === null ? null : (JSON.parse(report) as unknown),
    })),
  });
}
