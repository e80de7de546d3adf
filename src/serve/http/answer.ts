import type { OutgoingHttpHeaders, ServerResponse } from "node:http";
import type { HtmlPage } from "../../report/html-page.js";
import { safeJsonLine } from "../../core/visible.js";

/** What is answered. */
export interface Answer {
  readonly status: number;
  readonly headers: OutgoingHttpHeaders;
  readonly body: Buffer;
}

/** What every answer says to a browser: show nothing, embed nothing, keep nothing, tell nobody. */
const guarding: OutgoingHttpHeaders = {
  "Cache-Control": "no-store",
  "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Referrer-Policy": "no-referrer",
  "X-Content-Type-Options": "nosniff",
  "X-Frame-Options": "DENY",
};

/** An answer with a text. */
export function textAnswer(text: string, headers: OutgoingHttpHeaders, status = 200): Answer {
  return { status, headers, body: Buffer.from(text, "utf8") };
}

/** An answer with a JSON document. */
export function jsonAnswer(document: unknown, status = 200, headers: OutgoingHttpHeaders = {}): Answer {
  const type = { "Content-Type": "application/json; charset=utf-8" };
  return textAnswer(safeJsonLine(document), { ...type, ...headers }, status);
}

/** An answer with a page, and the policy that it needs instead of the strictest one. */
export function pageAnswer({ html, policy }: HtmlPage, status = 200): Answer {
  const needed = { "Content-Security-Policy": `${policy}; frame-ancestors 'none'` };
  return textAnswer(html, { "Content-Type": "text/html; charset=utf-8", ...needed }, status);
}

/**
 * What went wrong, as JSON (schemas/serve-error.schema.json).
 * @param message for people: what is wrong and what to do. It must quote nothing of the request.
 */
export function problemAnswer(status: number, message: string, headers: OutgoingHttpHeaders = {}): Answer {
  return jsonAnswer({ format: "edgewise.error/v1", status, message }, status, headers);
}

/** Sends an answer; HEAD gets its headers. A client that takes longer than this to read it is cut off. */
export function sendAnswer(response: ServerResponse, { status, headers, body }: Answer, readMs: number): void {
  const timer = setTimeout(() => response.destroy(), readMs);
  response.once("close", () => clearTimeout(timer));
  response.writeHead(status, { ...guarding, ...headers, "Content-Length": body.length });
  response.end(response.req.method === "HEAD" ? undefined : body);
}
