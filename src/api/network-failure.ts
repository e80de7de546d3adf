export type NetworkFailure = Readonly<{
  /** Nothing of the request, of the address or of what the server sent. */
  message: string;
  remedy: string;
  transient: boolean;
  timedOut?: boolean;
}>;

const unknownAuthority = "the server's certificate was issued by an authority that this machine does not trust";

const failures: readonly (readonly [code: RegExp, message: string, transient: boolean])[] = [
  [/^ECONNREFUSED$/, "the connection was refused", true],
  [/^ENOTFOUND$/, "the host name can't be resolved", false],
  [/^EAI_AGAIN$/, "the host name can't be resolved at the moment", true],
  [/^E(HOST|NET)UNREACH$/, "the host can't be reached", true],
  [/^(ETIMEDOUT|UND_ERR_CONNECT_TIMEOUT)$/, "no connection was made in time", true],
  [/^ECONNRESET$/, "the connection was reset", true],
  [/^(EPIPE|UND_ERR_SOCKET)$/, "the connection was closed before the response was complete", true],
  [/^UND_ERR_RES_CONTENT_LENGTH_MISMATCH$/, "the response was cut short", true],
  [/^(UND_ERR_HEADERS_OVERFLOW|HPE)$/, "the response is not valid HTTP", true],
  [/^UND_ERR_PRX_TLS$/, "TLS with the proxy failed", false],
  [/^ERR_SSL_WRONG_VERSION_NUMBER$/, "the server does not speak TLS", false],
  [/^(EPROTO$|ERR_(SSL|OSSL)_)/, "TLS failed", false],
  [/^DEPTH_ZERO_SELF_SIGNED_CERT$/, "the server's certificate is self-signed", false],
  [/^(SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_(VERIFY_LEAF|GET_ISSUER)\w*)$/, unknownAuthority, false],
  [/^CERT_HAS_EXPIRED$/, "the server's certificate has expired", false],
  [/^CERT_NOT_YET_VALID$/, "the server's certificate is not valid yet", false],
  [/^ERR_TLS_CERT_ALTNAME_INVALID$/, "the server's certificate is for another host name", false],
  [/CERT|SIGNATURE|ISSUER|CRL|CA(_|$)/, "the server's certificate is not trusted", false],
];

export function networkFailure(error: unknown, origin: string): NetworkFailure {
  const proxyRemedy = "Check HTTPS_PROXY, HTTP_PROXY and NO_PROXY.";
  const status = error instanceof Error ? /^Proxy response \((\d{3})\)/.exec(error.message)?.[1] : undefined;
  if (status !== undefined) {
    const message = `the proxy responded with ${status}`;
    return { message, remedy: proxyRemedy, transient: status.startsWith("5") };
  }
  // The parser's errors have codes of many kinds.
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

/** An AggregateError has one for each address that was tried. */
function codeOf(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  const code: unknown = Reflect.get(error, "code");
  if (typeof code === "string" && /^[A-Z0-9_]{1,80}$/.test(code)) return code;
  return codeOf(error instanceof AggregateError ? error.errors[0] : error.cause);
}
