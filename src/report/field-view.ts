import type { Json } from "../core/json.js";
import type { Impact } from "../kinds/impact.js";
import type { FieldChange } from "../plan/plan-format.js";
import { safeSecretLabel } from "../core/secret.js";
import { cut, cutPair } from "../core/text.js";
import { visibleLine } from "../core/visible.js";
import { type DiffLine, lineDiff, listDiff } from "./line-diff.js";
import { formatFlow, formatScalar, isList, isLongText, isReference, yamlLines } from "./values.js";

export interface FieldLimits {
  /** Longest pair of values on one line, in characters. */
  readonly inline: number;
  /** Longest line, in characters. */
  readonly line: number;
  /** Most lines of one field. */
  readonly lines: number;
}

export const commentLimits: FieldLimits = { inline: 100, line: 500, lines: 200 };

/** A field's difference, ready to be laid out: on one line, or in several. All text is safe for one line of plain text. */
export interface FieldView {
  readonly path: string;
  readonly sign: "+" | "-" | "~";
  /** Null when there is no value; both null when `lines` holds the difference. */
  readonly before: string | null;
  readonly after: string | null;
  readonly lines: readonly DiffLine[] | null;
  /** Words after the value: `known after apply`. */
  readonly tags: readonly string[];
  readonly impact: Impact;
  readonly reason: string | null;
}

/** Which way differences go: as an apply changes live; or from the manifest to live, as somebody changed it. */
export type Direction = "apply" | "drift";

export const driftLegend = "Differences go from the manifest (-) to live (+)";

export function itemFields(
  { direction, fields }: { readonly direction: Direction; readonly fields: readonly FieldChange[] },
  limits: FieldLimits,
): readonly FieldView[] {
  return fields.map((field) => fieldView(field, limits, direction));
}

export function fieldView(field: FieldChange, limits: FieldLimits, direction: Direction = "apply"): FieldView {
  const [before, after] = direction === "apply" ? [field.before, field.after] : [field.after, field.before];
  const isUnknown = field.unknown === true && direction === "apply";
  const view = {
    path: visibleLine(field.path),
    sign: before === null ? "+" : after === null && !isUnknown ? "-" : "~",
    before: null,
    after: null,
    lines: null,
    tags: tagsOf(field, isUnknown),
    impact: field.impact,
    reason: field.reason === null ? null : visibleLine(field.reason),
  } as const;
  if (field.sensitive === true) {
    // `(secret) -> (secret)` would look unchanged.
    if (before !== null && after !== null) return { ...view, after: `${masked(field.after) ?? ""} changes` };
    return { ...view, before: masked(before), after: masked(after) };
  }
  if (isUnknown && after === null) {
    const known = before === null ? null : cut(oneLine(before), limits.line);
    return { ...view, before: known, after: "(known after apply)", tags: [] };
  }
  const pair = pairOnOneLine(before, after, limits);
  return pair === null ? { ...view, lines: limited(linesOf(before, after), limits) } : { ...view, ...pair };
}

function tagsOf({ origin, sensitive, unavailable = [], unknown }: FieldChange, isUnknown: boolean): readonly string[] {
  const isMissing = unknown === true && (sensitive === true || unavailable.length > 0);
  return [
    ...(isMissing ? ["not available here"] : isUnknown ? ["known after apply"] : []),
    ...(origin === "both" ? ["conflict: changed live too"] : []),
    ...(origin === "unknown" ? ["rotated or changed live"] : []),
  ];
}

function masked(value: Json): string | null {
  return value === null ? null : visibleLine(safeSecretLabel(value));
}

function oneLine(value: Json): string {
  return typeof value === "object" && value !== null ? formatFlow(value) : formatScalar(value);
}

function pairOnOneLine(before: Json, after: Json, limits: FieldLimits): Pick<FieldView, "before" | "after"> | null {
  if (isList(before) && isList(after)) return null;
  const isPair = before !== null && after !== null;
  const from = before === null ? "" : fittingLine(before, isPair, limits);
  const to = after === null ? "" : fittingLine(after, isPair, limits);
  if (from === null || to === null || from.length + to.length > limits.inline) return null;
  const [left, right] = isPair ? cutPair(from, to, limits.line) : [cut(from, limits.line), cut(to, limits.line)];
  return { before: before === null ? null : left, after: after === null ? null : right };
}

/** A value on one line; null when it is text of several lines, or an object or a list that has to be shown line by line. */
function fittingLine(value: Json, isPair: boolean, limits: FieldLimits): string | null {
  if (typeof value === "string") return isLongText(value) ? null : oneLine(value);
  if (typeof value !== "object" || value === null || isReference(value)) return oneLine(value);
  // Two objects or lists are compared line by line; one alone may be short enough.
  if (isPair) return null;
  const line = oneLine(value);
  return line.length <= limits.inline && !JSON.stringify(value).includes("\\n") ? line : null;
}

function linesOf(before: Json, after: Json): readonly DiffLine[] {
  if (isList(before) && isList(after)) return listDiff(before, after);
  return lineDiff(before === null ? [] : yamlLines(before), after === null ? [] : yamlLines(after));
}

function limited(lines: readonly DiffLine[], limits: FieldLimits): readonly DiffLine[] {
  const shown = lines.slice(0, limits.lines).map((line, index): DiffLine => {
    return { ...line, text: cutLine(line, lines[index - 1], lines[index + 1], limits.line) };
  });
  const left = lines.length - shown.length;
  return left <= 0 ? shown : [...shown, { mark: "gap", text: `${left} more lines` }];
}

function cutLine(line: DiffLine, previous: DiffLine | undefined, next: DiffLine | undefined, max: number): string {
  if (line.mark === "-" && next?.mark === "+") return cutPair(line.text, next.text, max)[0];
  if (line.mark === "+" && previous?.mark === "-") return cutPair(previous.text, line.text, max)[1];
  return cut(line.text, max);
}
