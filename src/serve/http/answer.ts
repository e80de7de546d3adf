import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http";
import type { HtmlPage } from "../../report/html-page.js";
import { isLoopback } from "../../config/api-config.js";
import { safeJsonLine } from "../../core/visible.js";
import { createHash, timingSafeEqual } from "node:crypto";

export type Answer = Readonly<{
  status: number;
  headers: OutgoingHttpHeaders;
  body: Buffer;
}>;

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

export function problemAnswer(status: number, message: string, headers: OutgoingHttpHeaders = {}): Answer {
  return jsonAnswer({ format: "edgewise.error/v1", status, message }, status, headers);
}

export function sendAnswer(response: ServerResponse, { status, headers, body }: Answer, readMs: number): void {
  const timer = setTimeout(() => response.destroy(), readMs);
  response.once("close", () => clearTimeout(timer));
  response.writeHead(status, { ...guarding, ...headers, "Content-Length": body.length });
  response.end(response.req.method === "HEAD" ? undefined : body);
}

export type Access = Readonly<{
  readToken: (() => Promise<string>) | null;
  onProblem: (error: unknown) => void;
}>;

export async function refuseAccess(
  { headers }: IncomingMessage,
  { onProblem, readToken }: Access,
): Promise<Answer | null> {
  if (readToken === null) {
    // A page of another name must not read this server in a browser.
    const url = `http://${headers.host ?? ""}`;
    if (URL.canParse(url) && isLoopback(new URL(url).hostname)) return null;
    return problemAnswer(421, "The Host header names another server. Ask for localhost, or the address listened on.");
  }
  let token: string;
  try {
    token = await readToken();
  } catch (error) {
    onProblem(error);
    return problemAnswer(503, "The token can't be read now. The log of edgewise serve says why.");
  }
  const given = tokenIn(headers.authorization ?? "");
  if (given !== null && token !== "" && isSameSecret(given, token)) return null;
  const challenges = ['Bearer realm="edgewise"', 'Basic realm="edgewise", charset="UTF-8"'];
  const message = "A token is needed: Authorization: Bearer, or Basic with any user and the token as password.";
  return problemAnswer(401, message, { "WWW-Authenticate": challenges });
}

function tokenIn(header: string): string | null {
  const [, scheme = "", value = ""] = /^(bearer|basic) +([^ ]+) *$/i.exec(header) ?? [];
  if (scheme.toLowerCase() === "bearer") return value;
  if (scheme === "") return null;
  const pair = Buffer.from(value, "base64").toString("utf8");
  const colon = pair.indexOf(":");
  return colon < 0 ? null : pair.slice(colon + 1);
}

/** In constant time: digests have one length. */
export function isSameSecret(given: string, expected: string): boolean {
  const digest = (text: string): Buffer => createHash("sha256").update(text, "utf8").digest();
  return timingSafeEqual(digest(given), digest(expected));
}
