/** A path or URL without the slashes at its end. */
export function withoutSlashes(text: string): string {
  let end = text.length;
  while (text.charAt(end - 1) === "/") end -= 1;
  return text.slice(0, end);
}
