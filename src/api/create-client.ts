import { setMaxListeners } from "node:events";
import { Redactor } from "../redact/redactor.js";
import { cleanText, keyMask } from "../redact/server-text.js";
import type { ApiRequest, ApiResponse, Client, ClientOptions, Method, ReadClient } from "./client.js";
import { createDispatcher } from "./create-dispatcher.js";
import { type Interpreted, interpretResponse } from "./interpret-response.js";
import { listPages } from "./list-pages.js";
import { RateLimiter } from "./rate-limiter.js";
import { baseUrlText, parseBaseUrl, requestHeaders, serializeBody, urlOf } from "./request-parts.js";
import { type Sender, sendWithRetries } from "./send-with-retries.js";
import { systemClock } from "./system-clock.js";
import { type Transport, createTransport } from "./transport.js";

/** No page of a list comes near it: a hundred edges with a long traffic policy each have about 5 MiB. */
const maxBytes = 16 * 1024 ** 2;

const readMethods: ReadonlySet<Method> = new Set(["GET"]);
const allMethods: ReadonlySet<Method> = new Set(["GET", "POST", "PATCH", "PUT", "DELETE"]);

/**
 * A client that reads and writes. Nothing is sent and no connection made before the first request.
 * @throws EdgewiseError `config` for a base URL, API key or version header that can't be used
 */
export function createClient(options: ClientOptions): Client {
  return build(options, allMethods);
}

/**
 * A client that can only read: it has no way to write, and its transport refuses to.
 * @throws EdgewiseError `config` as {@link createClient} does
 */
export function createReadClient(options: ClientOptions): ReadClient {
  const { baseUrl, get, list, close } = build(options, readMethods);
  return { baseUrl, get, list, close };
}

/**
 * {@link createClient} over another way to the service than the network: for simulations.
 * @param transport is told the signal that ends what it has in flight
 */
export function createClientOver(options: ClientOptions, transport: (signal: AbortSignal) => Transport): Client {
  return build(options, allMethods, transport);
}

function build(
  options: ClientOptions,
  methods: ReadonlySet<Method>,
  over?: (signal: AbortSignal) => Transport,
): Client {
  const base = parseBaseUrl(options.baseUrl);
  const baseUrl = baseUrlText(base);
  const headers = requestHeaders(options.apiKey, options.versionHeader);
  const redactor = options.redactor ?? new Redactor();
  redactor.addKey(options.apiKey.reveal());
  const withoutKey = keyMask(options.apiKey.reveal());
  const stop = stopOf(options.signal);
  const connection = lazily(() => {
    const { concurrency: connections, timeoutMs, env } = options;
    return createDispatcher({ base, connections, timeoutMs, env, redactor });
  });
  const sender = senderOf(options, stop.signal, {
    transport:
      over?.(stop.signal) ?? createTransport({ dispatcher: connection.get, methods, signal: stop.signal, maxBytes }),
  });
  let requests = 0;

  const exchange = async (
    method: Method,
    url: URL,
    body: string | null,
    succeeds: (status: number) => boolean,
    stop?: AbortSignal,
  ): Promise<Interpreted> => {
    requests += 1;
    const path = cleanText(url.href.slice(baseUrl.length), redactor, 300);
    const { answer, attempts, lost } = await sendWithRetries(sender, {
      request: { method, url, body, headers: body === null ? headers.withoutBody : headers.withBody },
      number: requests,
      path,
      stop,
    });
    return interpretResponse(answer, { method, path, attempts, lost, baseUrl, redactor, withoutKey }, succeeds);
  };
  const read = (url: URL): Promise<Interpreted> =>
    exchange("GET", url, null, (status) => status === 200 || status === 204);

  return {
    baseUrl,
    get: async (path) => response(await read(urlOf(base, path))),
    list: async (collection, onPage) =>
      listPages(base, collection, { read, show: (text) => cleanText(text, redactor, 80), onPage }),
    send: async ({ method, path, body, stop: given }: ApiRequest) => {
      const text = body === undefined ? null : serializeBody(body, (secret) => redactor.add(secret));
      return response(
        await exchange(method, urlOf(base, path), text, (status) => status >= 200 && status < 300, given),
      );
    },
    close: async () => {
      stop.now();
      await connection.end((dispatcher) => dispatcher.destroy());
    },
  };
}

function response({ status, body }: Interpreted): ApiResponse {
  return { status, body };
}

function senderOf(options: ClientOptions, signal: AbortSignal, rest: Pick<Sender, "transport">): Sender {
  const { concurrency, requestsPerMinute, timeoutMs } = options;
  const clock = options.clock ?? systemClock;
  const deadlineAt = options.deadline === undefined ? Infinity : clock.now() + options.deadline.ms;
  const trace = options.trace ?? ((): void => undefined);
  const limiter = new RateLimiter({ concurrency, requestsPerMinute, clock, deadlineAt, signal, trace });
  return { ...rest, limiter, clock, random: options.random ?? Math.random, timeoutMs, deadlineAt, signal, trace };
}

/** The signal that cuts everything off: the caller's, or the client's own end. */
function stopOf(outer: AbortSignal | undefined): { readonly signal: AbortSignal; readonly now: () => void } {
  const controller = new AbortController();
  // Every request and every wait listens to it.
  setMaxListeners(0, controller.signal);
  const now = (): void => {
    outer?.removeEventListener("abort", now);
    controller.abort();
  };
  if (outer?.aborted === true) now();
  else outer?.addEventListener("abort", now, { once: true });
  return { signal: controller.signal, now };
}

/** Something that is made when it is first needed, once, and ended only if it was made. */
function lazily<T>(make: () => Promise<T>): {
  readonly get: () => Promise<T>;
  readonly end: (how: (made: T) => Promise<void>) => Promise<void>;
} {
  let made: Promise<T> | null = null;
  return {
    get: () => (made ??= make()),
    end: async (how) => {
      if (made !== null) await made.then(how, () => undefined);
    },
  };
}
