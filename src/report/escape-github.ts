import { visible, visibleLine } from "./escape.js";

export type AnnotationLevel = "notice" | "warning" | "error";

/** One annotation of a workflow run, on a line of a file when there is one. */
export interface Annotation {
  readonly level: AnnotationLevel;
  readonly title: string;
  readonly message: string;
  readonly source: { readonly file: string; readonly line: number; readonly column?: number } | null;
}

/** An annotation as the one line that a workflow runner reads; nothing in it can begin another command. */
export function annotationLine(annotation: Annotation, pathPrefix: string): string {
  const { source } = annotation;
  const properties = [
    ...(source === null
      ? []
      : [`file=${escapeProperty(pathPrefix + source.file)}`, `line=${escapeProperty(String(source.line))}`]),
    ...(source?.column === undefined ? [] : [`col=${escapeProperty(String(source.column))}`]),
    `title=${escapeProperty(annotation.title)}`,
  ];
  return `::${annotation.level} ${properties.join(",")}::${escapeMessage(visible(annotation.message))}`;
}

function escapeProperty(text: string): string {
  return escapeMessage(visibleLine(text)).replace(/:/g, "%3A").replace(/,/g, "%2C");
}

function escapeMessage(text: string): string {
  return text
    .replace(/%/g, "%25")
    .replace(/\r/g, "%0D")
    .replace(/\n/g, "%0A")
    .replace(/#(?=#\w{0,64}\[)/g, "%23");
}
