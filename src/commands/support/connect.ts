import { resolve } from "node:path";
import { ApiError } from "../../api/api-error.js";
import type { Client, ClientOptions, ReadClient, TraceEvent } from "../../api/client.js";
import { createClient, createReadClient } from "../../api/create-client.js";
import { type ListName, type PageMemory, PageStore } from "../../api/remembered-pages.js";
import { RequestWindow } from "../../api/request-window.js";
import { systemClock } from "../../api/system-clock.js";
import { isLoopback } from "../../config/api-config.js";
import { readApiKey } from "../../config/api-key.js";
import { EdgewiseError } from "../../core/errors.js";
import { isObject } from "../../core/json.js";
import { limits } from "../../core/limits.js";
import { safeJsonLine } from "../../core/visible.js";
import { writeFile } from "../../files/write-file.js";
import { trackedFiles } from "../../git/find-repository.js";
import { collectionOf, listedKinds } from "../../kinds/names.js";
import type { Listing } from "../../live/read-live.js";
import { type CommandContext, requireBaseUrl } from "./command-context.js";
import type { CommandIo } from "./command-io.js";
import { readJsonFile, workplaceOf } from "./output.js";

export const defaultConcurrency = 8;

export async function withReadClient<T>(
  context: CommandContext,
  work: (client: ReadClient, list?: () => Listing) => Promise<T>,
): Promise<T> {
  return connected(context, async (options) => {
    const { client, list } = (await context.io.accounts?.connect(options)) ?? { client: createReadClient(options) };
    return { client, work: async () => work(client, list) };
  });
}

/** `work` also gets what makes another client, which goes first, and which neither signal nor deadline cuts off. */
export async function withWriteClient<T>(
  context: CommandContext,
  signal: AbortSignal,
  work: (client: Client, connect: (changes: Partial<ClientOptions>) => Client) => Promise<T>,
): Promise<T> {
  return connected(context, async (own) => {
    const options = { ...own, window: new RequestWindow() };
    const client = createClient({ ...options, signal });
    const { deadline: _runs, pages: _pages, ...unlimited } = options;
    return { client, work: async () => work(client, (changes) => createClient({ ...unlimited, ...changes })) };
  });
}

async function connected<T>(
  context: CommandContext,
  connect: (options: ClientOptions) => Promise<Readonly<{ client: ReadClient; work: () => Promise<T> }>>,
): Promise<T> {
  const { config, flags, io } = context;
  const { api } = config;
  const baseUrl = requireBaseUrl(context);
  const { apiKeyFile } = flags;
  if (apiKeyFile !== undefined && (await trackedFiles([resolve(io.cwd, apiKeyFile)], io)).size > 0)
    throw new EdgewiseError(
      "config",
      `the API key's file ${apiKeyFile} is tracked by Git, where every reader has it`,
      "Change the key, and put it into EDGEWISE_API_KEY or a file that Git ignores.",
    );
  const onWarning = (message: string) => io.log.warning(message);
  const input = { env: io.env, cwd: io.cwd, onWarning, ...(apiKeyFile !== undefined && { apiKeyFile }) };
  const apiKey = await (io.accounts?.readKey(input) ?? readApiKey(input));
  if (apiKey.missing === null) io.redactor.addKey(apiKey.reveal());
  const cache = await openPageCache(flags.pageCache ?? api.pageCache, io);
  const { client, work } = await connect({
    baseUrl,
    apiKey,
    versionHeader: api.versionHeader,
    concurrency: flags.concurrency ?? defaultConcurrency,
    timeoutMs: api.timeoutMs,
    deadline: { ms: api.deadlineMs },
    requestsPerMinute: api.requestsPerMinute,
    env: io.env,
    clock: systemClock,
    redactor: io.redactor,
    trace: (event) => trace(event, io),
    ...(cache !== null && { pages: cache.pages }),
  });
  try {
    const done = await work();
    await cache?.save();
    return done;
  } catch (error) {
    throw withAdvice(error, context);
  } finally {
    await client.close();
  }
}

function trace(event: TraceEvent, { log, now, stderr, verbose }: CommandIo): void {
  if (!verbose) {
    if (event.type === "limited" || (event.type === "wait" && event.ms >= 3000)) log.info(traceLine(event).trim());
  } else if (log.format === "json") {
    stderr(safeJsonLine({ time: new Date(now()).toISOString(), level: "trace", ...event }));
  } else stderr(`${traceLine(event)}\n`);
}

