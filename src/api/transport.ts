import type { IncomingHttpHeaders } from "node:http";
import { Agent, type Dispatcher, EnvHttpProxyAgent } from "undici";
import { EdgewiseError } from "../core/errors.js";
import type { Redactor } from "../redact.js";
import type { ClientOptions, Method, RequestOutcome, WriteHold } from "./client.js";

type NetworkFailure = Readonly<{
  /** Holds nothing of the request or the response. */
  message: string;
  remedy: string;
  transient: boolean;
  timedOut?: boolean;
}>;

export type WireRequest = Readonly<{
  method: Method;
  url: URL;
  headers: { readonly [header: string]: string };
  body: string | null;
  timeoutMs: number;
}>;

export type HttpResponse = Readonly<{
  type: "answer";
  status: number;
  /** By lower-case name; the first of repeated ones. */
  header: (name: string) => string | null;
  body: Buffer;
}>;

export type TransportFailure = NetworkFailure &
  Readonly<{
    type: "failure";
    outcome: Exclude<RequestOutcome, "answered">;
    status: number | null;
    stopped: boolean;
  }>;

type TransportOptions = Readonly<{
  dispatcher: Dispatcher;
  methods: ReadonlySet<Method>;
  signal: AbortSignal;
  maxBytes: number;
  hold?: WriteHold | undefined;
}>;

/** Sends one request, once, follows no redirect, and throws only for bugs. */
export type Transport = (request: WireRequest) => Promise<HttpResponse | TransportFailure>;

export function createTransport(options: TransportOptions): Transport {
  return async (request) => {
    if (!options.methods.has(request.method))
      throw new TypeError(`this client must not send ${request.method} requests`);
    return exchange(options, request);
  };
}

async function exchange(
  { dispatcher, hold, maxBytes, signal }: TransportOptions,
  { body, headers, method, timeoutMs, url }: WireRequest,
): Promise<HttpResponse | TransportFailure> {
  const chunks: Buffer[] = [];
  let size = 0;
  let status: number | null = null;
  let received: IncomingHttpHeaders = {};
  /** Set when the request is about to be written: from then on the service may have it. */
  let controller: Dispatcher.DispatchController | null = null;
  let settle: ((end: HttpResponse | TransportFailure) => void) | null = null;
  const ended = new Promise<HttpResponse | TransportFailure>((resolve) => (settle = resolve));

  const end = (result: HttpResponse | TransportFailure): void => {
    settle?.(result);
    settle = null;
    clearTimeout(timer);
    signal.removeEventListener("abort", stop);
  };
  const fail = (failure: NetworkFailure, stopped = false): void => {
    end({ type: "failure", outcome: controller === null ? "not-sent" : "unknown", status, stopped, ...failure });
    controller?.abort(new Error("ended"));
  };
  const stop = (): void => fail({ message: "interrupted", remedy: "", transient: false }, true);
  const timedOut = (): void => {
    const message = `no complete response within ${timeoutMs / 1000} s`;
    const remedy = "Try again, or raise api.timeout in the configuration.";
    fail({ message, remedy, transient: true, timedOut: true });
  };
  const tooLarge = (): void => {
    const message = `the response is larger than ${maxBytes / 1024 ** 2} MiB`;
    const remedy = "Check the base URL: this API never sends responses that large.";
    fail({ message, remedy, transient: false });
  };
  const header = (name: string): string | null => {
    const value = received[name];
    return (typeof value === "object" ? value[0] : value) ?? null;
  };
  const handler: Dispatcher.DispatchHandler = {
    onRequestStart(started) {
      if (method !== "GET" && hold?.isHeld() === false) {
        // Another attempt checks the hold anew.
        const message = "it waited so long for its connection that this process may have lost the account";
        fail({ message, remedy: "Run it again.", transient: true });
      }
      if (settle === null) started.abort(new Error("ended"));
      else controller = started;
    },
    onResponseStart(_, code, responseHeaders) {
      if (code < 200) return;
      status = code;
      received = responseHeaders;
      if (Number(header("content-length")) > maxBytes) tooLarge();
    },
    onResponseData(_, chunk) {
      size += chunk.length;
      if (size > maxBytes) tooLarge();
      else chunks.push(chunk);
    },
    onResponseEnd: () => end({ type: "answer", status: status ?? 0, header, body: Buffer.concat(chunks) }),
    onResponseError: (_, error) => fail(networkFailure(error, url.origin)),
  };
  const timer = setTimeout(timedOut, timeoutMs);
  signal.addEventListener("abort", stop);
  if (signal.aborted) stop();
  else {
    try {
      dispatcher.dispatch({ origin: url.origin, path: url.pathname + url.search, method, headers, body }, handler);
    } catch (error) {
      fail(networkFailure(error, url.origin));
    }
  }
  return ended;
}

