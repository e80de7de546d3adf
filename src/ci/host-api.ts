import { setTimeout as pause } from "node:timers/promises";
import type { Method } from "../api/client.js";
import { type HttpResponse, type TransportFailure, createDispatcher, createTransport } from "../api/transport.js";
import { checkBaseUrl } from "../config/api-config.js";
import { EdgewiseError } from "../core/errors.js";
import { type JsonObject, isObject, parseJson } from "../core/json.js";
import type { Redactor } from "../redact.js";
import { visibleLine } from "../core/visible.js";
import type { Env } from "./ci-host.js";

const timeoutMs = 30_000;
const mostBytes = 64 * 1024 * 1024;
const mostTries = 3;
const mostPages = 50;

type OutgoingRequest = Readonly<{
  method: Method;
  url: URL;
  headers: { readonly [header: string]: string };
  body: string | null;
}>;

export type SendRequest = (request: OutgoingRequest) => Promise<HttpResponse | TransportFailure>;

/** Through the environment's proxy, and again when the other side fails. Follows no redirect. */
export function createSendRequest(env: Env, redactor: Redactor): SendRequest {
  return async (request) => {
    const dispatcher = createDispatcher({ base: request.url, connections: 1, timeoutMs, env, redactor });
    const methods = new Set([request.method]);
    const { signal } = new AbortController();
    const send = createTransport({ dispatcher, methods, signal, maxBytes: mostBytes });
    try {
      for (let tries = 1; ; tries += 1) {
        const answer = await send({ ...request, timeoutMs });
        const passes = answer.type === "failure" ? answer.transient : answer.status === 429 || answer.status >= 500;
        if (!passes || tries === mostTries) return answer;
        await pause(1000 * tries);
      }
    } finally {
      await dispatcher.destroy();
    }
  };
}

export interface Entry {
  readonly [member: string]: unknown;
}

type HostApiOptions = Readonly<{
  /** `GitHub's API` */
  name: string;
  base: string;
  headers: { readonly [header: string]: string };
  remedy: string;
  send: SendRequest;
}>;

export class HostApi {
  constructor(private readonly options: HostApiOptions) {}

  async list(path: string): Promise<readonly Entry[]> {
    const all: Entry[] = [];
    for (let page = 1; page <= mostPages; page += 1) {
      const entries = await this.send("GET", `${path}${path.includes("?") ? "&" : "?"}per_page=100&page=${page}`);
      if (!Array.isArray(entries)) throw this.#error(`answers with no list for ${pathOnly(path)}`);
      all.push(...entries.filter((entry: unknown) => isObject(entry)));
      if (entries.length < 100) return all;
    }
    throw this.#error(`lists more than ${mostPages * 100} entries of ${pathOnly(path)}`);
  }

  async send(method: Method, path: string, body?: JsonObject, expected: readonly number[] = []): Promise<unknown> {
    const { base, headers, remedy, send } = this.options;
    const what = `${method} ${pathOnly(path)}`;
    const answer = await send({
      method,
      url: new URL(path, `${base}/`),
      headers: { ...headers, "user-agent": "edgewise", ...(body && { "content-type": "application/json" }) },
      body: body === undefined ? null : JSON.stringify(body),
    });
    if (answer.type === "failure") throw this.#error(`doesn't answer ${what}: ${answer.message}`);
    if (expected.includes(answer.status)) return null;
    if (answer.status < 200 || answer.status > 299) throw this.#error(`refuses ${what} (${answer.status})`, remedy);
    const read = parseJson(answer.body.toString("utf8"), 200);
    return "value" in read ? read.value : null;
  }

  #error(what: string, remedy?: string): EdgewiseError {
    return new EdgewiseError("io", `${this.options.name} ${what}`, remedy);
  }
}

function pathOnly(path: string) {
  return visibleLine(path.split("?", 1)[0] ?? path);
}

export function apiAddress(env: Env, name: string): string {
  const checked = checkBaseUrl(env[name] ?? "", false);
  if ("url" in checked) return checked.url;
  throw new EdgewiseError("config", `${name} is not an https URL`);
}

export function memberAt(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>((found, member) => (isObject(found) ? found[member] : undefined), value);
}

export function textAt(value: unknown, ...path: readonly string[]): string | null {
  const found = memberAt(value, ...path);
  return typeof found === "string" ? found : null;
}

export function numberAt(value: unknown, ...path: readonly string[]): number | null {
  const found = memberAt(value, ...path);
  return typeof found === "number" && Number.isSafeInteger(found) ? found : null;
}
