import { limits } from "./limits.js";

/** What a text holds, or why it is not used. */
export type ParsedJson = { readonly value: unknown } | { readonly problem: "syntax" | "depth" };

/**
 * Reads JSON that is not nested deeper than the limit: whoever walks over the value may recurse.
 * JSON.parse itself takes any depth.
 */
export function parseJson(text: string, deepest: number = limits.depth): ParsedJson {
  if (isTooDeep(text, deepest)) return { problem: "depth" };
  try {
    return { value: JSON.parse(text) };
  } catch {
    return { problem: "syntax" };
  }
}

/** Counts open brackets outside of strings; of a text that is not JSON it may count wrong, which does no harm. */
function isTooDeep(text: string, deepest: number): boolean {
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
