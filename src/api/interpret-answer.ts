import { isObject } from "../json.js";
import { ApiError, type ApiProblem } from "./api-error.js";
import { cleanText } from "./clean-text.js";
import type { ApiResponse, Method } from "./client.js";
import { type JsonAnswer, readJson } from "./read-json.js";
import type { Redactor } from "./redact.js";
import { remedyFor } from "./remedy-for.js";
import type { HttpResponse } from "./transport.js";

/** The request that was answered, for the messages. */
export interface Asked {
  readonly method: Method;
  /** Fit to print. */
  readonly path: string;
  readonly attempts: number;
  /** An earlier attempt got no answer: whatever the last one says, that one may have been carried out. */
  readonly lost: boolean;
  readonly baseUrl: string;
  readonly redactor: Redactor;
  /** Takes the API key out of a text. */
  readonly withoutKey: (text: string) => string;
}

/** A response, and whether any member of its body was wrapped. */
export interface Interpreted extends ApiResponse {
  readonly secrets: boolean;
  /** Length of the body as it came. */
  readonly bytes: number;
}

/**
 * The response that a complete answer is, when it is a success.
 * @param succeeds which statuses are
 * @throws ApiError for every other status, and for a body that is not JSON
 */
export function interpretResponse(
  answer: HttpResponse,
  asked: Asked,
  succeeds: (status: number) => boolean,
): Interpreted {
  const read = readJson(answer.body, (secret) => asked.redactor.addSent(secret), asked.withoutKey);
  if (!succeeds(answer.status)) throw new ApiError({ ...common(answer, asked), ...refusal(answer, asked, read) });
  if (read.ok) return { status: answer.status, body: read.value, secrets: read.secrets, bytes: answer.body.length };
  throw new ApiError({
    ...common(answer, asked),
    outcome: asked.method === "GET" ? "answered" : "unknown",
    what: `the answer ${read.problem}${snippet(answer, asked, read)}`,
    remedy: `Check the base URL ${asked.baseUrl}: something other than the API seems to answer there.`,
  });
}

function common(answer: HttpResponse, asked: Asked): Pick<ApiProblem, "method" | "path" | "status" | "attempts"> {
  return { method: asked.method, path: asked.path, status: answer.status, attempts: asked.attempts };
}

function refusal(
  answer: HttpResponse,
  asked: Asked,
  read: JsonAnswer,
): Omit<ApiProblem, "method" | "path" | "status" | "attempts"> {
  const said = errorBody(read, asked.redactor);
  return {
    ...said,
    outcome: outcomeOf(asked, answer.status),
    what: said.serverMessage === null ? inOwnWords(answer, asked, read) : null,
    remedy: remedyFor(answer.status, asked.baseUrl),
  };
}

/** A gateway that timed out, or a server that failed, may have done what was asked. */
function outcomeOf({ method, lost }: Asked, status: number): "answered" | "unknown" {
  return method !== "GET" && (lost || status === 408 || status >= 500) ? "unknown" : "answered";
}

interface ErrorBody {
  readonly errorCode: string | null;
  readonly serverMessage: string | null;
  readonly operationId: string | null;
}

/** The specification shows no errors; services answer `{error_code, status_code, msg, details: {operation_id}}`. */
function errorBody(read: JsonAnswer, redactor: Redactor): ErrorBody {
  const body = read.ok && isObject(read.value) ? read.value : {};
  const details = isObject(body["details"]) ? body["details"] : {};
  const text = (value: unknown, max: number): string | null =>
    (typeof value === "string" ? cleanText(value, redactor, max) : "") || null;
  return {
    errorCode: text(body["error_code"], 60),
    serverMessage: text(body["msg"], 600),
    operationId: text(details["operation_id"] ?? body["operation_id"], 80),
  };
}

function inOwnWords(answer: HttpResponse, asked: Asked, read: JsonAnswer): string {
  const location = answer.header("location");
  if (answer.status >= 300 && answer.status < 400) {
    return location === null ? "a redirect" : `a redirect to ${cleanText(location, asked.redactor, 200)}`;
  }
  if (read.ok) return answer.status < 300 ? "not the success that was expected" : "no reason given";
  return `the answer ${read.problem}${snippet(answer, asked, read)}`;
}

/** A page or plain words, of a proxy for example. Broken JSON is the API's own, and may hold a secret anywhere. */
function isProse(text: string): boolean {
  return /^\s*<[a-z!?]/iu.test(text) || !/["{[]/u.test(text);
}

/** How the answer begins, and what it claims to be. */
function snippet(answer: HttpResponse, asked: Asked, read: JsonAnswer): string {
  const type = cleanText(answer.header("content-type") ?? "", asked.redactor, 60);
  const encoding = answer.header("content-encoding");
  const encoded = encoding !== null && encoding.toLowerCase() !== "identity";
  const start = read.ok || encoded || !isProse(read.text) ? "" : cleanText(read.text, asked.redactor, 120);
  const quoted = start === "" ? "" : `: "${start}"`;
  const labels = [type, encoded ? `encoded as ${cleanText(encoding, asked.redactor, 20)}` : ""].filter((x) => x !== "");
  return `${labels.length === 0 ? "" : ` (${labels.join(", ")})`}${quoted}`;
}
