import { maskText } from "./mask-text.js";
import type { Redactor } from "./redactor.js";
import { Spellings, secretForms } from "./secret-spellings.js";

/** How much of a server's text is looked at. */
const longest = 65_536;
/** Dropped from the end of a text that was longer, where a secret may have been cut in two. */
const margin = 16_384;

/**
 * A server's text made safe for a terminal or a log: secrets masked, on one line, without control characters, escape
 * sequences or characters that change the direction of the text, and at most `max` characters long.
 */
export function cleanText(text: string, redactor: Redactor, max: number): string {
  // Escape sequences are removed first, as a secret may be on both sides of one. Masked before the text is cut, and again
  // after whitespace was joined.
  let masked = redactor.redact(text.slice(0, longest).replaceAll(/\p{Cc}\[[0-9;?]*[A-Za-z]/gu, ""));
  if (text.length > longest) masked = masked.slice(0, -margin);
  const line = redactor.redact(oneLine(masked));
  return line.length <= max ? line : `${wellFormed(line.slice(0, max))}…`;
}

function oneLine(text: string): string {
  return text
    .replaceAll(/\s+/gu, " ")
    .replaceAll(/[\p{Cc}\p{Cf}\p{Cs}]/gu, "\uFFFD")
    .trim();
}

/** Without half a surrogate pair at the end. */
function wellFormed(text: string): string {
  const last = text.charCodeAt(text.length - 1);
  return last >= 0xd800 && last <= 0xdbff ? text.slice(0, -1) : text;
}

/** Shorter spellings also occur in harmless texts. */
const shortestForm = 8;

/**
 * Removes the API key from a service's responses, so that no plan, export or journal can contain it: some services echo
 * it. Only the whole key: live values are compared with manifests, and parts of it may be in both. Cheap for a text
 * without it.
 */
export function keyMask(key: string): (text: string) => string {
  const forms = secretForms(key).filter((form) => form.length >= shortestForm);
  const spellings = new Spellings();
  for (const form of forms) spellings.add(form, { hidden: true });
  return (text) => (forms.some((form) => text.includes(form)) ? maskText(text, (part) => spellings.spans(part)) : text);
}
