import type { Json } from "../core/json.js";
import type { Impact } from "../kinds/impact.js";
import type { FieldChange, Origin } from "../plan/plan-format.js";
import { safeSecretLabel } from "../core/secret.js";
import { cut, cutPair } from "../text/layout.js";
import { visibleLine } from "../text/visible.js";
import { type DiffLine, type LineDiff, listDiff } from "./line-diff.js";
import { blockLines, formatFlow, formatScalar, isList, isLongText, isReference, textLines } from "./values.js";

/** How much of a field is shown. */
export interface FieldLimits {
  /** Longest pair of values on one line, in characters. */
  readonly inline: number;
  /** Longest line, in characters. */
  readonly line: number;
  /** Most lines of one field. */
  readonly lines: number;
  /** Whether unchanged lines are kept, folded, where they are, up to a limit; by default they are only counted. */
  readonly folds?: boolean;
}

/** The limits of a web page, which folds what is unchanged and shows every line that changes. */
export const pageLimits: FieldLimits = { inline: 100, line: 20_000, lines: Infinity, folds: true };

/** The limits of comments and of test reports. */
export const commentLimits: FieldLimits = { inline: 100, line: 500, lines: 200 };

/** A field's difference, ready to be laid out: on one line, or in several. All text is safe for one line of plain text. */
export interface FieldView {
  readonly path: string;
  /** Whether the field is added, removed or changed. */
  readonly sign: "+" | "-" | "~";
  /** Null when there is no value; both null when `lines` holds the difference. */
  readonly before: string | null;
  readonly after: string | null;
  readonly lines: readonly DiffLine[] | null;
  /** Words after the value: `known after apply`. */
  readonly tags: readonly string[];
  readonly impact: Impact;
  readonly reason: string | null;
  readonly origin: Origin | null;
}

export function fieldViews(fields: readonly FieldChange[], diff: LineDiff, limits: FieldLimits): readonly FieldView[] {
  return fields.map((field) => fieldView(field, diff, limits));
}

/** The same from the manifest to live, as `pull` writes it: what somebody did. Findings hold it the other way round. */
export function driftViews(fields: readonly FieldChange[], diff: LineDiff, limits: FieldLimits): readonly FieldView[] {
  return fields.map((field) => {
    const shown = fieldView(field, diff, limits);
    // Nothing is applied.
    const view = { ...shown, tags: shown.tags.filter((tag) => tag !== knownAfterApply) };
    const { after, before, lines, sign } = view;
    if (lines !== null) {
      const reversed = { ...field, before: field.after, after: field.before, unknown: false };
      return { ...fieldView(reversed, diff, limits), tags: view.tags };
    }
    const isOneSided = before === null || after === null;
    if (isOneSided && sign === "~") return view;
    return { ...view, before: after, after: before, sign: isOneSided ? (sign === "+" ? "-" : "+") : sign };
  });
}

/** Says which side is which. */
export const driftLegend = "Differences go from the manifest (-) to live (+)";

/** The difference of one field. */
export function fieldView(field: FieldChange, diff: LineDiff, limits: FieldLimits): FieldView {
  const { after, before } = field;
  if (field.sensitive === true) {
    // `(secret) -> (secret)` would look unchanged.
    if (before !== null && after !== null) return viewOf(field, null, `${masked(after) ?? ""} changes`, null);
    return viewOf(field, masked(before), masked(after), null);
  }
  if (field.unknown === true && after === null) {
    return { ...viewOf(field, inline(before, limits), "(known after apply)", null), tags: [] };
  }
  const onOneLine = pairOnOneLine(before, after, limits);
  if (onOneLine !== null) return viewOf(field, onOneLine.before, onOneLine.after, null);
  return viewOf(field, null, null, limited(linesOf(before, after, diff), limits));
}

/** A view of a field with its values. One literal, because a plan has many: copies of objects take longer. */
function viewOf(
  field: FieldChange,
  before: string | null,
  after: string | null,
  lines: readonly DiffLine[] | null,
): FieldView {
  return {
    path: visibleLine(field.path),
    sign: field.before === null ? "+" : field.after === null && field.unknown !== true ? "-" : "~",
    tags: tagsOf(field),
    impact: field.impact,
    reason: field.reason === null ? null : visibleLine(field.reason),
    origin: field.origin ?? null,
    before,
    after,
    lines,
  };
}

