import { visible } from "./escape.js";

const entities: { readonly [character: string]: string } = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
  "`": "&#96;",
};

/** Untrusted text for HTML content and quoted attributes alike. */
export function html(text: string): string {
  return visible(text).replace(/[&<>"'`]/g, (character) => entities[character] ?? character);
}
