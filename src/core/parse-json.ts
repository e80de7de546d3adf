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

function isTooDeep(text: string, deepest: number): boolean {
  return hasMoreBrackets(text, deepest) && isNestedDeeper(text, deepest);
}

/** Whether a text has so many opening brackets that it may be nested deeper: next to none has. */
function hasMoreBrackets(text: string, most: number): boolean {
  if (text.length <= most) return false;
  let count = 0;
  for (const bracket of ["[", "{"]) {
    for (let at = text.indexOf(bracket); at !== -1; at = text.indexOf(bracket, at + 1)) {
      count += 1;
      if (count > most) return true;
    }
  }
  return false;
}

/** Counts open brackets outside strings. For a text that is not JSON the count may be wrong, which does no harm. */
function isNestedDeeper(text: string, deepest: number): boolean {
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
