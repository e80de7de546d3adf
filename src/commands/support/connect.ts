import { resolve } from "node:path";
import { openPageCache } from "./page-cache-file.js";
import { withAdvice } from "./connection-advice.js";
import type { Client, ClientOptions, ReadClient, TraceEvent } from "../../api/client.js";
import { createClient, createReadClient } from "../../api/create-client.js";
import { RequestWindow } from "../../api/request-window.js";
import { type ApiKeyInput, readApiKey } from "../../config/api-key.js";
import { EdgewiseError } from "../../core/errors.js";
import { trackedFiles } from "../../git/find-repository.js";
import { safeJsonLine } from "../../text/safe-json.js";
import { type CommandContext, requireBaseUrl } from "./command-context.js";
import type { ConnectFlags } from "./command-options.js";
import type { Io } from "./io.js";
import type { Log } from "./log.js";
import { processClock } from "./process-io.js";
import { gitHost } from "./provenance.js";
import type { SharedAccount, SharedReads } from "./shared-account.js";

/** How many requests run side by side without `--concurrency`. */
export const defaultConcurrency = 8;

/**
 * Runs work with a client that can only read, and closes it whatever happens. The API key is masked in all output from
 * then on.
 * @param work also gets what the stack shares with others, when `account` is given
 * @param account of several stacks, for which the command runs
 * @throws EdgewiseError `config` when there is no API key or no base URL
 */
export async function withReadClient<T>(
  context: CommandContext,
  flags: ConnectFlags,
  work: (client: ReadClient, shared?: SharedReads) => Promise<T>,
  account?: SharedAccount,
): Promise<T> {
  const [own, cache] = await Promise.all([clientOptionsFor(context, flags, account), pageCacheOf(context, flags)]);
  const options = { ...own, ...cache.options };
  if (account !== undefined) {
    const shared = await account.connect(options);
    const done = await advising(context, flags, async () => work(shared.client, shared));
    await cache.save();
    return done;
  }
  const client = createReadClient(options);
  try {
    const done = await advising(context, flags, async () => work(client));
    await cache.save();
    return done;
  } finally {
    await client.close();
  }
}

/**
 * The same with a client that reads and writes.
 * @param signal cuts off everything in flight
 * @param work also gets a function that makes another client, which shares the limit per minute and goes first, and which neither the signal nor the deadline of the run cuts off; close it yourself
 */
export async function withWriteClient<T>(
  context: CommandContext,
  flags: ConnectFlags,
  signal: AbortSignal,
  work: (client: Client, connect: (changes: Partial<ClientOptions>) => Client) => Promise<T>,
): Promise<T> {
  const [own, cache] = await Promise.all([clientOptionsFor(context, flags), pageCacheOf(context, flags)]);
  const options = { ...own, window: new RequestWindow() };
  const client = createClient({ ...options, ...cache.options, signal, givesWay: true });
  const { deadline: _runs, ...unlimited } = options;
  try {
    const done = await advising(context, flags, async () =>
      work(client, (changes) => createClient({ ...unlimited, ...changes })),
    );
    await cache.save();
    return done;
  } finally {
    await client.close();
  }
}

/** Adds to the error of a request where its base URL and key come from, and what to do. */
async function advising<T>(context: CommandContext, flags: ConnectFlags, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw withAdvice(error, context, flags);
  }
}

/** The page cache that the flag or else the configuration names, for the client of a run. */
async function pageCacheOf(
  context: CommandContext,
  flags: ConnectFlags,
): Promise<{ readonly options: Pick<ClientOptions, "pages">; readonly save: () => Promise<void> }> {
  const file = flags.pageCache ?? context.config.api.pageCache;
  if (file === null) return { options: {}, save: async () => undefined };
  const { pages, save } = await openPageCache(file, context);
  return { options: { pages }, save };
}

async function clientOptionsFor(
  context: CommandContext,
  flags: ConnectFlags,
  account?: SharedAccount,
): Promise<ClientOptions> {
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
  const apiKey = await (account === undefined ? readApiKey(input) : account.readKey(input));
  if (apiKey.missing === null) redactor.addKey(apiKey.reveal());
  return {
    baseUrl,
    apiKey,
    versionHeader: config.api.versionHeader,
    concurrency: flags.concurrency ?? defaultConcurrency,
    timeoutMs: config.api.timeoutMs,
    deadline: { ms: config.api.deadlineMs },
    requestsPerMinute: config.api.requestsPerMinute,
    env: io.env,
    clock: processClock,
    redactor,
    trace: flags.verbose === true ? traceTo(log, io) : longWaitsTo(context),
  };
}

/** @throws EdgewiseError `config` for a key that everybody who can read the repository has */
async function refuseTracked(file: string, io: Io): Promise<void> {
  if ((await trackedFiles([resolve(io.cwd, file)], gitHost(io))).size === 0) return;
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
