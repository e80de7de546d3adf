import { resolve } from "node:path";
import { openPageCache } from "./page-cache-file.js";
import { withAdvice } from "./connection-advice.js";
import type { Client, ClientOptions, ReadClient, TraceEvent } from "../../api/client.js";
import { createClient, createReadClient } from "../../api/create-client.js";
import { RequestWindow } from "../../api/request-window.js";
import { type ApiKeyInput, readApiKey } from "../../config/api-key.js";
import { EdgewiseError } from "../../core/errors.js";
import { trackedFiles } from "../../git/find-repository.js";
import { safeJsonLine } from "../../core/visible.js";
import { type CommandContext, requireBaseUrl } from "./command-context.js";
import type { ConnectFlags } from "./command-options.js";
import type { Io } from "./io.js";
import type { Log } from "./log.js";
import { systemClock } from "../../api/system-clock.js";
import type { SharedAccounts, SharedReads } from "./shared-account.js";

/** How many requests run side by side without `--concurrency`. */
export const defaultConcurrency = 8;

/**
 * Runs work with a client that can only read, and closes it whatever happens. The API key is masked in all output from
 * then on.
 * @param accounts what several stacks share, for which the command runs
 * @throws EdgewiseError `config` when there is no API key or no base URL
 */
export async function withReadClient<T>(
  context: CommandContext,
  flags: ConnectFlags,
  work: (client: ReadClient, shared?: SharedReads) => Promise<T>,
  accounts?: SharedAccounts,
): Promise<T> {
  const { options, saveCache } = await clientOptionsFor(context, flags, accounts);
  const shared = await accounts?.connect(options);
  const client = shared?.client ?? createReadClient(options);
  return finishing({ context, flags, client, saveCache }, async () => work(client, shared));
}

/**
 * The same with a client that reads and writes.
 * @param signal cuts off everything in flight
 * @param work also gets a function that makes another client, which shares the limit per minute and goes first, and which
 *   neither the signal nor the deadline of the run cuts off; close it yourself
 */
export async function withWriteClient<T>(
  context: CommandContext,
  flags: ConnectFlags,
  signal: AbortSignal,
  work: (client: Client, connect: (changes: Partial<ClientOptions>) => Client) => Promise<T>,
): Promise<T> {
  const { options: own, saveCache } = await clientOptionsFor(context, flags);
  const options = { ...own, window: new RequestWindow() };
  const client = createClient({ ...options, signal, givesWay: true });
  const { deadline: _runs, pages: _pages, ...unlimited } = options;
  const connect = (changes: Partial<ClientOptions>): Client => createClient({ ...unlimited, ...changes });
  return finishing({ context, flags, client, saveCache }, async () => work(client, connect));
}

interface Connected {
  readonly context: CommandContext;
  readonly flags: ConnectFlags;
  readonly client: ReadClient;
  readonly saveCache: () => Promise<void>;
}

/** Adds to the error of a request where its base URL and key come from, and what to do. */
async function finishing<T>({ client, context, flags, saveCache }: Connected, work: () => Promise<T>): Promise<T> {
  try {
    const done = await work();
    await saveCache();
    return done;
  } catch (error) {
    throw withAdvice(error, context, flags);
  } finally {
    await client.close();
  }
}

async function clientOptionsFor(
  context: CommandContext,
  flags: ConnectFlags,
  accounts?: SharedAccounts,
): Promise<{ readonly options: ClientOptions; readonly saveCache: () => Promise<void> }> {
  const { config, io, log } = context;
  const { redactor } = io;
  const baseUrl = requireBaseUrl(context);
  const apiKeyFile = flags.apiKeyFile;
  if (apiKeyFile !== undefined) await refuseTracked(apiKeyFile, io);
  const input: ApiKeyInput = {
    env: io.env,
    cwd: io.cwd,
    onWarning: (message) => log.warning(message),
    ...(apiKeyFile === undefined ? {} : { apiKeyFile }),
  };
  const apiKey = await (accounts === undefined ? readApiKey(input) : accounts.readKey(input));
  if (apiKey.missing === null) redactor.addKey(apiKey.reveal());
  const cacheFile = flags.pageCache ?? config.api.pageCache;
  const cache = cacheFile === null ? null : await openPageCache(cacheFile, context);
  const options: ClientOptions = {
    baseUrl,
    apiKey,
    versionHeader: config.api.versionHeader,
    concurrency: flags.concurrency ?? defaultConcurrency,
    timeoutMs: config.api.timeoutMs,
    deadline: { ms: config.api.deadlineMs },
    requestsPerMinute: config.api.requestsPerMinute,
    env: io.env,
    clock: systemClock,
    redactor,
    trace: flags.verbose === true ? traceTo(log, io) : longWaitsTo(context),
    ...(cache === null ? {} : { pages: cache.pages }),
  };
  return { options, saveCache: async () => cache?.save() };
}

/** @throws EdgewiseError `config` for a key that everybody who can read the repository has */
async function refuseTracked(file: string, io: Io): Promise<void> {
  if ((await trackedFiles([resolve(io.cwd, file)], io)).size === 0) return;
  throw new EdgewiseError("config", `the API key's file ${file} is tracked by Git, where every reader has it`, {
    remedy: "Change the key, and put it into a file that Git ignores or into EDGEWISE_API_KEY.",
  });
}

/** Shows what the client does (`--verbose`): a line for each request, response, failure and wait. */
function traceTo(log: Log, io: Io): (event: TraceEvent) => void {
  if (log.format === "json") {
    return (event) => io.stderr(safeJsonLine({ time: new Date(io.now()).toISOString(), level: "trace", ...event }));
  }
  return (event) => io.stderr(`${traceLine(event)}\n`);
}

/** After this many milliseconds people wonder what is going on. */
const longWaitMs = 3000;

/** Shows only the events that explain a delay: rate limiting by the service, and long waits, which would hide a bar. */
function longWaitsTo({ log, status }: Pick<CommandContext, "log" | "status">): (event: TraceEvent) => void {
  return (event) => {
    const isLong = event.type === "wait" && event.ms >= longWaitMs && !status.isPinned();
    if (event.type === "limited" || isLong) log.info(traceLine(event).trim());
  };
}

function traceLine(event: TraceEvent): string {
  if (event.type === "remembered") {
    return `  GET ${event.path}: ${event.counted} of ${event.asked} remembered pages could be used`;
  }
  if (event.type === "limited") {
    const most = event.requestsPerMinute === null ? "" : `, at most ${event.requestsPerMinute} requests a minute`;
    return `  the service limits the rate: ${Math.round(event.pauseMs)} ms pause, then ${event.concurrency} at a time${most}`;
  }
  const again = event.attempt > 1 ? ` (attempt ${event.attempt})` : "";
  const subject = `#${event.request} ${event.method} ${event.path}${again}`;
  switch (event.type) {
    case "request":
      return `> ${subject}`;
    case "answer":
      return `< ${subject}: ${event.status}, ${Math.round(event.ms)} ms, ${event.bytes} bytes`;
    case "failure":
      return `! ${subject}: ${event.message}, ${Math.round(event.ms)} ms`;
    case "wait":
      return `  ${subject}: again in ${Math.round(event.ms)} ms, ${event.reason}`;
  }
}
