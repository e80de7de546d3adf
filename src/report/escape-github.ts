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
    ...(source === null ? [] : [`file=${property(pathPrefix + source.file)}`, `line=${property(String(source.line))}`]),
    ...(source?.column === undefined ? [] : [`col=${property(String(source.column))}`]),
    `title=${property(annotation.title)}`,
  ];
  return `::${annotation.level} ${properties.join(",")}::${data(visible(annotation.message))}`;
}

function property(text: string): string {
  return data(visibleLine(text)).replace(/:/g, "%3A").replace(/,/g, "%2C");
}

function data(text: string): string {
  return text
    .replace(/%/g, "%25")
    .replace(/\r/g, "%0D")
    .replace(/\n/g, "%0A")
    .replace(/#(?=#\w{0,64}\[)/g, "%23");
}