function traceLine(event: TraceEvent): string {
  if (event.type === "remembered")
    return `  GET ${event.path}: ${event.counted} of ${event.asked} remembered pages could be used`;
  if (event.type === "limited") {
    const most = event.requestsPerMinute === null ? "" : `, at most ${event.requestsPerMinute} requests a minute`;
    return `  the service limits the rate: ${Math.round(event.pauseMs)} ms pause, then ${event.concurrency} at a time${most}`;
  }
  const again = event.attempt > 1 ? ` (attempt ${event.attempt})` : "";
  const subject = `#${event.request} ${event.method} ${event.path}${again}`;
  if (event.type === "request") return `> ${subject}`;
  const ms = `${Math.round(event.ms)} ms`;
  if (event.type === "answer") return `< ${subject}: ${event.status}, ${ms}, ${event.bytes} bytes`;
  return event.type === "failure"
    ? `! ${subject}: ${event.message}, ${ms}`
    : `  ${subject}: again in ${ms}, ${event.reason}`;
}

/** Without a response, the message names the service instead of the request: every request would have failed. */
export function withAdvice(error: unknown, context: CommandContext): unknown {
  if (!(error instanceof ApiError) || error.code === "interrupted") return error;
  const at = placeOf(requireBaseUrl(context), context);
  const remedy = (error.status === null ? failureAdvice(error, at) : statusAdvice(error, at)) ?? error.remedy;
  if (remedy === null) return error;
  const attempts = error.attempts > 1 ? ` (after ${error.attempts} attempts)` : "";
  const message =
    error.status === null && error.method === "GET"
      ? `${at.baseUrl}, from ${at.from}, can't be read: ${error.what ?? "there was no response"}${attempts}`
      : error.message;
  return new EdgewiseError("api", message, { remedy, cause: error });
}

type Place = ReturnType<typeof placeOf>;

function placeOf(baseUrl: string, { config, flags, io }: CommandContext) {
  const { host, hostname, port, protocol } = new URL(baseUrl);
  const isTls = protocol === "https:";
  const from = config.api.baseUrlFrom() ?? "the configuration";
  const variable = isTls ? "HTTPS_PROXY" : "HTTP_PROXY";
  const isProxied = !isLoopback(hostname) && Boolean(io.env[variable] || io.env[variable.toLowerCase()]);
  return {
    baseUrl,
    from,
    host,
    hostname,
    isTls,
    isLocal: isLoopback(hostname),
    port: port || (isTls ? "443" : "80"),
    key: flags.apiKeyFile ?? "EDGEWISE_API_KEY",
    versionHeader: config.api.versionHeader,
    elsewhere: `Check ${from}: ${baseUrl} may need another path or host.`,
    // The variable's value may hold a password, so it is not quoted.
    aboutProxy: isProxied
      ? `Requests to ${hostname} go through the proxy that ${variable} names. Correct it, or put ${hostname} into NO_PROXY.`
      : null,
  };
}

/** For statuses that every request would get; that of another request than a list speaks of its resource alone. */
function statusAdvice({ errorCode, method, path, serverMessage, status }: ApiError, at: Place): string | null {
  if (status === null || method !== "GET" || !listedKinds.some((kind) => collectionOf(kind).path === path)) return null;
  const isApi = errorCode !== null || serverMessage !== null;
  if (status === 400)
    return `Check the version header: it is sent as ${at.versionHeader}. Live services use a branded name: api.versionHeader, --version-header or EDGEWISE_VERSION_HEADER.`;
  if (status === 401 || status === 403)
    return isApi
      ? `Check that the API key from ${at.key} belongs to ${at.baseUrl} (from ${at.from}) and may read.`
      : `A proxy or a login page responded, not the API. ${at.elsewhere}`;
  if (status === 404 && !isApi) return `The API is not there. ${at.elsewhere}`;
  if ([404, 410, 501].includes(status))
    return `Check the base URL ${at.baseUrl} (from ${at.from}). If it is right, this account has no ${path}: manifests of that kind can't be applied to it.`;
  if (status === 407) return at.aboutProxy ?? `A proxy responded, although none is configured. ${at.elsewhere}`;
  if (status < 300) return `Something other than the API responded. ${at.elsewhere}`;
  if (status >= 400) return null;
  return `Redirects are not followed because the API key would go with them. Check ${at.from}: it must be the service's own address.`;
}

