import { type Value, isObject } from "../json.js";
import { clearTextsOf } from "../kinds/policy/find-secrets.js";
import { SecretPolicy, policyFromText } from "../kinds/policy/secret-policy.js";
import type { Redactor } from "../redact/redactor.js";
import { cleanText } from "../redact/server-text.js";
import { Secret } from "../secret.js";
import { ApiError, type ApiProblem, remedyFor } from "./api-error.js";
import type { ApiResponse, Method } from "./client.js";
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

/** Nothing that the API describes is nested deeper than a handful. */
const deepest = 64;

/** Members of responses that hold secrets, wherever they stand (specification, "Webhook verification rules"). */
const secretMembers: ReadonlySet<string> = new Set(["secret", "private_key_pem"]);

/** A map from header names to texts, none of which is a secret member even when a header has such a name. */
const freeMaps: ReadonlySet<string> = new Set(["headers"]);

const decoder = new TextDecoder("utf-8", { fatal: true });

/** What became of a response's body. The problem ends a sentence that begins with `the answer`. */
type JsonAnswer =
  | { readonly ok: true; readonly value: Value; readonly secrets: boolean }
  | { readonly ok: false; readonly problem: string; readonly text: string };

/**
 * Reads a response's body; an empty one is null.
 * Secrets are wrapped at once, so that nothing behind this function can print one.
 * @param onSecret told each secret in clear, so that it can be masked wherever it turns up
 * @param withoutKey takes the API key out of a text
 */
function readJson(
  body: Uint8Array,
  onSecret: (secret: string) => void,
  withoutKey: (text: string) => string,
): JsonAnswer {
  let text: string;
  try {
    text = withoutKey(decoder.decode(body));
  } catch {
    return { ok: false, problem: "is not UTF-8", text: Buffer.from(body).toString("latin1") };
  }
  if (text.trim() === "") return { ok: true, value: null, secrets: false };
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return { ok: false, problem: "is not JSON", text };
  }
  const wrapped = wrapSecrets(parsed, onSecret);
  if (wrapped === null) return { ok: false, problem: `is nested deeper than ${deepest} levels`, text: "" };
  return { ok: true, value: parsed as Value, secrets: wrapped > 0 };
}

interface Open {
  readonly value: object;
  readonly depth: number;
  /** Whether members may be secrets. */
  readonly secrets: boolean;
}

/** The secrets in what may be a traffic policy; it is compared as it stands, so they are not wrapped here. */
function policyTexts(value: unknown): readonly string[] {
  // A service that answers with an object is not what is specified; its secrets are none the less.
  if (typeof value === "object") return clearTextsOf(new SecretPolicy("live", value as Value, null));
  const policy = typeof value === "string" ? policyFromText(value, "live") : "";
  return policy instanceof SecretPolicy ? clearTextsOf(policy) : [];
}

/** Wraps secrets in place, level by level; returns how many there were, or null when there are too many levels. */
function wrapSecrets(root: unknown, onSecret: (secret: string) => void): number | null {
  let wrapped = 0;
  const open: Open[] = typeof root === "object" && root !== null ? [{ value: root, depth: 1, secrets: true }] : [];
  // They are looked into once it is known that nothing is nested too deep.
  const policies: unknown[] = [];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (next.depth > deepest) return null;
    for (const member of Object.keys(next.value)) {
      const part: unknown = Reflect.get(next.value, member);
      if (next.secrets && secretMembers.has(member) && part !== null && part !== "") {
        const text = typeof part === "string" ? part : JSON.stringify(part);
        onSecret(text);
        Reflect.set(next.value, member, Secret.of(text, "live"));
        wrapped += 1;
        continue;
      }
      if (next.secrets && member === "value" && part !== null) policies.push(part);
      if (typeof part === "object" && part !== null) {
        open.push({ value: part, depth: next.depth + 1, secrets: !freeMaps.has(member) });
      }
    }
  }
  for (const policy of policies) for (const text of policyTexts(policy)) onSecret(text);
  return wrapped;
}