const knownAfterApply = "known after apply";

function tagsOf(field: FieldChange): readonly string[] {
  const tags: string[] = [];
  if (field.unknown === true) tags.push(isMissing(field) ? "not available here" : knownAfterApply);
  if (field.origin === "both") tags.push("conflict: changed live too");
  if (field.origin === "unknown") tags.push("rotated or changed live");
  return tags;
}

/** Whether the field is a secret that isn't available. */
function isMissing({ sensitive, unavailable = [] }: FieldChange): boolean {
  return sensitive === true || unavailable.length > 0;
}

function masked(value: Json): string | null {
  return value === null ? null : visibleLine(safeSecretLabel(value));
}

function inline(value: Json, limits: FieldLimits): string | null {
  return value === null ? null : cut(oneLine(value), limits.line);
}

function oneLine(value: Json): string {
  return typeof value === "object" && value !== null ? formatFlow(value) : formatScalar(value);
}

/** Both values as they stand on one line; null when they take more. */
function pairOnOneLine(before: Json, after: Json, limits: FieldLimits): Pick<FieldView, "before" | "after"> | null {
  if (isList(before) && isList(after)) return null;
  const sides = before === null || after === null ? 1 : 2;
  const from = before === null ? "" : fittingLine(before, sides, limits);
  const to = after === null ? "" : fittingLine(after, sides, limits);
  if (from === null || to === null || from.length + to.length > limits.inline) return null;
  if (sides === 1)
    return {
      before: before === null ? null : cut(from, limits.line),
      after: after === null ? null : cut(to, limits.line),
    };
  const [left, right] = cutPair(from, to, limits.line);
  return { before: left, after: right };
}

/** A value on one line; null when it is text of several lines, or an object or a list that has to be shown line by line. */
function fittingLine(value: Json, sides: number, limits: FieldLimits): string | null {
  if (typeof value === "string") return isLongText(value) ? null : oneLine(value);
  if (typeof value !== "object" || value === null || isReference(value)) return oneLine(value);
  // Two objects or lists are compared line by line; one alone may be short enough.
  if (sides > 1) return null;
  const line = oneLine(value);
  return line.length <= limits.inline && !JSON.stringify(value).includes("\\n") ? line : null;
}

/** The difference in lines. */
function linesOf(before: Json, after: Json, diff: LineDiff): readonly DiffLine[] {
  if (isList(before) && isList(after)) return listDiff(before, after, diff);
  return diff(sideLines(before), sideLines(after));
}

function sideLines(value: Json): readonly string[] {
  if (value === null) return [];
  return typeof value === "string" && isLongText(value) ? textLines(value) : blockLines(value);
}

/** Longer unchanged stretches are only counted: nobody unfolds them, and paper would be full of them. In lines. */
const mostFolded = 2000;

function limited(lines: readonly DiffLine[], limits: FieldLimits): readonly DiffLine[] {
  const isWhole = ({ folded, text }: DiffLine): boolean => folded === undefined && text.length <= limits.line;
  if (lines.length <= limits.lines && lines.every(isWhole)) return lines;
  const shown = lines.slice(0, limits.lines).map(({ folded, ...line }, index) => ({
    ...line,
    text: cutLine(line, lines[index - 1], lines[index + 1], limits.line),
    ...(folded === undefined || limits.folds !== true || folded.length > mostFolded
      ? {}
      : {
          folded: folded.map((each) =>
            each.text.length <= limits.line ? each : { ...each, text: cut(each.text, limits.line) },
          ),
        }),
  }));
  const left = lines.length - shown.length;
  return left <= 0 ? shown : [...shown, { mark: "gap", text: `${left} more lines` }];
}

/** Cuts a long line where it differs from its counterpart. */
function cutLine(line: DiffLine, previous: DiffLine | undefined, next: DiffLine | undefined, max: number): string {
  if (line.text.length <= max) return line.text;
  if (line.mark === "-" && next?.mark === "+") return cutPair(line.text, next.text, max)[0];
  if (line.mark === "+" && previous?.mark === "-") return cutPair(previous.text, line.text, max)[1];
  return cut(line.text, max);
}
