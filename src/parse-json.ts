import { limits } from "./limits.js";

/** The value of a JSON text, or why it can't be read. */
export type ParsedJson = { readonly value: unknown } | { readonly problem: "syntax" | "depth" };

/**
 * Reads JSON that is not nested deeper than the limit, so that code may recurse over the value. JSON.parse itself
 * accepts any depth.
 */
export function parseJson(text: string, deepest: number = limits.depth): ParsedJson {
  if (isTooDeep(text, deepest)) return { problem: "depth" };
  try {
    return { value: JSON.parse(text) };
  } catch {
    return { problem: "syntax" };
  }
}

/** Counts open brackets outside strings. For a text that is not JSON the count may be wrong, which does no harm. */
function isTooDeep(text: string, deepest: number): boolean {
  if (text.length <= deepest) return false;
  let depth = 0;
  let inString = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (inString) {
      if (code === 92) at += 1;
      else if (code === 34) inString = false;
    } else if (code === 34) inString = true;
    else if (code === 91 || code === 123) {
      if (++depth > deepest) return true;
    } else if (code === 93 || code === 125) depth -= 1;
  }
  return false;
}
