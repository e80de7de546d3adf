/** A relative path as a URI reference. */
export function fileUri(path: string): string {
  return path
    .split("/")
    .map((part) => encodeURIComponent(part.replace(/\p{Cs}/gu, "\ufffd")))
    .join("/");
}
