import type { Client, ClientOptions, ReadClient } from "../api/client.js";
import { type CommandContext, requireBaseUrl } from "./context.js";
import type { CommonFlags } from "./flags.js";
import { noticesTo, traceTo } from "./trace-to.js";

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
    import("../api/create-client.js"),
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
    import("../api/create-client.js"),
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
  const { readApiKey } = await import("../config/api-key.js");
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
