import { Redactor } from "./redact.js";
import { secretForms } from "./secret-forms.js";

/** Shorter spellings stand in harmless texts, too. */
const shortest = 8;

/**
 * Takes the API key out of what a service answers, so that no plan, export or journal can hold it: services were seen
 * to echo it. Costs little for a text without it.
 */
export function keyMask(key: string): (text: string) => string {
  const forms = secretForms(key).filter((form) => form.length >= shortest);
  const redactor = new Redactor();
  redactor.add(key);
  return (text) => (forms.some((form) => text.includes(form)) ? redactor.redact(text) : text);
}
