/** Why a request got no answer. */
export interface NetworkFailure {
  /** Of Node, OpenSSL or undici: `ECONNREFUSED`. Null when there is none. */
  readonly code: string | null;
  /** Without the request, the address or anything that the server sent. */
  readonly message: string;
  readonly remedy: string;
  /** Whether trying again may help. */
  readonly transient: boolean;
}

const addressRemedy = "Check the base URL, and that this machine can reach it.";
const waitRemedy = "Try again; if it stays so, ask whoever runs the service.";
const certificateRemedy =
  "Check the base URL. A certificate of your own authority needs NODE_EXTRA_CA_CERTS; one of a test server needs http on loopback.";

const notHttp = {
  message: "the answer is not valid HTTP",
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
    message: "the connection was closed before the answer was complete",
    remedy: waitRemedy,
    transient: true,
  },
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: {
    message: "the answer was cut short",
    remedy: waitRemedy,
    transient: true,
  },
  UND_ERR_HEADERS_OVERFLOW: notHttp,
  EPROTO: { message: "TLS failed", remedy: "Check whether the base URL is https or http.", transient: false },
  UND_ERR_PRX_TLS: { message: "TLS with the proxy failed", remedy: certificateRemedy, transient: false },
};

/** Names what the network layer threw. Nothing of its message is kept that the server could have written. */
export function networkFailure(error: unknown): NetworkFailure {
  const code = codeOf(error);
  const text = error instanceof Error ? error.message : "";
  const proxy = /^Proxy response \((\d{3})\)/.exec(text);
  if (proxy !== null) {
    return {
      code,
      message: `the proxy answered ${proxy[1] ?? "with an error"}`,
      remedy: "Check HTTPS_PROXY, HTTP_PROXY and NO_PROXY.",
      transient: (proxy[1] ?? "").startsWith("5"),
    };
  }
  if (error instanceof Error && error.name === "HTTPParserError") return { code, ...notHttp };
  if (code === null) return { code, message: "the request failed", remedy: waitRemedy, transient: true };
  const found = known[code];
  if (found !== undefined) return { code, ...found };
  if (code.startsWith("ERR_SSL_")) {
    const message = "TLS failed";
    return { code, message, remedy: "Check whether the base URL is https or http.", transient: false };
  }
  if (/CERT|SIGNATURE|ISSUER|CRL|_CA$|CA_/.test(code)) {
    return { code, message: "the server's certificate is not trusted", remedy: certificateRemedy, transient: false };
  }
  return { code, message: "the request failed", remedy: waitRemedy, transient: true };
}

/** The code of an error, or of the first of those it is made of (one for each address that was tried). */
function codeOf(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  const code = (error as { readonly code?: unknown }).code;
  if (typeof code === "string" && /^[A-Z0-9_]{1,80}$/.test(code)) return code;
  if (error instanceof AggregateError) return codeOf(error.errors[0]);
  return error.cause === undefined ? null : codeOf(error.cause);
}
