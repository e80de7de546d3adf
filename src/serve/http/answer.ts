import type { OutgoingHttpHeaders, ServerResponse } from "node:http";
import type { HtmlPage } from "../../report/html-page.js";
import { safeJsonLine } from "../../core/visible.js";

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

export function textAnswer(text: string, headers: OutgoingHttpHeaders, status = 200): Answer {
  return { status, headers, body: Buffer.from(text, "utf8") };
}

export function jsonAnswer(document: unknown, status = 200, headers: OutgoingHttpHeaders = {}): Answer {
  const type = { "Content-Type": "application/json; charset=utf-8" };
  return textAnswer(safeJsonLine(document), { ...type, ...headers }, status);
}

export function pageAnswer({ html, policy }: HtmlPage, status = 200): Answer {
  const needed = { "Content-Security-Policy": `${policy}; frame-ancestors 'none'` };
  return textAnswer(html, { "Content-Type": "text/html; charset=utf-8", ...needed }, status);
}

/** What went wrong, as JSON (schemas/serve-error.schema.json). */
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
