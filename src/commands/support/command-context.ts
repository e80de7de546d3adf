import type { Client, ClientOptions, ReadClient, TraceEvent } from "../../api/client.js";
import type { Config } from "../../config/config.js";
import { EdgewiseError } from "../../errors.js";
import { safeJsonLine } from "../../text/safe-json.js";
import type { CommonFlags } from "./flags.js";
import { type GuardedIo, type Io, guarded } from "./io.js";
import { type Log, type StatusLine, createLog, showDiagnostics, withStatusLine } from "./log.js";

/** What every command that reads the configuration works with. */
export interface CommandContext {
  readonly config: Config;
  readonly io: GuardedIo;
  readonly log: Log;
  readonly status: StatusLine;
}

/**
 * Loads the configuration; its warnings go to stderr.
 * @throws EdgewiseError `config`
 */
export async function loadContext(
  flags: CommonFlags & { readonly allow?: readonly string[]; readonly maxDeletes?: string },
  plain: Io,
): Promise<CommandContext> {
  const wanted = flags.quiet !== true && flags.logFormat !== "json";
  const { io, status } = withStatusLine(guarded(plain), wanted);
  const log = createLog(flags, io);
  const { loadConfig } = await import("../../config/load-config.js");
  const config = await loadConfig({ cwd: io.cwd, env: io.env, flags });
  io.redactor.reveal(config);
  if (config.stack !== null) io.redactor.name(config.stack);
  if (config.api.baseUrl !== null) io.redactor.name(config.api.baseUrl);
  await showDiagnostics(config.warnings, log, io);
  return { config, io: { ...io, root: config.root }, log, status };
}

/** The stack of the configuration. @throws EdgewiseError `config` when there is none */
export function requireStack({ config }: CommandContext): string {
  if (config.stack !== null) return config.stack;
  throw new EdgewiseError("config", "no stack is named, so nothing says which resources are this configuration's own", {
    remedy: `Put \`stack: NAME\` into ${config.file ?? "edgewise.yaml"}, or give --stack or EDGEWISE_STACK.`,
  });
}

/** Where the service is. @throws EdgewiseError `config` when nothing says so */
export function requireBaseUrl({ config }: CommandContext): string {
  if (config.api.baseUrl !== null) return config.api.baseUrl;
  throw new EdgewiseError("config", "nothing says where the API is", {
    remedy: `Put \`api: {baseUrl: https://…}\` into ${config.file ?? "edgewise.yaml"}, or give --base-url or EDGEWISE_BASE_URL.`,
  });
}

export interface ConnectFlags extends CommonFlags {
  readonly concurrency?: number;
}

/** How many requests run side by side unless `--concurrency` says otherwise. */
export const defaultConcurrency = 8;

/**
 * A client that can only read, with the key of the environment; the key is masked in all output from then on.
 * @throws EdgewiseError `config` when there is no key or no address
 */
export async function connectReading(
  context: CommandContext,
  flags: ConnectFlags,
  signal?: AbortSignal,
): Promise<ReadClient> {
  const [{ createReadClient }, options] = await Promise.all([
    import("../../api/create-client.js"),
    clientOptionsFor(context, flags, signal),
  ]);
  return createReadClient(options);
}

/** A client that reads and writes; see {@link connectReading}. */
export async function connectWriting(
  context: CommandContext,
  flags: ConnectFlags,
  signal?: AbortSignal,
): Promise<Client> {
  const [{ createClient }, options] = await Promise.all([
    import("../../api/create-client.js"),
    clientOptionsFor(context, flags, signal),
  ]);
  return createClient(options);
}

async function clientOptionsFor(
  context: CommandContext,
  flags: ConnectFlags,
  signal?: AbortSignal,
): Promise<ClientOptions> {
  const { config, io, log } = context;
  const { redactor } = io;
  const baseUrl = requireBaseUrl(context);
  const { readApiKey } = await import("../../config/api-key.js");
  const apiKeyFile = flags.apiKeyFile;
  const apiKey = await readApiKey({
    env: io.env,
    cwd: io.cwd,
    onWarning: (message) => log.warning(message),
    ...(apiKeyFile === undefined ? {} : { apiKeyFile }),
  });
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
    redactor,
    ...(signal === undefined ? {} : { signal }),
    trace: flags.verbose === true ? traceTo(log, io) : noticesTo(log),
  };
}

/** From here on people wonder, in milliseconds. */
const longWaitMs = 3000;

/** Shows what the client does (`--verbose`): a line for each request, answer, failure and wait. */
function traceTo(log: Log, io: Io): (event: TraceEvent) => void {
  if (log.format === "json") {
    return (event) => io.stderr(safeJsonLine({ time: new Date(io.now()).toISOString(), level: "trace", ...event }));
  }
  return (event) => io.stderr(`${traceLine(event)}\n`);
}

/** Tells of the trace only what explains why it takes long: that the service limits the rate, and long waits. */
function noticesTo(log: Log): (event: TraceEvent) => void {
  return (event) => {
    if (event.type === "limited" || (event.type === "wait" && event.ms >= longWaitMs))
      log.info(traceLine(event).trim());
  };
}

function traceLine(event: TraceEvent): string {
  if (event.type === "limited") {
    const most = event.requestsPerMinute === null ? "" : `, at most ${event.requestsPerMinute} requests a minute`;
    return `  the service limits the rate: ${event.pauseMs} ms pause, then ${event.concurrency} at a time${most}`;
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
