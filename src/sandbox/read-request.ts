import { timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import type { Json } from "../core/json.js";

/** Path and query of a request target. */
export interface RequestTarget {
  /** Without the query, still percent-encoded. */
  readonly path: string;
  readonly query: readonly (readonly [name: string, value: string])[];
}

/** Splits a request target into path and query. An absolute URL counts by its path. */
export function readTarget(url: string): RequestTarget {
  const target = url.replace(/^https?:\/\/[^/?]*/i, "");
  const mark = target.indexOf("?");
  if (mark < 0) return { path: target, query: [] };
  return { path: target.slice(0, mark), query: [...new URLSearchParams(target.slice(mark + 1))] };
}

/**
 * Reads the whole body.
 * @returns its bytes; a problem when there are more than `most`; null when the client disconnected
 */
export async function readBody(incoming: IncomingMessage, most: number): Promise<Buffer | HttpProblem | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of incoming) {
      // Read to its end even when it is too long: a client that is still sending would not see the response.
      size += (chunk as Buffer).length;
      if (size <= most) chunks.push(chunk as Buffer);
      if (size > 32 * most) return null;
    }
  } catch {
    return null;
  }
  if (size > most) return httpProblem("size", `the body is longer than ${most} bytes.`);
  return Buffer.concat(chunks);
}

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** Parses a JSON body; wrapped, because `null` is valid JSON. */
export function readJson(bytes: Buffer): { readonly json: Json } | HttpProblem {
  try {
    // What JSON.parse returns is JSON.
    return { json: JSON.parse(utf8.decode(bytes)) as Json };
  } catch {
    return httpProblem("json", "the body is not JSON in UTF-8.");
  }
}

export interface HeaderRules {
  readonly apiKey: string;
  readonly versionHeader: string;
  readonly lenient: boolean;
}

/**
 * Checks host, API key, version and content type of a request; null when all are right. Messages never repeat the value
 * of a header.
 */
export function checkHeaders(headers: IncomingHttpHeaders, hasBody: boolean, rules: HeaderRules): HttpProblem | null {
  if (!namesLoopback(headers.host)) {
    return httpProblem("host", "the Host header must name this machine itself: 127.0.0.1 or localhost.");
  }
  if (!carriesKey(headers.authorization, rules.apiKey)) {
    return httpProblem("key", "the API key is missing or wrong: send the header Authorization: Bearer <API_KEY>.");
  }
  if (!carriesVersion(headers, rules)) {
    return httpProblem("version", `the header ${rules.versionHeader}: 2 is missing or has another value.`);
  }
  const type = headers["content-type"];
  if (hasBody && !/^application\/json\s*(;\s*charset="?utf-8"?\s*)?$/i.test(type ?? "")) {
    return httpProblem("contentType", "a request with a body needs the header Content-Type: application/json.");
  }
  if (!hasBody && type !== undefined && !rules.lenient) {
    return httpProblem("contentType", "a request without a body has no Content-Type header.");
  }
  return null;
}

/** Against DNS rebinding: a web page can make its own name resolve to this machine, but can't change the Host header. */
function namesLoopback(host: string | undefined): boolean {
  return /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/i.test(host ?? "");
}

function carriesKey(authorization: string | undefined, apiKey: string): boolean {
  const given = Buffer.from(/^Bearer (.+)$/i.exec(authorization ?? "")?.[1] ?? "");
  const wanted = Buffer.from(apiKey);
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}

function carriesVersion(headers: IncomingHttpHeaders, { versionHeader, lenient }: HeaderRules): boolean {
  if (headers[versionHeader.toLowerCase()] === "2") return true;
  return lenient && Object.entries(headers).some(([name, value]) => name.endsWith("-version") && value === "2");
}

/** Why a request is refused before it reaches the model. `number` becomes part of `error_code`. */
export interface HttpProblem {
  readonly status: number;
  readonly number: number;
  readonly message: string;
}

const httpProblems = {
  host: { status: 403, number: 201 },
  key: { status: 403, number: 202 },
  version: { status: 400, number: 203 },
  contentType: { status: 400, number: 204 },
  json: { status: 400, number: 205 },
  size: { status: 413, number: 206 },
  data: { status: 500, number: 207 },
} as const;

export function httpProblem(what: keyof typeof httpProblems, message: string): HttpProblem {
  return { ...httpProblems[what], message };
}
