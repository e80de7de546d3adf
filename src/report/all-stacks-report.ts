import { safeJson } from "../text/safe-json.js";
import { guardRunner, visibleLine } from "../text/visible.js";
import { markdownCode, markdownText } from "./escape.js";
import { stackHeading } from "./stacks-text.js";

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
    stacks: stacks.map(({ error, report, ...stack }) => ({
      ...stack,
      error,
      [command]: report === null ? null : parsed(report),
    })),
  });
}

function parsed(report: string): unknown {
  return JSON.parse(report);
}
