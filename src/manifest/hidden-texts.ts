import { isObject } from "../json.js";
import { isSecretName } from "../secret-names.js";
import { MASK } from "../secret.js";

/** Shorter texts are part of too many words. */
const shortest = 4;

const cache = new WeakMap<object, readonly string[]>();

/**
 * The texts in a document that may be secrets, judged by the names of their members; the longest first.
 * A document with a hundred thousand mistakes asks for them a hundred thousand times: they are found once.
 */
export function hiddenTexts(value: unknown): readonly string[] {
  if (typeof value !== "object" || value === null) return [];
  let found = cache.get(value);
  if (found === undefined) {
    found = findHidden(value);
    cache.set(value, found);
  }
  return found;
}

function findHidden(value: object): readonly string[] {
  const found = new Set<string>();
  const visit = (inner: unknown, sensitive: boolean): void => {
    if (typeof inner === "string") {
      if (sensitive && inner.length >= shortest) found.add(inner);
    } else if (Array.isArray(inner)) for (const item of inner) visit(item, sensitive);
    else if (isObject(inner)) {
      for (const [name, item] of Object.entries(inner)) {
        // The names of variables and files tell nothing.
        const source = sensitive && (name === "env" || name === "file");
        visit(item, !source && (sensitive || isSecretName(name)));
      }
    }
  };
  visit(value, false);
  return [...found].toSorted((a, b) => b.length - a.length);
}

/** More hidden texts than this in one document, or a longer message, are not worth the search. */
const mostHidden = 100;
const longestMessage = 2000;

/**
 * A message without the texts that must not be shown, in whichever case they are written.
 * @param instead what to say when looking for them all would take too long
 */
export function withoutHidden(message: string, hidden: readonly string[], instead: string): string {
  if (hidden.length === 0) return message;
  if (hidden.length > mostHidden || message.length > longestMessage) return instead;
  return hidden.reduce((text, secret) => {
    const lower = text.toLowerCase();
    const wanted = secret.toLowerCase();
    // Some letters change their length with their case: then only the exact text is looked for.
    const sameLength = lower.length === text.length && wanted.length === secret.length;
    return sameLength ? maskWholeWords(text, lower, wanted) : maskWholeWords(text, text, secret);
  }, message);
}

/** The text with the mask wherever a secret stands as a whole: a word is none because a secret begins like it. */
function maskWholeWords(text: string, searched: string, wanted: string): string {
  let result = "";
  let from = 0;
  for (let at = searched.indexOf(wanted); at !== -1; at = searched.indexOf(wanted, at + wanted.length)) {
    const end = at + wanted.length;
    if (isInsideWord(text, at) || isInsideWord(text, end)) continue;
    result += text.slice(from, at) + MASK;
    from = end;
  }
  return result + text.slice(from);
}

/** Whether letters or digits stand on both sides of a place. */
function isInsideWord(text: string, at: number): boolean {
  return letterOrDigit.test(text.slice(Math.max(0, at - 1), at)) && letterOrDigit.test(text.slice(at, at + 1));
}

const letterOrDigit = /[\p{L}\p{N}]/u;
