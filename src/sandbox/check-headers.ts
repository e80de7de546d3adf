import { timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { httpProblem } from "./http-problem.js";
import type { HttpProblem } from "./http-problem.js";

/** What headers are checked against. */
export interface HeaderRules {
  readonly apiKey: string;
  readonly versionHeader: string;
  readonly lenient: boolean;
}

/**
 * Checks the headers of one request (specification, "Authentication" and "Versioning"); null when all is well.
 * No message repeats what a header holds.
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

/** A page in a browser can make a name of its own resolve to this machine, but can't change the Host header. */
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
