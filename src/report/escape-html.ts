import { visible } from "./escape.js";

const htmlEntities: { readonly [character: string]: string } = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
  "`": "&#96;",
};

/**
 * Untrusted text for HTML content and quoted attributes alike. It holds no command of a runner either (`::command::`,
 * `##[command]`), as a report may be printed in a job.
 */
export function escapeHtml(text: string): string {
  return visible(text)
    .replace(/[&<>"'`]/g, (character) => htmlEntities[character] ?? character)
    .replace(/:(?=:)/g, "&#58;")
    .replace(/#(?=#)/g, "&#35;");
}
