import type { Config } from "../../config/config.js";
import { EdgewiseError } from "../../errors.js";
import { commitWords } from "../../plan/plan-format.js";
import { type CommitSource, loadSource } from "./commit-source.js";
import type { CommonFlags } from "./flags.js";
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
): Promise<CommandContext> {
  const wanted = flags.quiet !== true && flags.logFormat !== "json";
  const { io, status } = withStatusLine(guardedIo, wanted);
  const log = createLog(flags, io);
  const { config, at } = await loadSource(flags, io, (shown) => {
    log.info(`Reading configuration and manifests of ${commitWords(shown)}.`, { ...shown });
  });
  io.redactor.reveal(config);
  if (config.stack !== null) io.redactor.name(config.stack);
  if (config.api.baseUrl !== null) io.redactor.name(config.api.baseUrl);
  await showDiagnostics(config.warnings, log, io);
  return { config, at, io: { ...io, root: config.root }, log, status };
}

/** The stack of the configuration. @throws EdgewiseError `config` when there is none */
export function requireStack({ config }: CommandContext): string {
  if (config.stack !== null) return config.stack;
  throw new EdgewiseError("config", "no stack is configured, so edgewise can't tell which resources it owns", {
    remedy: `Put \`stack: NAME\` into ${config.file ?? "edgewise.yaml"}, or give --stack or EDGEWISE_STACK.`,
  });
}

/** The base URL of the API. @throws EdgewiseError `config` when there is none */
export function requireBaseUrl({ config }: CommandContext): string {
  if (config.api.baseUrl !== null) return config.api.baseUrl;
  throw new EdgewiseError("config", "no API base URL is configured", {
    remedy: `Put \`api: {baseUrl: https://…}\` into ${config.file ?? "edgewise.yaml"}, or give --base-url or EDGEWISE_BASE_URL.`,
  });
}
