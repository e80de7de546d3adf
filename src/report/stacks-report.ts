import type { Impact } from "../kinds/impact.js";
import { listFew, shellWord } from "../core/text.js";
import { guardRunner, visibleLine } from "../core/visible.js";
import { alignColumns } from "./styles.js";
import { markdownCode, markdownText } from "./escape.js";

type ListedStack = Readonly<{
  config: string;
  environment: string | null;
  stack: string | null;
  changed?: readonly string[];
}>;

export function stackHeading({ config, environment }: Pick<ListedStack, "config" | "environment">): string {
  return visibleLine(environment === null ? config : `${config}, environment ${environment}`);
}

export function stackFlags({ config, environment }: Pick<ListedStack, "config" | "environment">): string {
  return `-c ${shellWord(config)}${environment === null ? "" : ` -e ${environment}`}`;
}

export function renderStacksText(stacks: readonly ListedStack[]): string {
  const rows = stacks.map((each) => [each.stack ?? "(no name)", stackFlags(each)].map(visibleLine));
  const lines = alignColumns(rows);
  const texts = stacks.map(({ changed }, at) => {
    const files = changed === undefined ? "" : `  changed: ${visibleLine(listFew(changed, 5))}\n`;
    return `${lines[at] ?? ""}\n${files}`;
  });
  return texts.join("");
}

interface StackEnd extends Pick<ListedStack, "config" | "environment"> {
  readonly error: Readonly<{ code: string; message: string }> | null;
}

export type StackSummary = Readonly<{
  counts: string;
  impact: Impact;
}>;

export function stacksTable(
  rows: readonly (StackEnd & Pick<ListedStack, "stack"> & { readonly summary: StackSummary | null })[],
  format: string | undefined,
): string {
  const cells = [
    ["stack", "configuration", "counts", "worst impact"],
    ...rows.map(({ error, summary, ...stack }) => [
      stack.stack ?? "-",
      stackHeading(stack),
      summary?.counts ?? (error === null ? "-" : `error: ${error.code}`),
      summary?.impact ?? "-",
    ]),
  ].map((row) => row.map(visibleLine));
  if (format !== "markdown") {
    return guardRunner(`${alignColumns(cells).join("\n")}\n`);
  }
  const lines = cells.map((row) => `| ${row.map(markdownText).join(" | ")} |\n`);
  return `**All stacks**\n\n${lines[0] ?? ""}|---|---|---|---|\n${lines.slice(1).join("")}`;
}

export const allFormats = ["text", "json", "markdown", "github"] as const;

export function allStacksText(stack: StackEnd, report: string | null): string {
  const none = `There is no report: ${visibleLine(stack.error?.message ?? "")}\n`;
  return guardRunner(`== ${stackHeading(stack)} ==\n`) + (report ?? guardRunner(none));
}

export function allStacksMarkdown({ config, environment, error }: StackEnd, report: string | null): string {
  const name = environment === null ? "" : `, environment ${markdownCode(environment)}`;
  const body = report ?? `⛔ There is no report: ${markdownText(error?.message ?? "")}\n`;
  return `# ${markdownCode(config)}${name}\n\n${body}`;
}
