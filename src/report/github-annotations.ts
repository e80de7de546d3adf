import { cut, listFew } from "../core/text.js";
import { visible, visibleLine } from "../core/visible.js";
import type { Diagnostic } from "../diagnostics/diagnostic.js";
import { isAtLeast } from "../kinds/impact.js";
import { type ReportItem, type ReportView, present, worstFirst } from "./report-view.js";

type Annotation = Readonly<{
  level: "notice" | "warning" | "error";
  title: string;
  message: string;
  source: Readonly<{ file: string; line: number; column?: number }> | null;
}>;

/** Worst first: runners show only some of each level. */
export function renderGithub(view: ReportView, pathPrefix = ""): string {
  const { from, headline, name, refusals, stack, warnings } = view;
  const items = worstFirst(view.sections.flatMap((section) => section.items));
  const sources = new Map(items.map(({ address, source }) => [address, source]));
  const sourceOf = (address = ""): Annotation["source"] => sources.get(address) ?? null;
  const annotations: readonly Annotation[] = [
    ...refusals.map(({ address, code, message, remedy }) => ({
      level: "error" as const,
      title: titleOf(`refused: ${code}`, address),
      message: `${message}\n${remedy}`,
      source: sourceOf(address),
    })),
    ...items.map((item) => itemAnnotation(name, item)),
    ...warnings.map(({ address, code, message }) => ({
      level: "warning" as const,
      title: titleOf(code, address),
      message,
      source: sourceOf(address),
    })),
  ];
  const none: Annotation = { level: "notice", title: `edgewise ${name}`, message: headline.sentence, source: null };
  return annotationLines(annotations.length > 0 ? annotations : [none], pathPrefix, from, stack);
}

export function renderDiagnosticsGithub(diagnostics: readonly Diagnostic[], pathPrefix = "", from = ""): string {
  const annotations = diagnostics.map(
    ({ address, code, column, file, line, message, remedy, severity }): Annotation => ({
      level: severity,
      title: titleOf(code, address),
      message: remedy === null ? message : `${message}\n${remedy}`,
      source: { file, line, column },
    }),
  );
  return annotationLines(annotations, pathPrefix, from);
}

export function renderErrorGithub(title: string, message: string): string {
  return annotationLines([{ level: "error", title, message, source: null }]);
}

function itemAnnotation(name: ReportView["name"], item: ReportItem): Annotation {
  const { address, fields, group, notes, sentence, source } = item;
  const title = `${name === "drift" ? "drift: " : ""}${group} ${address}`;
  // A finding's sentence names the fields.
  const what =
    sentence ||
    listFew(
      fields.map(({ path }) => path),
      10,
    );
  const message = present([what, ...notes]).join("\n") || title;
  return { level: levelOf(name, item), title, message, source };
}

function levelOf(name: ReportView["name"], { group, impact }: ReportItem): Annotation["level"] {
  const isGrave = isAtLeast(impact, "security");
  if (name === "plan") return isGrave ? "warning" : "notice";
  if (group === "pending" || group === "tolerated") return "notice";
  if (isGrave) return "error";
  const isMild = !isAtLeast(impact, "routing") && (group === "modified" || group === "unmanaged");
  return isMild ? "notice" : "warning";
}

function titleOf(code: string, address: string | null = null): string {
  return address === null ? code : `${code} ${address}`;
}

/** GitHub refuses more than 255 characters, counted when escaped. */
const longestTitle = 200;

function annotationLines(annotations: readonly Annotation[], pathPrefix = "", from = "", stack?: string): string {
  const ending = from && `\n${from}`;
  const ofStack = stack === undefined ? "" : ` (stack ${cut(stack, longestTitle / 4)})`;
  return annotations
    .map(({ level, title, message, source }) => {
      const properties = [
        ...(source === null ? [] : [`file=${escapeProperty(pathPrefix + source.file)}`, `line=${source.line}`]),
        ...(source?.column === undefined ? [] : [`col=${source.column}`]),
        `title=${escapeProperty(cut(title, longestTitle - ofStack.length) + (source === null ? ofStack : ""))}`,
      ];
      return `::${level} ${properties.join(",")}::${escapeMessage(visible(cut(message, 4000) + ending))}\n`;
    })
    .join("");
}

function escapeProperty(text: string): string {
  return escapeMessage(visibleLine(text)).replaceAll(":", "%3A").replaceAll(",", "%2C");
}

function escapeMessage(text: string): string {
  return text
    .replaceAll("%", "%25")
    .replaceAll("\r", "%0D")
    .replaceAll("\n", "%0A")
    .replaceAll(/#(?=#\w{0,64}\[)/gu, "\\u0023");
}
