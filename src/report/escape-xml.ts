import { visible } from "./escape.js";

const xmlEntities: { readonly [character: string]: string } = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&apos;",
  "\n": "&#10;",
  "\t": "&#9;",
};

// What XML 1.0 has no way to write; controls are already made visible by then. It is replaced, not left out: what stands
// on both sides of it must not become one.
const illegalInXml = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu;

/** Untrusted text for an XML attribute: line breaks survive attribute normalisation. */
export function xmlAttribute(text: string): string {
  return visible(text)
    .replace(illegalInXml, "\uFFFD")
    .replace(/[&<>"'\n\t]/g, (character) => xmlEntities[character] ?? character);
}

/** Untrusted text for XML element content. */
export function xmlText(text: string): string {
  return visible(text)
    .replace(illegalInXml, "\uFFFD")
    .replace(/[&<>]/g, (character) => xmlEntities[character] ?? character);
}
