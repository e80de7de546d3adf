import { type Value, isObject } from "../core/json.js";
import { secretMembers } from "../kinds/names.js";
import { type Redactor, cleanText } from "../redact.js";
import { Secret } from "../core/secret.js";
import { ApiError, type ApiProblem, remedyFor } from "./api-error.js";
import type { ApiResponse, Method } from "./client.js";
import { mayHaveBeenDone } from "./retry-policy.js";
import type { HttpResponse } from "./transport.js";

/** The request that a response belongs to, for the messages. */
export interface RequestInfo {
  readonly method: Method;
  /** Safe to print. */
  readonly path: string;
  readonly attempts: number;
  /** An earlier attempt may have been carried out, whatever the last response says. */
  readonly lost: boolean;
  readonly baseUrl: string;
  readonly redactor: Redactor;
  /** Removes the API key from a text. */
  readonly withoutKey: (text: string) => string;
}

/** A response, and whether any member of its body was wrapped. */
export interface Interpreted extends ApiResponse {
  readonly secrets: boolean;
  /** Length of the body as received. */
  readonly bytes: number;
}

/**
 * Returns the response if it is a success.
 * @param succeeds which statuses are successes
 * @throws ApiError for every other status, and for a body that is not JSON
 */
export function interpretResponse(
  response: HttpResponse,
  request: RequestInfo,
  succeeds: (status: number) => boolean,
): Interpreted {
  const { redactor, withoutKey } = request;
  const { status, body } = response;
  const read = wrapBody(parseJson(body, withoutKey), (secret) => redactor.addSecret(secret));
  if (!succeeds(status)) throw new ApiError({ ...common(response, request), ...refusal(response, request, read) });
  if (!read.ok) throw unreadable(response, request, read);
  return { status, body: read.value, secrets: read.secrets, bytes: body.length };
}

function unreadable(response: HttpResponse, request: RequestInfo, read: Unreadable): ApiError {
  return new ApiError({
    ...common(response, request),
    outcome: request.method === "GET" ? "answered" : "unknown",
    what: `the response ${read.problem}${snippet(response, request, read)}`,
    remedy: `Check the base URL ${request.baseUrl}: something other than the API responded.`,
  });
}

function common(
  response: HttpResponse,
  request: RequestInfo,
): Pick<ApiProblem, "method" | "path" | "status" | "attempts"> {
  return { method: request.method, path: request.path, status: response.status, attempts: request.attempts };
}

function refusal(
  response: HttpResponse,
  request: RequestInfo,
  read: JsonBody,
): Omit<ApiProblem, "method" | "path" | "status" | "attempts"> {
  const said = errorBody(read, request.redactor);
  return {
    ...said,
    outcome: outcomeOf(request, response.status),
    what: said.serverMessage === null ? ownMessage(response, request, read) : null,
    remedy: remedyFor(response.status, request.baseUrl),
  };
}

function outcomeOf({ method, lost }: RequestInfo, status: number): "answered" | "unknown" {
  return method !== "GET" && (lost || mayHaveBeenDone(status)) ? "unknown" : "answered";
}

interface ErrorBody {
  readonly errorCode: string | null;
  readonly serverMessage: string | null;
  readonly operationId: string | null;
}

/** Services return errors as `{error_code, status_code, msg, details: {operation_id}}`. */
function errorBody(read: JsonBody, redactor: Redactor): ErrorBody {
  const body = read.ok && isObject(read.value) ? read.value : {};
  const details = isObject(body["details"]) ? body["details"] : {};
  const text = (value: unknown, max: number): string | null =>
    (typeof value === "string" ? cleanText(value, redactor, max) : "") || null;
  return {
    errorCode: text(body["error_code"], 60),
    serverMessage: text(body["msg"], 300),
    operationId: text(details["operation_id"] ?? body["operation_id"], 80),
  };
}

function ownMessage(response: HttpResponse, request: RequestInfo, read: JsonBody): string {
  const location = response.header("location");
  if (response.status >= 300 && response.status < 400) {
    return location === null ? "a redirect" : `a redirect to ${cleanText(location, request.redactor, 200)}`;
  }
  if (read.ok) return response.status < 300 ? "an unexpected success status" : "no reason given";
  return `the response ${read.problem}${snippet(response, request, read)}`;
}

