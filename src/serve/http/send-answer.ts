import { createHash } from "node:crypto";
import type { OutgoingHttpHeaders, ServerResponse } from "node:http";
import type { HtmlPage } from "../../report/html-page.js";
import { safeJsonLine } from "../../text/safe-json.js";

/** What is answered. `pieces` are written one after the other, as fast as the client reads. */
export interface Answer {
  readonly status: number;
  readonly headers?: OutgoingHttpHeaders;
  readonly body: { readonly text: string } | { readonly pieces: Iterable<string> };
}

/** How answers are sent. */
export interface SendOptions {
  /** How long a client may take to read an answer, in milliseconds. */
  readonly readMs: number;
}

const json = "application/json; charset=utf-8";
const page = "text/html; charset=utf-8";

/** What every answer says to a browser: show nothing, embed nothing, keep nothing, tell nobody. */
const guarding: OutgoingHttpHeaders = {
  "Cache-Control": "no-store",
  "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Referrer-Policy": "no-referrer",
  "X-Content-Type-Options": "nosniff",
  "X-Frame-Options": "DENY",
};

/** An answer with a JSON document. */
export function jsonAnswer(document: unknown, status = 200, headers: OutgoingHttpHeaders = {}): Answer {
  return { status, headers: { "Content-Type": json, ...headers }, body: { text: safeJsonLine(document) } };
}

/** An answer with a JSON document that is too large to be held as a whole. */
export function jsonStream(pieces: Iterable<string>): Answer {
  return { status: 200, headers: { "Content-Type": json }, body: { pieces } };
}

/** An answer with a page, and the policy that it needs instead of the strictest one. */
export function pageAnswer({ html, policy }: HtmlPage, status = 200): Answer {
  const headers = { "Content-Type": page, "Content-Security-Policy": `${policy}; frame-ancestors 'none'` };
  return { status, headers, body: { pieces: [html] } };
}

/**
 * What went wrong, as JSON (schemas/serve-error.schema.json).
 * @param message for people: what is wrong and what to do. It must quote nothing of the request.
 */
export function problemAnswer(status: number, message: string, headers: OutgoingHttpHeaders = {}): Answer {
  return jsonAnswer({ format: "edgewise.error/v1", status, message }, status, headers);
}

/** Sends an answer; HEAD gets its headers. A client that does not read in time is cut off. Resolves when all is handed on. */
export async function sendAnswer(response: ServerResponse, answer: Answer, options: SendOptions): Promise<void> {
  const { headers = {}, body } = answer;
  const timer = setTimeout(() => response.destroy(), options.readMs);
  response.once("close", () => clearTimeout(timer));
  if ("text" in body) sendText(response, { ...answer, headers }, body.text);
  else {
    response.writeHead(answer.status, { ...guarding, ...headers });
    if (response.req.method !== "HEAD") await writePieces(response, body.pieces);
    response.end();
  }
}

function sendText(response: ServerResponse, { status, headers = {} }: Answer, text: string): void {
  const bytes = Buffer.from(text, "utf8");
  const etag = `"${createHash("sha256").update(bytes).digest("base64url")}"`;
  const fresh = status === 200 && response.req.headers["if-none-match"] === etag;
  if (fresh) {
    response.writeHead(304, { ...guarding, ETag: etag }).end();
    return;
  }
  const length = { "Content-Length": bytes.length, ...(status === 200 ? { ETag: etag } : {}) };
  response.writeHead(status, { ...guarding, ...headers, ...length });
  response.end(response.req.method === "HEAD" ? undefined : bytes);
}

/** Writes no more than the client reads. */
async function writePieces(response: ServerResponse, pieces: Iterable<string>): Promise<void> {
  for (const piece of pieces) {
    if (response.destroyed) return;
    if (!response.write(piece)) await drained(response);
  }
}

async function drained(response: ServerResponse): Promise<void> {
  await new Promise<void>((resolve) => {
    const done = (): void => {
      response.off("drain", done).off("close", done);
      resolve();
    };
    response.on("drain", done).on("close", done);
    if (response.destroyed) done();
  });
}
