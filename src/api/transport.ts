import type { IncomingHttpHeaders } from "node:http";
import type { Dispatcher } from "undici";
import type { Method, RequestOutcome, WriteHold } from "./client.js";

/** A request as it is sent. */
export interface WireRequest {
  readonly method: Method;
  readonly url: URL;
  readonly headers: { readonly [header: string]: string };
  readonly body: string | null;
  /** Until the last byte of the response, in ms. */
  readonly timeoutMs: number;
}

/** A complete response, whatever its status. */
export interface HttpResponse {
  readonly type: "answer";
  readonly status: number;
  /** By lower-case name; the first of repeated ones. */
  readonly header: (name: string) => string | null;
  readonly body: Buffer;
}

/** There was no complete response. */
export interface TransportFailure {
  readonly type: "failure";
  readonly outcome: Exclude<RequestOutcome, "answered">;
  /** The status, when at least that was received. */
  readonly status: number | null;
  readonly code: string | null;
  readonly message: string;
  readonly remedy: string;
  readonly transient: boolean;
  /** Cut off by the stop signal. */
  readonly stopped: boolean;
}

export interface TransportOptions {
  readonly dispatcher: Dispatcher;
  /** No other method can be sent: a reader has no way to write. */
  readonly methods: ReadonlySet<Method>;
  /** Cuts off what is in flight. */
  readonly signal: AbortSignal;
  /** The largest body of a response, in bytes. */
  readonly maxBytes: number;
  /** See `ClientOptions`. */
  readonly hold?: WriteHold | undefined;
}

/** Sends one request, once. Never follows a redirect, never repeats anything, and throws only for bugs. */
export type Transport = (request: WireRequest) => Promise<HttpResponse | TransportFailure>;

export function createTransport(options: TransportOptions): Transport {
  const inFlight = new Set<Exchange>();
  const stop = (): void => {
    for (const exchange of inFlight) exchange.stop();
  };
  // One for all: with a listener for each, adding and removing it takes as long as all else that a request needs.
  options.signal.addEventListener("abort", stop, { once: true });
  return async (request) => {
    if (!options.methods.has(request.method))
      throw new TypeError(`this client must not send ${request.method} requests`);
    return new Promise((resolve) => {
      const exchange = new Exchange(options, request, (end) => {
        inFlight.delete(exchange);
        resolve(end);
      });
      inFlight.add(exchange);
      exchange.start(options.dispatcher);
    });
  };
}

