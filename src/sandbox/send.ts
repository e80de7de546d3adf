import type { ServerResponse } from "node:http";
import { STATUS_CODES } from "node:http";
import type { ModelResponse } from "../model/request.js";

/** An answer that only has to be sent. */
export interface SerializedAnswer {
  readonly status: number;
  /** JSON; null = no body. */
  readonly text: string | null;
}

/** Writes an answer down as JSON; 204 has no body. */
export function serializeAnswer({ status, body }: ModelResponse): SerializedAnswer {
  return { status, text: status === 204 ? null : JSON.stringify(body) };
}

/** Sends an answer. */
export function sendJson(
  outgoing: ServerResponse,
  { status, text }: SerializedAnswer,
  retryAfter: number | null,
): void {
  if (text === null) {
    outgoing.writeHead(status);
    outgoing.end();
    return;
  }
  send(outgoing, status, "application/json", text, retryAfter);
}

/** Sends a page as a proxy in between would. */
export function sendHtml(outgoing: ServerResponse, status: number, retryAfter: number | null): void {
  const title = `${status} ${STATUS_CODES[status] ?? ""}`.trim();
  const page = `<html><head><title>${title}</title></head><body><h1>${title}</h1><hr>proxy</body></html>\n`;
  send(outgoing, status, "text/html", page, retryAfter);
}

/** Sends half of an answer and cuts the connection. An answer without a body is cut before it begins. */
export function sendHalf(outgoing: ServerResponse, { status, text }: SerializedAnswer): void {
  if (text === null) {
    outgoing.destroy();
    return;
  }
  const bytes = Buffer.from(text);
  outgoing.writeHead(status, { "content-type": "application/json", "content-length": bytes.length });
  outgoing.write(bytes.subarray(0, bytes.length >> 1), () => outgoing.destroy());
}

function send(outgoing: ServerResponse, status: number, type: string, text: string, retryAfter: number | null): void {
  if (retryAfter !== null) outgoing.setHeader("retry-after", retryAfter);
  outgoing.writeHead(status, { "content-type": type, "content-length": Buffer.byteLength(text) });
  outgoing.end(text);
}
