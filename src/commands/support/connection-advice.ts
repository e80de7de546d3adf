import { ApiError } from "../../api/api-error.js";
import { isLoopback } from "../../config/api-config.js";
import { EdgewiseError } from "../../core/errors.js";
import { collectionOf, listedKinds } from "../../kinds/names.js";
import { type CommandContext, requireBaseUrl } from "./command-context.js";
import type { ConnectFlags } from "./command-options.js";

/** What a command was connecting to, and what decided that. */
interface Destination {
  readonly baseUrl: string;
  readonly url: URL;
  /** `--base-url`, `EDGEWISE_BASE_URL`, `api.baseUrl in edgewise.yaml:5`. */
  readonly from: string;
  /** `EDGEWISE_API_KEY`, or the file's name. */
  readonly key: string;
  readonly versionHeader: string;
  /** The variable that names the proxy for this URL; null without one. */
  readonly proxy: string | null;
}

/**
 * The error of a request with where its base URL and key come from, and what most likely helps; anything else as it is.
 * Without a response, the message names the service instead of the request, because every request would have failed.
 */
export function withAdvice(error: unknown, context: CommandContext, flags: ConnectFlags): unknown {
  if (!(error instanceof ApiError) || error.code === "interrupted") return error;
  const to = destinationOf(context, flags);
  if (error.status !== null) {
    const remedy = (isOfList(error) ? adviceForStatus(error, to) : null) ?? error.remedy;
    return new EdgewiseError("api", error.message, { ...(remedy === null ? {} : { remedy }), cause: error });
  }
  const remedy = adviceForFailure(error, to) ?? error.remedy;
  if (remedy === null) return error;
  if (error.method !== "GET") return new EdgewiseError("api", error.message, { remedy, cause: error });
  const attempts = error.attempts > 1 ? ` (after ${error.attempts} attempts)` : "";
  const message = `${to.baseUrl}, from ${to.from}, can't be read: ${error.what ?? "there was no response"}${attempts}`;
  return new EdgewiseError("api", message, { remedy, cause: error });
}

/** Whether the request is one that every command begins with, so that its status speaks of the whole service. */
function isOfList({ method, path }: ApiError): boolean {
  return method === "GET" && listedKinds.some((kind) => collectionOf(kind).path === path);
}

function destinationOf(context: CommandContext, flags: ConnectFlags): Destination {
  const { config, io } = context;
  const baseUrl = requireBaseUrl(context);
  const url = new URL(baseUrl);
  const variable = url.protocol === "https:" ? "HTTPS_PROXY" : "HTTP_PROXY";
  const proxied = !isLoopback(url.hostname) && Boolean(io.env[variable] || io.env[variable.toLowerCase()]);
  return {
    baseUrl,
    url,
    from: config.api.baseUrlFrom() ?? "the configuration",
    key: flags.apiKeyFile ?? "EDGEWISE_API_KEY",
    versionHeader: config.api.versionHeader,
    proxy: proxied ? variable : null,
  };
}

/** What to do about a status that every request would get; null where the service's own words are enough. */
function adviceForStatus(error: ApiError, to: Destination): string | null {
  const isApi = error.errorCode !== null || error.serverMessage !== null;
  const { baseUrl, from, key, versionHeader } = to;
  const elsewhere = `Check ${from}: ${baseUrl} may need another path or host.`;
  switch (error.status) {
    case 400:
      return `Check the version header: it is sent as ${versionHeader}. Live services use a branded name: api.versionHeader, --version-header or EDGEWISE_VERSION_HEADER.`;
    case 401:
    case 403:
      if (!isApi) return `A proxy or a login page responded, not the API. ${elsewhere}`;
      return `Check that the API key from ${key} belongs to ${baseUrl} (from ${from}) and may read.`;
    case 404:
      return isApi ? notOffered(error, to) : `The API is not there. ${elsewhere}`;
    case 407:
      if (to.proxy === null)
        return `A proxy responded, although none is configured for ${to.url.hostname}. ${elsewhere}`;
      return `The proxy wants a user and password. ${aboutProxy(to)}`;
    case 410:
    case 501:
      return notOffered(error, to);
    default:
      if (error.status === null || error.status < 200 || error.status >= 400) return null;
      if (error.status >= 300) {
        return `Redirects are not followed because the API key would go with them. Check ${from}: it must be the service's own address.`;
      }
      return `Something other than the API responded. ${elsewhere}`;
  }
}

