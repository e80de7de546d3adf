import { type Value, isObject, parseJson } from "../core/json.js";
import { Secret } from "../core/secret.js";
import { secretMembers } from "../kinds/names.js";
import { type Redactor, cleanText } from "../redact.js";
import { ApiError, remedyFor } from "./api-error.js";
import type { ApiResponse, Method } from "./client.js";
import { mayHaveBeenDone } from "./retry-policy.js";
import type { HttpResponse } from "./transport.js";

type RequestInfo = Readonly<{
  method: Method;
  path: string;
  attempts: number;
  lost: boolean;
  baseUrl: string;
  redactor: Redactor;
  withoutKey: (text: string) => string;
}>;

export interface Interpreted extends ApiResponse {
  readonly bytes: number;
}

/** @throws ApiError for a status that is no success, or a body that is not JSON */
export function interpretResponse(response: HttpResponse, request: RequestInfo): Interpreted {
  const { status } = response;
  const { attempts, baseUrl, lost, method, path, redactor } = request;
  const body = readBody(response.body, request);
  const isSuccess = method === "GET" ? status === 200 || status === 204 : status >= 200 && status < 300;
  if (isSuccess && body.problem === null) return { status, body: body.value, bytes: response.body.length };
  const said = isSuccess ? null : errorBody(body.value, redactor);
  const mayBeDone = method !== "GET" && (isSuccess || lost || mayHaveBeenDone(status));
  const noReason = status < 300 ? "an unexpected success status" : "no reason given";
  const problem = body.problem && `the response ${body.problem}${snippet(response, body.text, redactor)}`;
  throw new ApiError({
    method,
    path,
    attempts,
    status,
    ...said,
    outcome: mayBeDone ? "unknown" : "answered",
    what: (said?.serverMessage ?? null) === null ? (redirect(response, redactor) ?? problem ?? noReason) : null,
    remedy: isSuccess
      ? `Check the base URL ${baseUrl}: something other than the API responded.`
      : remedyFor(status, baseUrl, method),
  });
}

function errorBody(value: Value, redactor: Redactor) {
  const body = isObject(value) ? value : {};
  const details = isObject(body["details"]) ? body["details"] : {};
  const text = (part: unknown, max: number): string | null =>
    (typeof part === "string" ? cleanText(part, redactor, max) : "") || null;
  return {
    errorCode: text(body["error_code"], 60),
    serverMessage: text(body["msg"], 300),
    operationId: text(details["operation_id"] ?? body["operation_id"], 80),
  };
}

function redirect({ header, status }: HttpResponse, redactor: Redactor): string | null {
  if (status < 300 || status >= 400) return null;
  const location = header("location");
  return location === null ? "a redirect" : `a redirect to ${cleanText(location, redactor, 200)}`;
}

function snippet({ header }: HttpResponse, text: string, redactor: Redactor): string {
  const type = cleanText(header("content-type") ?? "", redactor, 60);
  // A page of a proxy. Broken JSON may hold a secret anywhere.
  const isProse = header("content-encoding") === null && (/^\s*<[a-z!?]/iu.test(text) || !/["{[]/u.test(text));
  const start = isProse ? cleanText(text, redactor, 120) : "";
  return `${type === "" ? "" : ` (${type})`}${start === "" ? "" : `: "${start}"`}`;
}

const deepest = 64;

const secrets: ReadonlySet<string> = new Set(secretMembers);

const decoder = new TextDecoder("utf-8", { fatal: true });

/** Secrets are wrapped, so that no later code can print one. */
function readBody(
  bytes: Uint8Array,
  { redactor, withoutKey }: RequestInfo,
): Readonly<{ value: Value; problem: string | null; text: string }> {
  let text: string;
  try {
    text = withoutKey(decoder.decode(bytes));
  } catch {
    return { value: null, problem: "is not UTF-8", text: Buffer.from(bytes).toString("latin1") };
  }
  if (text.trim() === "") return { value: null, problem: null, text };
  const parsed = parseJson(text, deepest);
  if ("value" in parsed) return { value: wrapSecrets(parsed.value, redactor), problem: null, text };
  if (parsed.problem === "syntax") return { value: null, problem: "is not JSON", text };
  return { value: null, problem: `is nested deeper than ${deepest} levels`, text: "" };
}

/** @param isFree in a map of headers `secret` is no secret member */
function wrapSecrets(value: unknown, redactor: Redactor, isFree = false): Value {
  if (Array.isArray(value)) return value.map((item: unknown) => wrapSecrets(item, redactor));
  if (!isObject(value)) return value as Value;
  const members = Object.entries(value).map(([name, part]): [string, Value] => {
    if (isFree || !secrets.has(name) || part === null || part === "")
      return [name, wrapSecrets(part, redactor, name === "headers")];
    const text = typeof part === "string" ? part : JSON.stringify(part);
    redactor.addSecret(text);
    return [name, Secret.of(text, "live")];
  });
  return Object.fromEntries(members);
}
