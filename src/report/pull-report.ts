import type { Json } from "../core/json.js";
import { count, cut, wrap } from "../core/text.js";
import { guardRunner, visible, visibleLine } from "../core/visible.js";
import { driftLegend } from "./field-view.js";
import { renderFileDiff } from "./line-diff.js";
import { type TextLayout, type TextOptions, bodyIndent, textLayout } from "./report-text.js";
import { formatFlow } from "./values.js";

/** What `pull` did (schemas/pull.schema.json). */
export interface PullReport {
  readonly format: "edgewise.pull/v1";
  readonly stack: string;
  readonly baseUrl: string;
  readonly outcome: "written" | "nothing";
  readonly files: readonly {
    /** Relative to the configuration's directory. */
    readonly path: string;
    /** A unified diff. */
    readonly diff: string;
  }[];
  readonly pulled: readonly {
    readonly address: string;
    readonly id: string;
    readonly source: { readonly file: string; readonly line: number };
    /** `before` is what the manifest said, `after` what is live. */
    readonly fields: readonly { readonly path: string; readonly before: Json; readonly after: Json }[];
  }[];
  readonly left: readonly PullLeft[];
}

/** Something that differs and was left alone. */
export interface PullLeft {
  readonly address: string;
  /** Null when it is about the whole resource. */
  readonly path: string | null;
  /** Null when no manifest describes it. */
  readonly source: { readonly file: string; readonly line: number; readonly column: number } | null;
  readonly message: string;
  readonly remedy: string;
  /** What is live at the path; null for a whole resource, too. */
  readonly live: Json;
}

/** A report for the terminal: what was written, then what was left alone and what to do about it. */
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

/** What `pull` is about to write, and what it will leave alone. */
export function renderPullDifferences({ files, left }: PullReport, options: TextOptions): string {
  const layout = textLayout(options);
  const heading = layout.paint.bold(`${driftLegend}.`);
  const diffs = files.map(({ diff }) => renderFileDiff(diff.replace(/\n$/u, ""), options));
  return guardRunner(`${[heading, ...diffs, ...leftText(left, layout), ""].join("\n")}\n`);
}

function leftText(left: PullReport["left"], { paint, width }: TextLayout): readonly string[] {
  return [
    ...(left.length === 0 ? [] : ["", paint.bold(`Left alone (${left.length})`)]),
    ...left.flatMap(({ address, live, message, path, remedy, source }) => [
      `  ${paint.change("!")} ${paint.bold(visibleLine(address))}  ${paint.dim(visibleLine(source === null ? "" : `${source.file}:${source.line}:${source.column}`))}`,
      ...wrap(
        visibleLine(`${path === null ? "It" : path} ${message}. ${sentence(remedy)}`),
        width,
        bodyIndent,
        bodyIndent,
      ),
      ...(path === null ? [] : liveLines(live).map((line) => bodyIndent + line)),
    ]),
  ];
}

/** What is live, to be copied: a text as it is, on several lines when it has them. */
function liveLines(live: Json): readonly string[] {
  if (typeof live === "string" && live.trimEnd().includes("\n")) {
    const lines = visible(cut(live.trimEnd(), longestLive)).split("\n");
    return ["live:", ...lines.map((line) => `  ${line}`)];
  }
  return [`live: ${visibleLine(cut(typeof live === "string" ? JSON.stringify(live) : formatFlow(live), longestLive))}`];
}

/** More characters than anybody copies from a terminal; JSON has all of them. */
const longestLive = 4000;

function sentence(remedy: string): string {
  const text = remedy.charAt(0).toUpperCase() + remedy.slice(1);
  return /[.!?]$/u.test(text) ? text : `${text}.`;
}
