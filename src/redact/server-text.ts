import { maskText } from "./mask-text.js";
import type { Redactor } from "./redactor.js";
import { Spellings, secretForms } from "./secret-spellings.js";

/** No more of a server's text is looked at. */
const longest = 65_536;
/** Cut off the end of a text that was longer, as a secret may have been cut in two there. */
const margin = 16_384;

/**
 * Text of the server made fit for a terminal or a log: secrets masked, on one line, without control characters,
 * escape sequences or characters that turn the direction of the text, and no longer than `max` characters.
 */
export function cleanText(text: string, redactor: Redactor, max: number): string {
  // Escape sequences go first, as what stands on both sides of one may be a secret. Masked before it is cut, and again
  // once blanks were joined.
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

/** Without half a character at the end. */
function wellFormed(text: string): string {
  const last = text.charCodeAt(text.length - 1);
  return last >= 0xd800 && last <= 0xdbff ? text.slice(0, -1) : text;
}

/** Shorter spellings stand in harmless texts, too. */
const shortestForm = 8;

/**
 * Takes the API key out of what a service answers, so that no plan, export or journal can hold it: services were seen
 * to echo it. Only the whole key: what is live is compared with manifests, and parts of it may stand in both. Costs
 * little for a text without it.
 */
export function keyMask(key: string): (text: string) => string {
  const forms = secretForms(key).filter((form) => form.length >= shortestForm);
  const spellings = new Spellings();
  for (const form of forms) spellings.add(form, { hidden: true });
  return (text) => (forms.some((form) => text.includes(form)) ? maskText(text, (part) => spellings.spans(part)) : text);
}