/** A page or plain text, from a proxy for example. Broken JSON comes from the API and may hold a secret anywhere. */
function isProse(text: string): boolean {
  return /^\s*<[a-z!?]/iu.test(text) || !/["{[]/u.test(text);
}

/** How the response begins, and the type that it claims to have. */
function snippet(response: HttpResponse, request: RequestInfo, read: JsonBody): string {
  const type = cleanText(response.header("content-type") ?? "", request.redactor, 60);
  const encoding = response.header("content-encoding");
  const encoded = encoding !== null && encoding.toLowerCase() !== "identity";
  const start = read.ok || encoded || !isProse(read.text) ? "" : cleanText(read.text, request.redactor, 120);
  const quoted = start === "" ? "" : `: "${start}"`;
  const labels = [type, encoded ? `encoded as ${cleanText(encoding, request.redactor, 20)}` : ""].filter(
    (x) => x !== "",
  );
  return `${labels.length === 0 ? "" : ` (${labels.join(", ")})`}${quoted}`;
}

/** Documented responses are nested only a few levels deep. */
const deepest = 64;

/** Members that hold secrets, at any depth: every field that a kind declares as secret. */
const secrets: ReadonlySet<string> = new Set(secretMembers);

/** Maps from header names to texts: a header called `secret` is not a secret member. */
const freeMaps: ReadonlySet<string> = new Set(["headers"]);

const decoder = new TextDecoder("utf-8", { fatal: true });

/** Why a body can't be used: the end of a sentence that begins with `the response`. */
interface Unreadable {
  readonly ok: false;
  readonly problem: string;
  readonly text: string;
}

type ParsedBody = { readonly ok: true; readonly value: Value } | Unreadable;

type JsonBody = { readonly ok: true; readonly value: Value; readonly secrets: boolean } | Unreadable;

/**
 * Parses a response's body; an empty one is null.
 * @param withoutKey removes the API key from a text
 */
function parseJson(body: Uint8Array, withoutKey: (text: string) => string): ParsedBody {
  let text: string;
  try {
    text = withoutKey(decoder.decode(body));
  } catch {
    return { ok: false, problem: "is not UTF-8", text: Buffer.from(body).toString("latin1") };
  }
  if (text.trim() === "") return { ok: true, value: null };
  try {
    return { ok: true, value: JSON.parse(text) as Value };
  } catch {
    return { ok: false, problem: "is not JSON", text };
  }
}

/**
 * Wraps the secrets in a parsed body, so that no later code can print one.
 * @param onSecret called with each secret in clear text, so that it is masked wherever it turns up
 */
function wrapBody(parsed: ParsedBody, onSecret: (secret: string) => void): JsonBody {
  if (!parsed.ok) return parsed;
  const wrapped = wrapSecrets(parsed.value, onSecret);
  if (wrapped === null) return { ok: false, problem: `is nested deeper than ${deepest} levels`, text: "" };
  return { ok: true, value: parsed.value, secrets: wrapped > 0 };
}

interface PendingValue {
  readonly value: object;
  readonly depth: number;
  /** Whether members may be secrets. */
  readonly secrets: boolean;
}

/** Wraps secrets in place; returns how many there were, or null when the nesting is too deep. */
function wrapSecrets(root: unknown, onSecret: (secret: string) => void): number | null {
  let wrapped = 0;
  const pending: PendingValue[] =
    typeof root === "object" && root !== null ? [{ value: root, depth: 1, secrets: true }] : [];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (next.depth > deepest) return null;
    for (const member of Object.keys(next.value)) {
      const part: unknown = Reflect.get(next.value, member);
      if (next.secrets && secrets.has(member) && part !== null && part !== "") {
        const text = typeof part === "string" ? part : JSON.stringify(part);
        onSecret(text);
        Reflect.set(next.value, member, Secret.of(text, "live"));
        wrapped += 1;
        continue;
      }
      if (typeof part === "object" && part !== null) {
        pending.push({ value: part, depth: next.depth + 1, secrets: !freeMaps.has(member) });
      }
    }
  }
  return wrapped;
}
