import { setMaxListeners } from "node:events";
import type { Dispatcher } from "undici";
import { EdgewiseError } from "../core/errors.js";
import { limits } from "../core/limits.js";
import { Redactor, cleanText } from "../redact.js";
import type { ApiResponse, Client, ClientOptions, Method, ReadClient } from "./client.js";
import { type Interpreted, interpretResponse } from "./interpret-response.js";
import { listPages } from "./list-pages.js";
import { RateLimiter } from "./rate-limiter.js";
import { baseUrlText, parseBaseUrl, requestHeaders, serializeBody, urlOf } from "./request-parts.js";
import { sendWithRetries } from "./send-with-retries.js";
import { systemClock } from "./system-clock.js";
import { type Transport, createDispatcher, createTransport } from "./transport.js";

const maxBytes = 16 * 1024 ** 2;

const keyMask = "(secret:API-key)";

const allMethods: ReadonlySet<Method> = new Set(["GET", "POST", "PATCH", "PUT", "DELETE"]);

/** @throws EdgewiseError `config` for a base URL, API key or version header that can't be used */
export function createClient(options: ClientOptions): Client {
  return build(options, allMethods);
}

/** Its transport refuses to write, too. */
export function createReadClient(options: ClientOptions): ReadClient {
  const { baseUrl, get, list, close } = build(options, new Set(["GET"]));
  return { baseUrl, get, list, close };
}

/** For simulations. */
export function createClientOver(options: ClientOptions, transport: (signal: AbortSignal) => Transport): Client {
  return build(options, allMethods, transport);
}

function withoutBytes({ status, body }: Interpreted): ApiResponse {
  return { status, body };
}

function build(
  options: ClientOptions,
  methods: ReadonlySet<Method>,
  over?: (signal: AbortSignal) => Transport,
): Client {
  const { apiKey, clock = systemClock, concurrency, deadline, hold, pages: memory, timeoutMs } = options;
  const { random = Math.random, redactor = new Redactor(), trace = () => undefined } = options;
  const base = parseBaseUrl(options.baseUrl);
  const baseUrl = baseUrlText(base);
  const headers = requestHeaders(apiKey, options.versionHeader);
  redactor.addKey(apiKey.reveal());
  const wholeKey = new Redactor(keyMask);
  wholeKey.addSecret(apiKey.reveal());
  const withoutKey = (text: string): string => wholeKey.redact(text);
  const closing = new AbortController();
  const signal = options.signal === undefined ? closing.signal : AbortSignal.any([closing.signal, options.signal]);
  setMaxListeners(0, signal);
  let dispatcher: Dispatcher | undefined;
  const connect = (): Transport => {
    dispatcher = createDispatcher({ base, connections: concurrency, timeoutMs, env: options.env, redactor });
    return createTransport({ dispatcher, methods, signal, maxBytes, hold });
  };
  const transport = over?.(signal) ?? connect();
  const deadlineAt = deadline === undefined ? Infinity : clock.now() + deadline.ms;
  const limiter = new RateLimiter({ ...options, clock, deadlineAt, signal, trace });
  const sender = { ...options, transport, limiter, clock, random, deadlineAt, signal, trace };
  let requests = 0;

  const exchange = async (
    method: Method,
    url: URL,
    when: { stop?: AbortSignal | undefined; isOptional?: boolean } = {},
    body: string | null = null,
  ): Promise<Interpreted> => {
    requests += 1;
    const path = cleanText(url.href.slice(baseUrl.length), redactor, 300);
    const sent = { ...headers, ...(body === null ? {} : { "content-type": "application/json" }) };
    const outgoing = { method, url, body, headers: sent, number: requests, path, ...when };
    const { response, ...fate } = await sendWithRetries(sender, outgoing);
    return interpretResponse(response, { method, path, ...fate, baseUrl, redactor, withoutKey });
  };

  return {
    baseUrl,
    get: async (path) => withoutBytes(await exchange("GET", urlOf(base, path))),
    list: async (collection) => {
      const name = { baseUrl, collection: collection.path };
      const mayBeKept = (page: string): boolean => page.length <= limits.pageAddress && redactor.redact(page) === page;
      return listPages(base, collection, {
        read: async (url, stop) => exchange("GET", url, { stop, isOptional: stop !== undefined }),
        show: (text) => cleanText(text, redactor, 80),
        remembered: memory?.recall(name) ?? [],
        distance: concurrency,
        onEnd: (pages, { asked, counted }) => {
          memory?.remember(name, pages.every(mayBeKept) ? pages : []);
          if (asked > 0) trace({ type: "remembered", path: collection.path, asked, counted });
        },
      });
    },
    send: async ({ method, path, body: value, stop }) => {
      const text = value === undefined ? null : serializeBody(value, (secret) => redactor.addSecret(secret));
      if (text?.includes(keyMask) === true) {
        throw new EdgewiseError("refused", "the live resource holds the API key in a text that would be sent again", {
          remedy: "Remove the key from that text, and use a new key: whoever reads the resource has this one.",
        });
      }
      return withoutBytes(await exchange(method, urlOf(base, path), { stop }, text));
    },
    close: async () => {
      closing.abort();
      await dispatcher?.destroy();
    },
  };
}
