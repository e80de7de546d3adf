import { spellings } from "../../security/support/canaries.ts";
import { secrets } from "./desired.ts";

const known = Object.entries(secrets).flatMap(([name, secret]) => formsOf(name, secret));

/** The secrets that a text contains, in any encoding. */
export function spoken(text: string, more: readonly string[]): readonly string[] {
  const forms = more.length === 0 ? known : [...known, ...more.flatMap((secret) => formsOf("secret", secret))];
  return forms.flatMap(([name, form]) => (text.includes(form) ? [`${name}: ${form}`] : []));
}

function formsOf(name: string, secret: string): readonly (readonly [name: string, form: string])[] {
  return spellings(secret).flatMap((form) => (form.length >= 8 ? [[name, form] as const] : []));
}
