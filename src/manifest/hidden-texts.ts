import { isObject } from "../json.js";
import { isSensitive } from "../schema/hints.js";
import { MASK } from "../secret.js";

/** Shorter texts are part of too many words. */
const shortest = 4;

/** The texts in a document that may be secrets, judged by the names of their members; the longest first. */
export function hiddenTexts(value: unknown): readonly string[] {
  const found = new Set<string>();
  const visit = (inner: unknown, sensitive: boolean): void => {
    if (typeof inner === "string") {
      if (sensitive && inner.length >= shortest) found.add(inner);
    } else if (Array.isArray(inner)) for (const item of inner) visit(item, sensitive);
    else if (isObject(inner)) {
      for (const [name, item] of Object.entries(inner)) {
        // The names of variables and files tell nothing.
        const source = sensitive && (name === "env" || name === "file");
        visit(item, !source && (sensitive || isSensitive([name])));
      }
    }
  };
  visit(value, false);
  return [...found].toSorted((a, b) => b.length - a.length);
}

/** A message without the texts that must not be shown, in whichever case they are written. */
export function withoutHidden(message: string, hidden: readonly string[]): string {
  return hidden.reduce((text, secret) => {
    const lower = text.toLowerCase();
    const wanted = secret.toLowerCase();
    // Some letters change their length with their case: then only the exact text is looked for.
    if (lower.length !== text.length || wanted.length !== secret.length) return text.replaceAll(secret, MASK);
    let result = "";
    let from = 0;
    for (let at = lower.indexOf(wanted); at !== -1; at = lower.indexOf(wanted, from)) {
      result += text.slice(from, at) + MASK;
      from = at + wanted.length;
    }
    return result + text.slice(from);
  }, message);
}
