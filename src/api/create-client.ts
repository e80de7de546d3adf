import { setMaxListeners } from "node:events";
import { EdgewiseError } from "../core/errors.js";
import { Redactor, cleanText } from "../redact.js";
import { Semaphore } from "../core/semaphore.js";
import type { ApiRequest, ApiResponse, Client, ClientOptions, Method, ReadClient } from "./client.js";
import type { Dispatcher } from "undici";
import { createDispatcher } from "./create-dispatcher.js";
import { type Interpreted, interpretResponse } from "./interpret-response.js";
import { limits } from "../core/limits.js";
import { type RememberedList, listPages } from "./list-pages.js";
import { RateLimiter } from "./rate-limiter.js";
import { baseUrlText, parseBaseUrl, requestHeaders, serializeBody, urlOf } from "./request-parts.js";
import { type Sender, sendWithRetries } from "./send-with-retries.js";
import { systemClock } from "./system-clock.js";
import { type Transport, createTransport } from "./transport.js";

/** The largest response, far above any page of a list: a hundred edges with long traffic policies have about 5 MiB. */
const maxBytes = 16 * 1024 ** 2;

/** How far remembered pages are asked for ahead of the list, in multiples of the concurrency: when they are of no use, no more is wasted. */
const aheadOfList = 3;

/** Stands in answers in the place of the API key. */
const keyMask = "(secret:API-key)";

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
 * A client that can only read: it has no method to write, and its transport refuses to.
 * @throws EdgewiseError `config` as {@link createClient} does
 */
export function createReadClient(options: ClientOptions): ReadClient {
  const { baseUrl, get, list, close } = build(options, readMethods);
  return { baseUrl, get, list, close };
}

/**
 * {@link createClient} without the network, for simulations.
 * @param transport gets the signal that cuts off what it has in flight
 */
export function createClientOver(options: ClientOptions, transport: (signal: AbortSignal) => Transport): Client {
  return build(options, allMethods, transport);
}

/** Why a text of the service that would be sent again is not. */
function keyIsLive(): EdgewiseError {
  return new EdgewiseError("refused", "the live resource holds the API key in a text that would be sent again", {
    remedy: "Remove the key from that text in the service, and use a new key: whoever reads the resource has this one.",
  });
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
  const wholeKey = new Redactor(keyMask);
  wholeKey.addSecret(options.apiKey.reveal());
  const withoutKey = (text: string): string => wholeKey.redact(text);
  const stop = stopOf(options.signal);
  const { signal } = stop;
  const { concurrency: connections, timeoutMs, env, hold } = options;
  let dispatcher: Dispatcher | undefined;
  const connected = (): Transport => {
    dispatcher = createDispatcher({ base, connections, timeoutMs, env, redactor });
    return createTransport({ dispatcher, methods, signal, maxBytes, hold });
  };
  const transport = over === undefined ? connected() : over(signal);
  const sender = senderOf(options, signal, transport);
  let requests = 0;

  const exchange = async (call: Call): Promise<Interpreted> => {
    const { method, url, body, succeeds, stop, isOptional = false } = call;
    requests += 1;
    // Anew each time: what is secret may become known while the request is on its way.
    const shown = {
      get path() {
        return cleanText(url.href.slice(baseUrl.length), redactor, 300);
      },
    };
    const { response, attempts, lost } = await sendWithRetries(sender, {
      request: { method, url, body, headers: body === null ? headers.withoutBody : headers.withBody },
      number: requests,
      shown,
      stop,
      isOptional,
    });
    const info = {
      method,
      get path() {
        return shown.path;
      },
      attempts,
      lost,
      baseUrl,
      redactor,
      withoutKey,
    };
    return interpretResponse(response, info, succeeds);
  };
  const readRequest = (url: URL): Call => ({
    method: "GET",
    url,
    body: null,
    succeeds: (status) => status === 200 || status === 204,
  });
  const read = (url: URL): Promise<Interpreted> => exchange(readRequest(url));
  const turns = new Semaphore(options.concurrency);
  const rememberedPages = (collection: string): RememberedList | undefined => {
    const { concurrency, pages: memory, trace } = options;
    if (memory === undefined) return undefined;
    const list = { baseUrl, collection };
    const mayBeKept = (pages: readonly string[]): boolean => {
      const text = pages.join("\n");
      return pages.every((page) => page.length <= limits.pageAddress) && redactor.redact(text) === text;
    };
    return {
      pages: memory.recall(list),
      remember: (pages) => memory.remember(list, mayBeKept(pages) ? pages : []),
      onCounts: (counts) => trace?.({ type: "remembered", path: collection, ...counts }),
      read: (url, stop) => exchange({ ...readRequest(url), stop, isOptional: true }),
      turns,
      distance: concurrency * aheadOfList,
    };
  };

  return {
    baseUrl,
    get: async (path) => withoutDetails(await read(urlOf(base, path))),
    list: async (collection) =>
      listPages(base, collection, {
        read,
        show: (text) => cleanText(text, redactor, 80),
        remembered: rememberedPages(collection.path),
      }),
    send: async ({ method, path, body, stop: callerStop }: ApiRequest) => {
      const text = body === undefined ? null : serializeBody(body, (secret) => redactor.addSecret(secret));
      if (text?.includes(keyMask) === true) throw keyIsLive();
      const succeeds = (status: number): boolean => status >= 200 && status < 300;
      return withoutDetails(await exchange({ method, url: urlOf(base, path), body: text, succeeds, stop: callerStop }));
    },
    close: async () => {
      stop.now();
      await dispatcher?.destroy();
    },
  };
}

/** A request of this client, and which statuses mean that it succeeded. */
interface Call {
  readonly method: Method;
  readonly url: URL;
  readonly body: string | null;
  readonly succeeds: (status: number) => boolean;
  readonly stop?: AbortSignal | undefined;
  /** See `Outgoing`. */
  readonly isOptional?: boolean;
}

function withoutDetails({ status, body }: Interpreted): ApiResponse {
  return { status, body };
}

function senderOf(options: ClientOptions, signal: AbortSignal, transport: Transport): Sender {
  const { concurrency, givesWay, requestsPerMinute, timeoutMs, window } = options;
  const clock = options.clock ?? systemClock;
  const deadlineAt = options.deadline === undefined ? Infinity : clock.now() + options.deadline.ms;
  const trace = options.trace ?? ((): void => undefined);
  const tracesAttempts = isEachTraced(options);
  const limiter = new RateLimiter({
    concurrency,
    requestsPerMinute,
    window,
    givesWay,
    clock,
    deadlineAt,
    signal,
    trace,
  });
  const { hold, onServiceTime, random = Math.random } = options;
  const reports = { trace, tracesAttempts, onServiceTime };
  return { transport, limiter, clock, random, timeoutMs, deadlineAt, signal, hold, ...reports };
}

/** Whether each attempt of a request is traced. */
function isEachTraced({ trace, traced }: ClientOptions): boolean {
  return trace !== undefined && traced !== "waits";
}

/** The signal that cuts everything off: when the caller aborts, or the client is closed. */
function stopOf(outer: AbortSignal | undefined): { readonly signal: AbortSignal; readonly now: () => void } {
  const controller = new AbortController();
  // Every wait adds a listener.
  setMaxListeners(0, controller.signal);
  const now = (): void => {
    outer?.removeEventListener("abort", now);
    controller.abort();
  };
  if (outer?.aborted === true) now();
  else outer?.addEventListener("abort", now, { once: true });
  return { signal: controller.signal, now };
}