/** One request in flight. Whatever ends it first decides; the rest is ignored. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #options: TransportOptions;
  readonly #request: WireRequest;
  readonly #resolve: (end: HttpResponse | TransportFailure) => void;
  readonly #chunks: Buffer[] = [];
  #size = 0;
  #status: number | null = null;
  #headers: IncomingHttpHeaders = {};
  /** Set when the request is about to be written: from then on the service may have it. */
  #controller: Dispatcher.DispatchController | null = null;
  #ended = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    options: TransportOptions,
    request: WireRequest,
    resolve: (end: HttpResponse | TransportFailure) => void,
  ) {
    this.#options = options;
    this.#request = request;
    this.#resolve = resolve;
  }

  start(dispatcher: Dispatcher): void {
    const { method, url, headers, body, timeoutMs } = this.#request;
    const { signal } = this.#options;
    if (signal.aborted) {
      this.stop();
      return;
    }
    this.#timer = setTimeout(() => this.#timedOut(), timeoutMs);
    try {
      const path = url.pathname + url.search;
      dispatcher.dispatch({ origin: url.origin, path, method, headers: { ...headers }, body }, this);
    } catch (error) {
      this.onResponseError(null, error);
    }
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.#request.method !== "GET" && this.#options.hold?.isHeld() === false) this.#unproven();
    if (this.#ended) controller.abort(new Error("ended"));
    else this.#controller = controller;
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    if (status < 200) return;
    this.#status = status;
    this.#headers = headers;
    if (Number(this.#header("content-length")) > this.#options.maxBytes) this.#tooLarge();
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#ended) return;
    this.#size += chunk.length;
    if (this.#size > this.#options.maxBytes) this.#tooLarge();
    else this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    const status = this.#status ?? 0;
    const header = (name: string): string | null => this.#header(name);
    const answer: HttpResponse = { type: "answer", status, header, body: Buffer.concat(this.#chunks) };
    // A failure may be a reason to send nothing more: what came with it must not lead to requests before it is known.
    if (status < 400) this.#end(answer, setImmediate);
    else this.#end(answer);
  }

  onResponseError(_: Dispatcher.DispatchController | null, error: unknown): void {
    this.#fail({ ...networkFailure(error), stopped: false });
  }

  #header(name: string): string | null {
    const value = this.#headers[name];
    return (typeof value === "object" ? value[0] : value) ?? null;
  }

  #tooLarge(): void {
    const message = `the response is larger than ${this.#options.maxBytes / 1024 ** 2} MiB`;
    const remedy = "Check the base URL: this API never sends responses that large.";
    this.#fail({ code: "TOO_LARGE", message, remedy, transient: false, stopped: false });
  }

  /** Another attempt asks first. */
  #unproven(): void {
    const message = "it waited for its connection for so long that this process may have lost the account";
    this.#fail({ code: "HELD", message, remedy: "Run it again.", transient: true, stopped: false });
  }

  /** Cuts it off. */
  stop(): void {
    this.#fail({ code: "STOPPED", message: "interrupted", remedy: "", transient: false, stopped: true });
  }

  #timedOut(): void {
    const message = `no complete response within ${this.#request.timeoutMs / 1000} s`;
    const remedy = "Try again, or raise api.timeout in the configuration.";
    this.#fail({ code: "TIMEOUT", message, remedy, transient: true, stopped: false });
  }

  #fail(failure: Omit<TransportFailure, "type" | "outcome" | "status">): void {
    const outcome = this.#controller === null ? "not-sent" : "unknown";
    this.#end({ type: "failure", outcome, status: this.#status, ...failure });
    this.#controller?.abort(new Error("ended"));
  }

  #end(end: HttpResponse | TransportFailure, when = (resolve: () => void): void => resolve()): void {
    if (this.#ended) return;
    this.#ended = true;
    clearTimeout(this.#timer);
    when(() => this.#resolve(end));
  }
}

/** Why a request got no response. */
export interface NetworkFailure {
  /** From Node, OpenSSL or undici: `ECONNREFUSED`. Null when there is none. */
  readonly code: string | null;
  /** Contains nothing of the request, of the address or of what the server sent. */
  readonly message: string;
  readonly remedy: string;
  /** Whether a retry may help. */
  readonly transient: boolean;
}

const addressRemedy = "Check the base URL, and that this machine can reach it.";
const waitRemedy = "Try again; if it keeps failing, ask whoever runs the service.";
const certificateRemedy =
  "Check the base URL. Set NODE_EXTRA_CA_CERTS for a certificate of your own authority; for a test server use http on loopback.";

const notHttp = {
  message: "the response is not valid HTTP",
  remedy: "Check whether the base URL is https or http.",
  transient: true,
};

const known: { readonly [code: string]: Omit<NetworkFailure, "code"> } = {
  ECONNREFUSED: { message: "the connection was refused", remedy: addressRemedy, transient: true },
  ENOTFOUND: { message: "the host name can't be resolved", remedy: addressRemedy, transient: false },
  EAI_AGAIN: { message: "the host name can't be resolved at the moment", remedy: addressRemedy, transient: true },
  EHOSTUNREACH: { message: "the host can't be reached", remedy: addressRemedy, transient: true },
  ENETUNREACH: { message: "the network can't be reached", remedy: addressRemedy, transient: true },
  ETIMEDOUT: { message: "the connection timed out", remedy: addressRemedy, transient: true },
  UND_ERR_CONNECT_TIMEOUT: { message: "no connection was made in time", remedy: addressRemedy, transient: true },
  ECONNRESET: { message: "the connection was reset", remedy: waitRemedy, transient: true },
  EPIPE: { message: "the connection was closed", remedy: waitRemedy, transient: true },
  UND_ERR_SOCKET: {
    message: "the connection was closed before the response was complete",
    remedy: waitRemedy,
    transient: true,
  },
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: {
    message: "the response was cut short",
    remedy: waitRemedy,
    transient: true,
  },
  UND_ERR_HEADERS_OVERFLOW: notHttp,
  EPROTO: { message: "TLS failed", remedy: "Check whether the base URL is https or http.", transient: false },
  UND_ERR_PRX_TLS: { message: "TLS with the proxy failed", remedy: certificateRemedy, transient: false },
};

/** What is wrong with a certificate, by the code of OpenSSL. */
const certificateProblems: { readonly [code: string]: string } = {
  DEPTH_ZERO_SELF_SIGNED_CERT: "is self-signed",
  SELF_SIGNED_CERT_IN_CHAIN: "was issued by an authority that this machine does not trust",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "was issued by an authority that this machine does not trust",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "was issued by an authority that this machine does not trust",
  UNABLE_TO_GET_ISSUER_CERT: "was issued by an authority that this machine does not trust",
  CERT_HAS_EXPIRED: "has expired",
  CERT_NOT_YET_VALID: "is not valid yet",
  ERR_TLS_CERT_ALTNAME_INVALID: "is for another host name",
  CERT_REVOKED: "was revoked",
};

/** Describes an error of the network layer. Nothing that the server could have written is kept. */
export function networkFailure(error: unknown): NetworkFailure {
  const code = codeOf(error);
  const text = error instanceof Error ? error.message : "";
  const proxy = /^Proxy response \((\d{3})\)/.exec(text);
  if (proxy !== null) {
    return {
      code,
      message: `the proxy responded with ${proxy[1] ?? "an error"}`,
      remedy: "Check HTTPS_PROXY, HTTP_PROXY and NO_PROXY.",
      transient: (proxy[1] ?? "").startsWith("5"),
    };
  }
  if (error instanceof Error && error.name === "HTTPParserError") return { code, ...notHttp };
  if (code === null) return { code, message: "the request failed", remedy: waitRemedy, transient: true };
  const found = known[code];
  if (found !== undefined) return { code, ...found };
  // A handshake may also fail with a code of another part of OpenSSL.
  if (/^ERR_(?:SSL|OSSL)_/.test(code)) {
    const message = code === "ERR_SSL_WRONG_VERSION_NUMBER" ? "the server does not speak TLS" : "TLS failed";
    return { code, message, remedy: "Check whether the base URL is https or http.", transient: false };
  }
  if (/CERT|SIGNATURE|ISSUER|CRL|_CA$|CA_/.test(code)) {
    const message = `the server's certificate ${certificateProblems[code] ?? "is not trusted"}`;
    return { code, message, remedy: certificateRemedy, transient: false };
  }
  return { code, message: "the request failed", remedy: waitRemedy, transient: true };
}

/** The code of an error, or of the first in an AggregateError (which has one for each address that was tried). */
function codeOf(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  const code = (error as { readonly code?: unknown }).code;
  if (typeof code === "string" && /^[A-Z0-9_]{1,80}$/.test(code)) return code;
  if (error instanceof AggregateError) return codeOf(error.errors[0]);
  return error.cause === undefined ? null : codeOf(error.cause);
}