/** The service has no such collection: other base URLs, other accounts and later days of the same may have it. */
function notOffered({ path }: ApiError, { baseUrl, from }: Destination): string {
  return `Check the base URL ${baseUrl} (from ${from}). If it is right, this account has no ${path}: manifests of that kind can't be applied to it.`;
}

const unknownAuthority: ReadonlySet<string> = new Set([
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_GET_ISSUER_CERT",
]);

/** What to do when there was no response; null for failures that say it themselves. */
function adviceForFailure({ networkCode, what }: ApiError, to: Destination): string | null {
  const { from, url } = to;
  const { hostname } = url;
  const local = isLoopback(hostname);
  const isTls = url.protocol === "https:";
  const port = url.port === "" ? (isTls ? "443" : "80") : url.port;
  const code = networkCode ?? "";
  if (what?.startsWith("the proxy responded") === true || code === "UND_ERR_PRX_TLS") return aboutProxy(to);
  if (unknownAuthority.has(code)) {
    return `If you trust it, save its authority's certificate as a PEM file, and set NODE_EXTRA_CA_CERTS to the path of that file.${local ? " A test server on this machine may use http." : ""}`;
  }
  const otherProtocol = isTls
    ? `Port ${port} of ${hostname} does not serve https. Correct the port in ${from}${local ? `, or write http://${url.host}` : ""}.`
    : `If port ${port} of ${hostname} serves https, write https://${url.host} in ${from}.`;
  switch (code) {
    case "ECONNREFUSED":
      if (to.proxy !== null) return aboutProxy(to);
      return local
        ? `Nothing listens on port ${port} of this machine. Start the service (a sandbox: \`edgewise sandbox --port ${port}\`), or correct ${from}.`
        : `Nothing listens on port ${port} of ${hostname}. Correct ${from}, or check that no firewall is in the way.`;
    case "ENOTFOUND":
    case "EAI_AGAIN":
      if (to.proxy !== null) return aboutProxy(to);
      return `No name server knows ${hostname}. Correct ${from}, or connect to the network that knows the name.`;
    case "EHOSTUNREACH":
    case "ENETUNREACH":
    case "ETIMEDOUT":
    case "UND_ERR_CONNECT_TIMEOUT":
      return `Check that this machine may connect to port ${port} of ${hostname}: a VPN may be off, a firewall may block it, or a proxy may be needed (HTTPS_PROXY).`;
    case "TIMEOUT":
      if (to.proxy !== null) return aboutProxy(to);
      return "Raise api.timeout in the configuration if the service is slow. `edgewise ping -v` shows how long each request takes.";
    case "CERT_HAS_EXPIRED":
      return `Whoever runs ${hostname} must renew its certificate.`;
    case "CERT_NOT_YET_VALID":
      return `Check this machine's clock, then ask whoever runs ${hostname}.`;
    case "ERR_TLS_CERT_ALTNAME_INVALID":
      return `Correct the host name in ${from}: the certificate is not for ${hostname}.`;
    case "ECONNRESET":
    case "EPIPE":
    case "UND_ERR_SOCKET":
      return isTls ? null : otherProtocol;
    default:
      return code === "EPROTO" || /^(?:ERR_(?:SSL|OSSL)_|HPE_)/u.test(code) ? otherProtocol : null;
  }
}

/** The variable's value may hold a password, so it is not quoted. */
function aboutProxy({ proxy, url }: Destination): string {
  const variable = proxy ?? "HTTPS_PROXY";
  return `Requests to ${url.hostname} go through the proxy that ${variable} names. Correct it, or put ${url.hostname} into NO_PROXY.`;
}
