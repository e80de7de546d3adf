import { maskText } from "./mask-text.js";
import { secretForms } from "./secret-forms.js";
import { Spellings } from "./spellings.js";

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
