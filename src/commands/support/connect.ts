import { resolve } from "node:path";
import type { Client, ClientOptions, ReadClient, TraceEvent } from "../../api/client.js";
import { createClient, createReadClient } from "../../api/create-client.js";
import { type ListName, PageStore } from "../../api/remembered-pages.js";
import { RequestWindow } from "../../api/request-window.js";
import { systemClock } from "../../api/system-clock.js";
import { readApiKey } from "../../config/api-key.js";
import { EdgewiseError } from "../../core/errors.js";
import { isObject } from "../../core/json.js";
import { limits } from "../../core/limits.js";
import { safeJsonLine } from "../../core/visible.js";
import { writeFile } from "../../files/write-file.js";
import { trackedFiles } from "../../git/find-repository.js";
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
    const { client, list } = context.io.accounts?.connect(options) ?? { client: createReadClient(options) };
    return { client, work: async () => work(client, list) };
  });
}

/** `work` also gets what makes another client, which neither signal nor deadline cuts off. */
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

const format = "edgewise.pages/v1";

async function openPageCache(file: string | null, io: CommandIo) {
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

/** Returns why not. Nothing is sent to an address that can't be a page of its list. */
function remember(cache: unknown, memory: PageStore): string | null {
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

/** Without the oldest, when they are too many. */
function textOf(memory: PageStore, isShown: (line: string) => boolean): string {
  let bytes = 100; // Format and brackets.
  const lines = [...memory].toReversed().flatMap(({ baseUrl, collection, pages }) => {
    const line = JSON.stringify({ baseUrl, collection, pages });
    bytes += Buffer.byteLength(line) + 2;
    return bytes > limits.pageCacheBytes || !isShown(line) ? [] : [line];
  });
  return `{"format":"${format}","lists":[\n${lines.toSorted().join(",\n")}\n]}\n`;
}
