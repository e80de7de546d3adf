import type { Json } from "../core/json.js";
import { count, wrap } from "../core/text.js";
import { guardRunner, visibleLine } from "../core/visible.js";
import { driftLegend } from "./field-view.js";
import { renderFileDiff } from "./file-diff.js";
import { type TextLayout, type TextOptions, bodyIndent, textLayout } from "./report-text.js";
import { yamlLines } from "./values.js";

export type PullReport = Readonly<{
  format: "edgewise.pull/v1";
  stack: string;
  baseUrl: string;
  outcome: "written" | "nothing";
  files: readonly Readonly<{
    /** Relative to the configuration's directory. */
    path: string;
    diff: string;
  }>[];
  pulled: readonly Readonly<{
    address: string;
    id: string;
    source: Readonly<{ file: string; line: number }>;
    /** `before` is what the manifest said, `after` what is live. */
    fields: readonly Readonly<{ path: string; before: Json; after: Json }>[];
  }>[];
  left: readonly PullLeft[];
}>;

export type PullLeft = Readonly<{
  address: string;
  /** Null when it is about the whole resource. */
  path: string | null;
  /** Null when no manifest describes it. */
  source: Readonly<{ file: string; line: number; column: number }> | null;
  message: string;
  remedy: string;
  live: Json;
}>;

export function renderPullText(
  { baseUrl, files, left, outcome, pulled, stack }: PullReport,
  options: TextOptions,
): string {
  const layout = textLayout(options);
  const { paint } = layout;
  const fields = pulled.reduce((sum, one) => sum + one.fields.length, 0);
  const headline =
    outcome === "nothing"
      ? "Nothing to pull."
      : `Pulled ${count(fields, "field")} of ${count(pulled.length, "resource")} into ${count(files.length, "file")}.`;
  const lines = [
    paint.bold(headline),
    paint.dim(`Stack ${visibleLine(stack)} at ${visibleLine(baseUrl)}`),
    ...pulled.flatMap(({ address, fields: each, source: { file } }) => [
      `  ${paint.change("~")} ${paint.bold(visibleLine(address))}  ${paint.dim(visibleLine(file))}`,
      ...each.map(({ path }) => bodyIndent + visibleLine(path)),
    ]),
    ...leftText(left, layout),
  ];
  return guardRunner(`${lines.join("\n")}\n`);
}

export function renderPullDifferences({ files, left }: PullReport, options: TextOptions): string {
  const layout = textLayout(options);
  const heading = layout.paint.bold(`${driftLegend}.`);
  const diffs = files.map(({ diff }) => renderFileDiff(diff.replace(/\n$/u, ""), options));
  return guardRunner(`${[heading, ...diffs, ...leftText(left, layout), ""].join("\n")}\n`);
}

function leftText(left: PullReport["left"], { paint, width }: TextLayout): readonly string[] {
  return [
    ...(left.length === 0 ? [] : ["", paint.bold(`Left alone (${left.length})`)]),
    ...left.flatMap(({ address, live, message, path, remedy, source }) => {
      const place = source === null ? "" : visibleLine(`${source.file}:${source.line}:${source.column}`);
      const text = visibleLine(`${path ?? "It"} ${message}. ${sentence(remedy)}`);
      return [
        `  ${paint.change("!")} ${paint.bold(visibleLine(address))}  ${paint.dim(place)}`,
        ...wrap(text, width, bodyIndent, bodyIndent),
        ...(path === null ? [] : liveLines(live).map((line) => bodyIndent + line)),
      ];
    }),
  ];
}

function liveLines(live: Json): readonly string[] {
  const lines = yamlLines(live);
  return lines.length === 1 ? [`live: ${lines.join("")}`] : ["live:", ...lines.map((line) => `  ${line}`)];
}

function sentence(remedy: string): string {
  const text = remedy.charAt(0).toUpperCase() + remedy.slice(1);
  return /[.!?]$/u.test(text) ? text : `${text}.`;
}
