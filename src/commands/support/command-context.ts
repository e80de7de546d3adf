import type { Config } from "../../config/config.js";
import { configName } from "../../config/find-config.js";
import { EdgewiseError } from "../../core/errors.js";
import { commitWords } from "../../plan/plan-format.js";
import { type CommitSource, type SourceOptions, loadSource } from "./config-source.js";
import type { CommonFlags } from "./command-options.js";
import type { GuardedIo } from "./io.js";
import { type Log, type StatusLine, createLog, showDiagnostics, withStatusLine } from "./log.js";

/** What every command that reads the configuration works with. */
export interface CommandContext {
  readonly config: Config;
  /** The commit of `--ref`, which configuration and manifests are read from; null = they are read from the disk. */
  readonly at: CommitSource | null;
  readonly io: GuardedIo;
  readonly log: Log;
  readonly status: StatusLine;
  /** The run of this process in the account's lock: its own lock is nothing to warn of. */
  readonly lockRun?: string;
  /** Aborted when a run that may write is interrupted; nothing more is planned then. Others end at once. */
  readonly stop?: AbortSignal;
}

/**
 * Loads the configuration; its warnings go to stderr.
 * @throws EdgewiseError `config`
 */
export async function loadContext(
  flags: CommonFlags & { readonly allow?: readonly string[]; readonly maxDeletes?: string },
  guardedIo: GuardedIo,
  { offline = false }: Pick<SourceOptions, "offline"> = {},
): Promise<CommandContext> {
  const wanted = flags.quiet !== true && flags.logFormat !== "json";
  const { io, status } = withStatusLine(guardedIo, wanted);
  const log = createLog(flags, io);
  const { config, at } = await loadSource(flags, io, {
    offline,
    onCommit: (shown) => log.info(`Reading configuration and manifests of ${commitWords(shown)}.`, { ...shown }),
  });
  await showDiagnostics(config.warnings, log, io);
  return { config, at, io: { ...io, root: config.root }, log, status };
}

/** The stack of the configuration. @throws EdgewiseError `config` when there is none */
export function requireStack(context: Pick<CommandContext, "config" | "at" | "io">): string {
  if (context.config.stack !== null) return context.config.stack;
  const flags = "give --stack or EDGEWISE_STACK";
  throw unconfigured(context, "no stack is configured, so edgewise can't tell which resources it owns", {
    inFile: "`stack: NAME`",
    flags,
  });
}

/** The base URL of the API. @throws EdgewiseError `config` when there is none */
export function requireBaseUrl(context: Pick<CommandContext, "config" | "at" | "io">): string {
  if (context.config.api.baseUrl !== null) return context.config.api.baseUrl;
  throw unconfigured(context, "no API base URL is configured", {
    inFile: "`api: {baseUrl: https://…}`",
    flags: "give --base-url or EDGEWISE_BASE_URL",
  });
}

/**
 * The error for a configuration that is incomplete without an environment.
 * @param lacking what it lacks, as a sentence
 * @param names the environments to choose from
 */
export function noEnvironment(lacking: string, names: readonly string[]): EdgewiseError {
  return new EdgewiseError("config", `no environment is chosen, and without one ${lacking}`, {
    remedy: `Choose ${names.map((name) => `-e ${name}`).join(" or ")}.`,
  });
}

/**
 * The error for something that the configuration lacks; without any configuration, that is what it says.
 * @param remedy `inFile`: what to put into the file; `flags`: what to do instead
 */
export function unconfigured(
  { at, config, io }: Pick<CommandContext, "config" | "at" | "io">,
  what: string,
  { inFile, flags }: { readonly inFile: string; readonly flags: string },
): EdgewiseError {
  if (config.environment === null && config.environments.length > 0) throw noEnvironment(what, config.environments);
  if (config.file !== null || at !== null) {
    return new EdgewiseError("config", what, {
      remedy: `Put ${inFile} into ${config.file ?? configName}, or ${flags}.`,
    });
  }
  return new EdgewiseError("config", `${what}: there is no ${configName} in ${io.cwd} or above it`, {
    remedy: `\`edgewise init\` writes one, with a first manifest. Or ${flags}.`,
  });
}
