import { ApiError } from "../../api/api-error.js";
import { isLoopback } from "../../config/api-config.js";
import { EdgewiseError } from "../../core/errors.js";
import { collectionOf, listedKinds } from "../../kinds/names.js";
import { type CommandContext, requireBaseUrl } from "./command-context.js";
import type { ConnectFlags } from "./command-options.js";

/**
 * The error of a request with where its base URL and key come from, and what most likely helps; anything else as it is.
 * Without a response, the message names the service instead of the request, because every request would have failed.
 */
export function withAdvice(error: unknown, context: CommandContext, flags: ConnectFlags): unknown {
  if (!(error instanceof ApiError) || error.code === "interrupted") return error;
  const baseUrl = requireBaseUrl(context);
  const from = context.config.api.baseUrlFrom() ?? "the configuration";
  const hints =
    error.status === null
      ? failureHints(error, baseUrl, from, context)
      : statusHints(error, baseUrl, from, context, flags);
  const remedy = hints.find(([applies]) => applies)?.[1] ?? error.remedy;
  if (remedy === null) return error;
  const attempts = error.attempts > 1 ? ` (after ${error.attempts} attempts)` : "";
  const message =
    error.status === null && error.method === "GET"
      ? `${baseUrl}, from ${from}, can't be read: ${error.what ?? "there was no response"}${attempts}`
      : error.message;
  return new EdgewiseError("api", message, { remedy, cause: error });
}

/** What most likely helps, the first that applies. */
type Hints = readonly (readonly [applies: boolean, remedy: string])[];

/** For statuses that every request would get; that of another request than a list speaks of its resource alone. */
function statusHints(
  { errorCode, method, path, serverMessage, status }: ApiError,
  baseUrl: string,
  from: string,
  context: CommandContext,
  flags: ConnectFlags,
): Hints {
  if (status === null || method !== "GET" || !listedKinds.some((kind) => collectionOf(kind).path === path)) return [];
  const isApi = errorCode !== null || serverMessage !== null;
  const elsewhere = `Check ${from}: ${baseUrl} may need another path or host.`;
  const isRefused = status === 401 || status === 403;
  return [
    [
      status === 400,
      `Check the version header: it is sent as ${context.config.api.versionHeader}. Live services use a branded name: api.versionHeader, --version-header or EDGEWISE_VERSION_HEADER.`,
    ],
    [
      isRefused && isApi,
      `Check that the API key from ${flags.apiKeyFile ?? "EDGEWISE_API_KEY"} belongs to ${baseUrl} (from ${from}) and may read.`,
    ],
    [isRefused, `A proxy or a login page responded, not the API. ${elsewhere}`],
    [status === 404 && !isApi, `The API is not there. ${elsewhere}`],
    [
      [404, 410, 501].includes(status),
      `Check the base URL ${baseUrl} (from ${from}). If it is right, this account has no ${path}: manifests of that kind can't be applied to it.`,
    ],
    [status === 407, aboutProxy(baseUrl, context) ?? `A proxy responded, although none is configured. ${elsewhere}`],
    [status < 300, `Something other than the API responded. ${elsewhere}`],
    [
      status < 400,
      `Redirects are not followed because the API key would go with them. Check ${from}: it must be the service's own address.`,
    ],
  ];
}

const untrusted = /SELF_SIGNED_CERT|^DEPTH_ZERO|^UNABLE_TO_(?:VERIFY|GET_ISSUER)/u;

/** For requests without a response. */
function failureHints({ networkCode, what }: ApiError, baseUrl: string, from: string, context: CommandContext): Hints {
  const { host, hostname, port: given, protocol } = new URL(baseUrl);
  const code = networkCode ?? "";
  const isLocal = isLoopback(hostname);
  const isTls = protocol === "https:";
  const port = given === "" ? (isTls ? "443" : "80") : given;
  const proxy = aboutProxy(baseUrl, context);
  const isRefused = code === "ECONNREFUSED";
  const isUnknown = ["ENOTFOUND", "EAI_AGAIN"].includes(code);
  const isProtocol = /^(?:EPROTO$|ERR_(?:SSL|OSSL)_|HPE_)/u.test(code);
  const isProxys = what?.startsWith("the proxy responded") === true || code === "UND_ERR_PRX_TLS";
  return [
    [proxy !== null && (isProxys || isRefused || isUnknown || code === "TIMEOUT"), proxy ?? ""],
    [
      untrusted.test(code),
      `If you trust it, save its authority's certificate as a PEM file, and set NODE_EXTRA_CA_CERTS to the path of that file.${isLocal ? " A test server on this machine may use http." : ""}`,
    ],
    [
      isRefused && isLocal,
      `Nothing listens on port ${port} of this machine. Start the service (a sandbox: \`edgewise sandbox --port ${port}\`), or correct ${from}.`,
    ],
    [
      isRefused,
      `Nothing listens on port ${port} of ${hostname}. Correct ${from}, or check that no firewall is in the way.`,
    ],
    [isUnknown, `No name server knows ${hostname}. Correct ${from}, or connect to the network that knows the name.`],
    [
      ["EHOSTUNREACH", "ENETUNREACH", "ETIMEDOUT", "UND_ERR_CONNECT_TIMEOUT"].includes(code),
      `Check that this machine may connect to port ${port} of ${hostname}: a VPN may be off, a firewall may block it, or a proxy may be needed (HTTPS_PROXY).`,
    ],
    [
      code === "TIMEOUT",
      "Raise api.timeout in the configuration if the service is slow. `edgewise ping -v` shows how long each request takes.",
    ],
    [
      /^CERT_(?:HAS_EXPIRED|NOT_YET_VALID)$/u.test(code),
      `Check this machine's clock, then ask whoever runs ${hostname}.`,
    ],
    [
      code === "ERR_TLS_CERT_ALTNAME_INVALID",
      `Correct the host name in ${from}: the certificate is not for ${hostname}.`,
    ],
    [
      isTls && isProtocol,
      `Port ${port} of ${hostname} does not serve https. Correct the port in ${from}${isLocal ? `, or write http://${host}` : ""}.`,
    ],
    [
      isProtocol || (!isTls && ["ECONNRESET", "EPIPE", "UND_ERR_SOCKET"].includes(code)),
      `If port ${port} of ${hostname} serves https, write https://${host} in ${from}.`,
    ],
  ];
}

/** Null when no proxy is used. The variable's value may hold a password, so it is not quoted. */
function aboutProxy(baseUrl: string, { io }: CommandContext): string | null {
  const { hostname, protocol } = new URL(baseUrl);
  const variable = protocol === "https:" ? "HTTPS_PROXY" : "HTTP_PROXY";
  if (isLoopback(hostname) || !(io.env[variable] || io.env[variable.toLowerCase()])) return null;
  return `Requests to ${hostname} go through the proxy that ${variable} names. Correct it, or put ${hostname} into NO_PROXY.`;
}
