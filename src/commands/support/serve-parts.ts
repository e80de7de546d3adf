import { randomBytes } from "node:crypto";
import { join } from "node:path";
import type { Clock } from "../../api/client.js";
import { systemClock } from "../../api/system-clock.js";
import { ConfigProblems } from "../../config/config.js";
import { EdgewiseError } from "../../core/errors.js";
import { readBoundedSync } from "../../files/read-bounded.js";
import { limits } from "../../core/limits.js";
import type { SecretValue } from "../../core/secret.js";
import type { EvaluatePolicies } from "../../policies/judge-plan.js";
import { accountPasses } from "../../serve/pass/account-pass.js";
import { stackLoader } from "../../serve/pass/load-stack.js";
import { grantSettings } from "../../serve/fleet/stack-powers.js";
import type { CheckDeps } from "../../serve/check-fleet.js";
import { shownState } from "../../serve/decide/schedule.js";
import type { ServeEvent } from "../../serve/serve-events.js";
import { expandEntries } from "../../serve/fleet/expand-entries.js";
import type { Fleet, SecretSource } from "../../serve/fleet/fleet.js";
import { parseListen } from "../../serve/fleet/listen-address.js";
import { loadFleet } from "../../serve/fleet/load-fleet.js";
import { readSecretSource } from "../../serve/fleet/read-secret-source.js";
import { wordsOf } from "../../serve/error-words.js";
import { answerProblems } from "../../serve/http/answer-problems.js";
import { createMetrics } from "../../serve/http/serve-metrics.js";
import type { ServeView, StackView } from "../../serve/http/serve-view.js";
import { type ShownStack, showStack, worstStacksFirst } from "../../serve/http/shown-stack.js";
import { type ServeHttp, startServeHttp } from "../../serve/http/start-serve-http.js";
import { type Notifier, createNotifier } from "../../serve/notify/notifier.js";
import { createSender } from "../../serve/notify/send-notification.js";
import type { ExpandEntries, ServeDeps } from "../../serve/serve-deps.js";
import { createSourceReader } from "../../serve/git/create-source-reader.js";
import { buildCommit, version } from "../../core/version.js";
import { type Trouble, Troubles } from "../../serve/troubles.js";
import type { ServeFlags } from "../serve.js";
import { accountConnections, fleetSecrets } from "./account-connections.js";
import { openFleetStore } from "./fleet-store.js";
import type { GuardedIo } from "./io.js";
import { gitHost } from "./config-source.js";

/** Everything that `serve` is made of, put together: the only place that knows which implementation is used. */
export interface ServeParts {
  readonly fleet: Fleet;
  readonly deps: ServeDeps;
  /** Reads the fleet file again. @throws as at the start */
  readonly reload: () => Promise<Fleet>;
  readonly troubles: () => readonly Trouble[];
  readonly checkStack: CheckDeps["checkStack"];
  /** As `/api/stacks` gives them. */
  readonly shownStacks: (stacks: readonly StackView[]) => readonly ShownStack[];
  readonly listen: (view: ServeView) => Promise<ServeHttp>;
  /** Begins to send notifications to the receivers of the fleet file. */
  readonly notify: () => Notifier;
  /** Ends git, and gives the state directory back. */
  readonly close: () => Promise<void>;
}

/** What `serve` was started with. */
export interface ServeStart {
  readonly file: string;
  readonly flags: ServeFlags;
  readonly io: GuardedIo;
  readonly clock: Clock;
  /** Writes the log. */
  readonly log: (event: ServeEvent) => void;
  /** Evaluates policies; absent = another process does. */
  readonly evaluate?: EvaluatePolicies;
}

/**
 * Loads the fleet file and opens everything that `serve` needs. A check has a state of its own, which is removed.
 * @throws ConfigProblems for the fleet file; EdgewiseError for the state directory
 */
