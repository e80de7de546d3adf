import type { ServerResponse } from "node:http";
import { STATUS_CODES } from "node:http";
import type { ModelResponse } from "../model/request.js";

/** Sends an answer as JSON; 204 has no body. */
export function sendJson(outgoing: ServerResponse, { status, body }: ModelResponse, retryAfter: number | null): void {
  if (status === 204) {
    outgoing.writeHead(204);
    outgoing.end();
    return;
  }
  send(outgoing, status, "application/json", JSON.stringify(body), retryAfter);
}

/** Sends a page as a proxy in between would. */
export function sendHtml(outgoing: ServerResponse, status: number, retryAfter: number | null): void {
  const title = `${status} ${STATUS_CODES[status] ?? ""}`.trim();
  const page = `<html><head><title>${title}</title></head><body><h1>${title}</h1><hr>proxy</body></html>\n`;
  send(outgoing, status, "text/html", page, retryAfter);
}

/** Sends half of an answer and cuts the connection. An answer without a body is cut before it begins. */
export function sendHalf(outgoing: ServerResponse, { status, body }: ModelResponse): void {
  if (status === 204) {
    outgoing.destroy();
    return;
  }
  const bytes = Buffer.from(JSON.stringify(body));
  outgoing.writeHead(status, { "content-type": "application/json", "content-length": bytes.length });
  outgoing.write(bytes.subarray(0, bytes.length >> 1), () => outgoing.destroy());
}

function send(outgoing: ServerResponse, status: number, type: string, text: string, retryAfter: number | null): void {
  if (retryAfter !== null) outgoing.setHeader("retry-after", retryAfter);
  outgoing.writeHead(status, { "content-type": type, "content-length": Buffer.byteLength(text) });
  outgoing.end(text);
}