type DispatcherOptions = Pick<ClientOptions, "env" | "timeoutMs"> &
  Readonly<{
    base: URL;
    connections: number;
    /** Learns the proxy's password. */
    redactor: Redactor;
  }>;

/** Uses the environment's proxy but for loopback. @throws EdgewiseError `config` */
export function createDispatcher(options: DispatcherOptions): Dispatcher {
  const connection = {
    connections: options.connections,
    connect: { timeout: Math.min(options.timeoutMs, 10_000) },
    headersTimeout: 0,
    bodyTimeout: 0,
  };
  const proxy = proxyFor(options);
  if (proxy === null) return new Agent(connection);
  const noProxy = variable(options.env, "NO_PROXY") ?? "";
  return new EnvHttpProxyAgent({ ...connection, httpProxy: proxy, httpsProxy: proxy, noProxy });
}

function proxyFor({ base, env, redactor }: DispatcherOptions): string | null {
  if (/^(?:.+\.)?localhost$|^\[::1\]$|^127\.\d+\.\d+\.\d+$/.test(base.hostname)) return null;
  const name = base.protocol === "https:" ? "HTTPS_PROXY" : "HTTP_PROXY";
  const text = variable(env, name);
  if (text === null) return null;
  const proxy = URL.canParse(text) ? new URL(text) : null;
  if (proxy === null || !/^https?:$/.test(proxy.protocol)) {
    throw new EdgewiseError("config", `${name} is not an http or https URL`, {
      remedy: "Set it to a URL like http://proxy.example.com:3128, or unset it.",
    });
  }
  redactor.addSecret(proxy.password);
  redactor.addSecret(decoded(proxy.password));
  return text;
}

function variable(env: DispatcherOptions["env"], name: string): string | null {
  return env[name] || env[name.toLowerCase()] || null;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const failures: readonly (readonly [code: RegExp, message: string, transient: boolean])[] = [
  [/^ECONNREFUSED$/, "the connection was refused", true],
  [/^ENOTFOUND$/, "the host name can't be resolved", false],
  [/^EAI_AGAIN$/, "the host name can't be resolved at the moment", true],
  [/^(E(HOST|NET)UNREACH|ETIMEDOUT|UND_ERR_CONNECT_TIMEOUT)$/, "the host can't be reached", true],
  [/^(ECONNRESET|EPIPE|UND_ERR_SOCKET)$/, "the connection was closed before the response was complete", true],
  [/^UND_ERR_RES_CONTENT_LENGTH_MISMATCH$/, "the response was cut short", true],
  [/^(UND_ERR_HEADERS_OVERFLOW|HPE)$/, "the response is not valid HTTP", true],
  [/^UND_ERR_PRX_TLS$/, "TLS with the proxy failed", false],
  [/^ERR_SSL_WRONG_VERSION_NUMBER$/, "the server does not speak TLS", false],
  [/^(EPROTO$|ERR_(SSL|OSSL)_)/, "TLS failed", false],
  [/^DEPTH_ZERO_SELF_SIGNED_CERT$/, "the server's certificate is self-signed", false],
  [/^CERT_(HAS_EXPIRED|NOT_YET_VALID)$/, "the server's certificate has expired or is not valid yet", false],
  [/^ERR_TLS_CERT_ALTNAME_INVALID$/, "the server's certificate is for another host name", false],
  [/CERT|SIGNATURE|ISSUER|CRL|CA(_|$)/, "this machine does not trust the server's certificate", false],
];

function networkFailure(error: unknown, origin: string): NetworkFailure {
  const proxyRemedy = "Check HTTPS_PROXY, HTTP_PROXY and NO_PROXY.";
  const status = error instanceof Error ? /^Proxy response \((\d{3})\)/.exec(error.message)?.[1] : undefined;
  if (status !== undefined) {
    const message = `the proxy responded with ${status}`;
    return { message, remedy: proxyRemedy, transient: status.startsWith("5") };
  }
  const key = error instanceof Error && error.name === "HTTPParserError" ? "HPE" : (codeOf(error) ?? "");
  const found = failures.find(([pattern]) => pattern.test(key));
  const [, message, transient] = found ?? [key, "the request failed", true];
  const remedy = message.includes("proxy")
    ? proxyRemedy
    : message.includes("certificate")
      ? `Check the base URL (${origin}). For a certificate of your own authority set NODE_EXTRA_CA_CERTS.`
      : `Check the base URL (${origin}), and that this machine can reach it; or try again.`;
  return { message, remedy, transient };
}

function codeOf(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  const code: unknown = Reflect.get(error, "code");
  if (typeof code === "string" && /^[A-Z0-9_]{1,80}$/.test(code)) return code;
  return codeOf(error instanceof AggregateError ? error.errors[0] : error.cause);
}