export async function openServeParts({ file, flags, io, clock: wall, log, evaluate }: ServeStart): Promise<ServeParts> {
  const mask = (text: string): string => io.redactor.redact(text);
  const reload = async (): Promise<Fleet> => {
    const fleet = await loadFleet({ file, cwd: io.cwd, ...fleetSecrets(io) });
    return withListen(fleet, flags.listen);
  };
  const fleet = await reload();
  let current = fleet;
  const { clock, directory, store, ...opened } = await openFleetStore(flags, io, wall);
  const reader = createSourceReader({
    directory: join(directory, "sources"),
    host: gitHost(io),
    now: () => clock.now(),
    readSecret: (source) => readNow(source, io),
    secretFiles: () => ({
      readSecret: () => ({ available: false, reason: "secrets are read from its directory alone" }),
    }),
    killGroup,
  });
  const metrics = createMetrics({ version, commit: buildCommit }, shownState);
  const troubles = new Troubles(() => clock.now());
  let notifier: Notifier | null = null;
  const emit = (event: ServeEvent): void => {
    metrics.onEvent(event);
    log(event);
    const following = troubles.onEvent(event);
    if (following !== null) emit(following);
  };
  if (opened.mayBeRead === true) emit({ event: "database-unencrypted" });
  const { connect, traffic } = accountConnections(() => current, io);
  const load = stackLoader(() => current, io.redactor, evaluate);
  const readClaims: ServeDeps["readClaims"] = (target, text) => {
    const account = current.accounts.get(target.entry.account);
    if (account === undefined) return null;
    const granted = grantSettings({ target, account, text });
    return "settings" in granted ? granted.settings : null;
  };
  return {
    fleet,
    troubles: () => troubles.list(),
    reload: async () => (current = await reload()),
    deps: {
      clock,
      steadyClock: systemClock,
      random: Math.random,
      store,
      reader,
      approvals: { ...reader, draw: () => randomBytes(32).toString("hex") },
      connect,
      traffic,
      pass: accountPasses(load),
      expand,
      readClaims,
      emit,
      onOutbox: () => notifier?.wake(),
      mask,
      dryRun: flags.dryRun === true,
    },
    checkStack: async (target, commit) => {
      const account = current.accounts.get(target.entry.account);
      if (account === undefined) return;
      await load({ target, account, commit, now: clock.now() });
    },
    shownStacks: (stacks) => worstStacksFirst(stacks.map((stack) => showStack(stack, shownState, clock.now()))),
    listen: async (view) => {
      const { token, ...listen } = fleet.http;
      return startServeHttp({
        view,
        metrics,
        shownState,
        clock,
        listen,
        readToken:
          token === null
            ? null
            : async () => (await readSecretSource(token, "the token of http", fleetSecrets(io))).reveal(),
        readHookSecret: async (source) => {
          const hook = current.sources.get(source)?.hook ?? null;
          return hook === null
            ? null
            : (await readSecretSource(hook, `the secret of the hook of ${source}`, fleetSecrets(io))).reveal();
        },
        onProblem: answerProblems({ now: () => clock.now(), emit, mask }),
      });
    },
    notify: () => {
      const readUrl = async (source: SecretSource): Promise<string> => readReceiver(source, io);
      const send = createSender({ env: io.env, redactor: io.redactor });
      const receivers = () => current.notify;
      return (notifier = createNotifier({ receivers, store, clock, random: Math.random, send, readUrl, emit }));
    },
    close: async () => {
      await reader.close();
      await opened.close();
    },
  };
}

/** So many problems of a file are told in one line. */
const toldProblems = 5;

/** What went wrong and what to do, for people, in one line: with its places, when it is about a file. */
export function messageOf(error: unknown): string {
  if (error instanceof EdgewiseError && !(error instanceof ConfigProblems)) return wordsOf(error);
  if (!(error instanceof ConfigProblems)) return error instanceof Error ? error.message : String(error);
  const told = error.diagnostics.map(({ file, line, column, message, remedy }) => {
    const advice = remedy === null ? "" : ` (${remedy})`;
    return `${file}:${line}:${column}: ${message}${advice}`;
  });
  const more = told.length - toldProblems;
  return `${told.slice(0, toldProblems).join("; ")}${more > 0 ? `; and ${more} more` : ""}`;
}

/** @throws EdgewiseError `usage` */
function withListen(fleet: Fleet, listen: string | undefined): Fleet {
  if (listen === undefined) return fleet;
  const address = parseListen(listen);
  if (address !== null) return { ...fleet, http: { ...fleet.http, ...address } };
  throw new EdgewiseError("usage", `--listen ${JSON.stringify(listen)} is no address`, {
    remedy: "Write HOST:PORT, as in 127.0.0.1:7070 or [::1]:7070.",
  });
}

const expand: ExpandEntries = (found) => {
  const present = found.filter(({ configs, entry }) => "pattern" in entry.config || configs.length > 0);
  const configs = new Map(
    present.map(({ entry, configs }) => [entry.name, configs.map(({ path, match }) => ({ path, match: match ?? "" }))]),
  );
  const { targets, problems } = expandEntries(
    present.map(({ entry }) => entry),
    configs,
  );
  return {
    targets,
    problems: problems.map(({ name, message, remedy }) => ({ stack: name, message: `${message}. ${remedy}` })),
  };
};

function readNow(source: SecretSource, io: GuardedIo): SecretValue {
  if ("env" in source) {
    const text = io.env[source.env];
    return text === undefined ? { available: false, reason: `${source.env} is not set` } : kept(text, io);
  }
  try {
    return kept(readBoundedSync(source.file, limits.secretBytes).toString("utf8"), io);
  } catch {
    return { available: false, reason: `the file ${source.file} can't be read` };
  }
}

function kept(text: string, io: GuardedIo): SecretValue {
  io.redactor.addKey(text.trim());
  return { available: true, text };
}

/** The address of a receiver, read anew. @throws EdgewiseError `config` */
async function readReceiver(source: SecretSource, io: GuardedIo): Promise<string> {
  return (await readSecretSource(source, "the URL of notify", fleetSecrets(io))).reveal();
}

function killGroup(leader: number): void {
  try {
    process.kill(-leader, "SIGKILL");
  } catch {
    // It has ended.
  }
}