function failureAdvice({ networkCode, what }: ApiError, at: Place): string | null {
  const { aboutProxy, from, host, hostname, isLocal, isTls, port } = at;
  const code = what?.startsWith("the proxy responded") === true ? "UND_ERR_PRX_TLS" : (networkCode ?? "");
  const is = (codes: string) => codes.split(" ").includes(code);
  if (aboutProxy !== null && is("UND_ERR_PRX_TLS ENOTFOUND EAI_AGAIN ECONNREFUSED TIMEOUT")) return aboutProxy;
  if (/SELF_SIGNED_CERT|^DEPTH_ZERO|^UNABLE_TO_(?:VERIFY|GET_ISSUER)/u.test(code))
    return `If you trust it, save its authority's certificate as a PEM file, and set NODE_EXTRA_CA_CERTS to the path of that file.${isLocal ? " A test server on this machine may use http." : ""}`;
  if (is("ECONNREFUSED"))
    return isLocal
      ? `Nothing listens on port ${port} of this machine. Start the service (a sandbox: \`edgewise sandbox --port ${port}\`), or correct ${from}.`
      : `Nothing listens on port ${port} of ${hostname}. Correct ${from}, or check firewalls.`;
  if (is("ENOTFOUND EAI_AGAIN")) return `No name server knows ${hostname}. Correct ${from}, or connect to its network.`;
  if (is("EHOSTUNREACH ENETUNREACH ETIMEDOUT UND_ERR_CONNECT_TIMEOUT"))
    return `Check that this machine may connect to port ${port} of ${hostname}: by VPN, firewall or proxy (HTTPS_PROXY).`;
  if (is("TIMEOUT"))
    return "Raise api.timeout if the service is slow: `edgewise ping -v` shows how long requests take.";
  if (is("CERT_HAS_EXPIRED CERT_NOT_YET_VALID"))
    return `Check this machine's clock, then ask whoever runs ${hostname}.`;
  if (is("ERR_TLS_CERT_ALTNAME_INVALID"))
    return `Correct the host name in ${from}: the certificate is not for ${hostname}.`;
  const isProtocol = /^(?:EPROTO$|ERR_(?:SSL|OSSL)_|HPE_)/u.test(code);
  if (isTls && isProtocol)
    return `Port ${port} of ${hostname} does not serve https. Correct the port in ${from}${isLocal ? `, or write http://${host}` : ""}.`;
  if (!isTls && (isProtocol || is("ECONNRESET EPIPE UND_ERR_SOCKET")))
    return `If port ${port} of ${hostname} serves https, write https://${host} in ${from}.`;
  return null;
}

/** Whatever is wrong with its file is a warning: a run can do without it. */
interface PageCache {
  readonly pages: PageMemory;
  save(): Promise<void>;
}

const format = "edgewise.pages/v1";

/** Null = there is no cache. */
async function openPageCache(file: string | null, io: CommandIo): Promise<PageCache | null> {
  if (file === null) return null;
  const memory = new PageStore();
  const read = await readJsonFile(file, io.cwd, { most: limits.pageCacheBytes, deepest: limits.depth });
  const problem = "value" in read ? remember(read.value, memory) : read.isMissing === true ? null : read.why;
  if (problem !== null) {
    io.log.warning(`the page cache ${file} is neither used nor changed: ${problem}; remove it, or name another file`);
    return null;
  }
  const before = textOf(memory, () => true);
  const save = async () => {
    // A secret may have become known after a list was read.
    const text = textOf(memory, (line) => io.redactor.redact(line) === line);
    if (text === before) return;
    try {
      await writeFile(file, text, workplaceOf(io), "ordinary");
    } catch (error) {
      if (!(error instanceof EdgewiseError)) throw error;
      io.log.warning(`the page cache is not saved: ${error.message}. ${error.remedy ?? ""}`.trim(), { file });
    }
  };
  return { pages: memory, save };
}

/** Returns why not. The addresses are not checked: nothing is sent to one that can't be a page of its list. */
function remember(cache: unknown, memory: PageMemory): string | null {
  if (!isObject(cache) || cache["format"] !== format || !Array.isArray(cache["lists"])) return `it is not ${format}`;
  for (const list of cache["lists"] as readonly unknown[]) {
    if (!isList(list)) return "a list in it is broken";
    memory.remember(list, list.pages);
  }
  return null;
}

function isList(value: unknown): value is ListName & { readonly pages: readonly string[] } {
  if (!isObject(value) || !Array.isArray(value["pages"])) return false;
  return [value["baseUrl"], value["collection"], ...value["pages"]].every((each) => typeof each === "string");
}

/** A line for each list. When they are too many, the oldest are left out. */
function textOf(memory: PageStore, isShown: (line: string) => boolean): string {
  let bytes = 100; // Format and brackets.
  const lines = [...memory].toReversed().flatMap(({ baseUrl, collection, pages }) => {
    const line = JSON.stringify({ baseUrl, collection, pages });
    bytes += Buffer.byteLength(line) + 2;
    return bytes > limits.pageCacheBytes || !isShown(line) ? [] : [line];
  });
  return `{"format":"${format}","lists":[\n${lines.toSorted().join(",\n")}\n]}\n`;
}
