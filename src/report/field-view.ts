import { diffArrays } from "diff";
import type { Json } from "../core/json.js";
import { safeSecretLabel } from "../core/secret.js";
import { cut, cutPair } from "../core/text.js";
import { visibleLine } from "../core/visible.js";
import type { FieldChange } from "../plan/plan-format.js";
import type { Direction, ReportItem } from "./report-view.js";
import { formatFlow, formatScalar, isList, isLongText, isReference, yamlLines } from "./values.js";

export type FieldLimits = Readonly<{
  inline: number;
  line: number;
  lines: number;
}>;

export const commentLimits: FieldLimits = { inline: 100, line: 500, lines: 200 };

/** A field's difference, on one line or in several; "" stands for nothing. Texts are safe for one line. */
export type FieldView = Readonly<{
  path: string;
  sign: "+" | "-" | "~";
  before: string;
  after: string;
  lines: readonly DiffLine[] | null;
  tags: readonly string[];
}>;

/** `gap` stands for omitted lines; its text is their number. */
export type DiffLine = Readonly<{
  mark: "+" | "-" | " " | "gap";
  text: string;
}>;

export const driftLegend = "Differences go from the manifest (-) to live (+)";

export function itemFields(
  { direction, fields }: Pick<ReportItem, "direction" | "fields">,
  limits: FieldLimits,
): readonly FieldView[] {
  return fields.map((field) => fieldView(field, limits, direction));
}

export function fieldView(field: FieldChange, limits: FieldLimits, direction: Direction = "apply"): FieldView {
  const [before, after] = direction === "apply" ? [field.before, field.after] : [field.after, field.before];
  const isUnknown = field.unknown === true && direction === "apply";
  const view: FieldView = {
    path: visibleLine(field.path),
    sign: before === null ? "+" : after === null && !isUnknown ? "-" : "~",
    before: "",
    after: "",
    lines: null,
    tags: tagsOf(field, isUnknown),
  };
  if (field.sensitive === true) {
    const masked = (value: Json): string => (value === null ? "" : visibleLine(safeSecretLabel(value)));
    // `(secret) -> (secret)` would look unchanged.
    if (before !== null && after !== null) return { ...view, after: `${masked(field.after)} changes` };
    return { ...view, before: masked(before), after: masked(after) };
  }
  if (isUnknown && after === null)
    return { ...view, before: cut(oneLine(before), limits.line), after: "(known after apply)", tags: [] };
  const pair = pairOnOneLine(before, after, limits);
  return pair === null ? { ...view, lines: limited(linesOf(before, after), limits) } : { ...view, ...pair };
}

function tagsOf({ origin, sensitive, unavailable = [], unknown }: FieldChange, isUnknown: boolean): readonly string[] {
  const isMissing = unknown === true && (sensitive === true || unavailable.length > 0);
  return [
    ...(isMissing ? ["not available here"] : isUnknown ? ["known after apply"] : []),
    ...(origin === "drift" ? ["changed live"] : []),
    ...(origin === "both" ? ["conflict: changed live too"] : []),
    ...(origin === "unknown" ? ["rotated or changed live"] : []),
  ];
}

function oneLine(value: Json): string {
  if (value === null) return "";
  return typeof value === "object" ? formatFlow(value) : formatScalar(value);
}

function pairOnOneLine(before: Json, after: Json, limits: FieldLimits): Pick<FieldView, "before" | "after"> | null {
  const isPair = before !== null && after !== null;
  const fits = (value: Json): boolean => {
    if (typeof value === "string") return !isLongText(value);
    if (typeof value !== "object" || value === null || isReference(value)) return true;
    return !isPair && oneLine(value).length <= limits.inline && !JSON.stringify(value).includes("\\n");
  };
  const [from, to] = [oneLine(before), oneLine(after)];
  if (!fits(before) || !fits(after) || from.length + to.length > limits.inline) return null;
  const [left, right] = isPair ? cutPair(from, to, limits.line) : [cut(from, limits.line), cut(to, limits.line)];
  return { before: left, after: right };
}

function linesOf(before: Json, after: Json): readonly DiffLine[] {
  if (isList(before) && isList(after)) return lineDiff(elementLines(before), elementLines(after));
  return lineDiff(before === null ? [] : yamlLines(before), after === null ? [] : yamlLines(after));
}

const context = 3;

function lineDiff(before: readonly string[], after: readonly string[]): readonly DiffLine[] {
  const parts = diffArrays([...before], [...after], { maxEditLength: 500 });
  if (parts === undefined) return [...marked("-", before), ...marked("+", after)];
  return parts.flatMap(({ added, removed, value }, index) => {
    if (added || removed) return marked(added ? "+" : "-", value);
    const from = index === 0 ? 0 : context;
    const to = value.length - (index === parts.length - 1 ? 0 : context);
    const lines = marked(" ", value);
    if (to - from < 2) return lines;
    return [...lines.slice(0, from), ...marked("gap", [`${to - from} unchanged lines`]), ...lines.slice(to)];
  });
}

function marked(mark: DiffLine["mark"], lines: readonly string[]): readonly DiffLine[] {
  return lines.map((text) => ({ mark, text }));
}

/** Live lists and manifests may have their elements in any order. */
function elementLines(list: readonly Json[]): readonly string[] {
  const isPlain = (value: Json): boolean => typeof value !== "object" || value === null || isReference(value);
  return list.every(isPlain) ? list.map(formatFlow).toSorted() : yamlLines(list);
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
