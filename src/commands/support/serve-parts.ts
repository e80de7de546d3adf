import { randomBytes } from "node:crypto";
import { join } from "node:path";
import type { Client, ClientOptions, Clock } from "../../api/client.js";
import { createClient } from "../../api/create-client.js";
import { RequestWindow } from "../../api/request-window.js";
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
import type { ServeEvent } from "../../serve/serve-events.js";
import { expandEntries } from "../../serve/fleet/expand-entries.js";
import { type Fleet, type FleetAccount, type SecretSource, accountIdentity } from "../../serve/fleet/fleet.js";
import { parseListen } from "../../serve/fleet/listen-address.js";
import { loadFleet } from "../../serve/fleet/load-fleet.js";
import { type SecretReading, readAccountKey, readSecretSource } from "../../serve/fleet/read-secret-source.js";
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
import { configDefaults } from "../../generated/config-defaults.js";
import { defaultConcurrency } from "./connect.js";
import { openFleetStore } from "./fleet-store.js";
import type { GuardedIo } from "./io.js";

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
    host: io,
    now: () => clock.now(),
    readSecret: (source) => readNow(source, io),
    secretFiles: () => ({
      readSecret: () => ({ available: false, reason: "secrets are read from its directory alone" }),
    }),
    killGroup,
  });
  const metrics = createMetrics({ version, commit: buildCommit });
  const troubles = new Troubles(() => clock.now());
  let notifier: Notifier | null = null;
  const emit = (event: ServeEvent): void => {
    metrics.onEvent(event);
    log(event);
    const following = troubles.onEvent(event);
    if (following !== null) emit(following);
  };
  if (opened.mayBeRead === true) emit({ event: "database-unencrypted" });
  const windowOf = accountWindows(() => current);
  const secretIn = async (source: SecretSource, what: string): Promise<string> =>
    (await readSecretSource(source, what, fleetSecrets(io))).reveal();
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
      connect: (account, changes) => connect(account, { window: windowOf(account), ...changes }, io),
      traffic: {
        sentLately: (account) => windowOf(account).sentLately(systemClock.now()),
        countOthers: (account, count) => windowOf(account).countOthers(count, systemClock.now()),
      },
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
    shownStacks: (stacks) => worstStacksFirst(stacks.map((stack) => showStack(stack, clock.now()))),
    listen: async (view) => {
      const { token, ...listen } = fleet.http;
      return startServeHttp({
        view,
        metrics,
        clock,
        listen,
        readToken: token === null ? null : async () => secretIn(token, "the token of http"),
        readHookSecret: async (source) => {
          const hook = current.sources.get(source)?.hook ?? null;
          return hook === null ? null : secretIn(hook, `the secret of the hook of ${source}`);
        },
        onProblem: answerProblems({ now: () => clock.now(), emit, mask }),
      });
    },
    notify: () => {
      const readUrl = async (source: SecretSource): Promise<string> => secretIn(source, "the URL of notify");
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

function killGroup(leader: number): void {
  try {
    process.kill(-leader, "SIGKILL");
  } catch {
    // It has ended.
  }
}

/** How secrets of the fleet file are read: no output shows them from then on. */
export function fleetSecrets({ env, redactor }: Pick<GuardedIo, "env" | "redactor">): SecretReading {
  return {
    env,
    onSecret: (secret) => {
      const parts = secretPartsOf(secret);
      if (parts === null) redactor.addKey(secret);
      for (const part of parts ?? []) redactor.addSecret(part);
    },
  };
}

/** In the address of a receiver, what is as long as this is secret; names of hosts and short words are not. */
const secretLength = 16;

/** What of an address must not be shown. The whole is not masked: other addresses begin as it does. Null = it is none. */
function secretPartsOf(secret: string): readonly string[] | null {
  if (!/^https?:/i.test(secret) || !URL.canParse(secret)) return null;
  const { password, pathname, search } = new URL(secret);
  const long = `${pathname}${search}`.split(/[/?&=]/u).filter((part) => part.length >= secretLength);
  return [...(password === "" ? [] : [password]), ...long];
}

/** A client for one pass: its key is read anew. Requests are counted over all passes, as the limit is the account's. */
async function connect(account: FleetAccount, changes: Partial<ClientOptions>, io: GuardedIo): Promise<Client> {
  const apiKey = await readAccountKey(account, fleetSecrets(io));
  const { baseUrl, versionHeader, requestsPerMinute } = account;
  const { env, redactor } = io;
  const own = {
    baseUrl,
    apiKey,
    versionHeader,
    requestsPerMinute,
    env,
    redactor,
    timeoutMs: configDefaults.api.timeout,
  };
  return createClient({ ...own, concurrency: defaultConcurrency, ...changes });
}

function accountWindows(fleet: () => Fleet): (account: FleetAccount) => RequestWindow {
  const windows = new Map<string, RequestWindow>();
  return (account) => {
    const known = new Set([...fleet().accounts.values()].map(accountIdentity));
    for (const other of windows.keys()) if (!known.has(other)) windows.delete(other);
    const identity = accountIdentity(account);
    const window = windows.get(identity) ?? new RequestWindow();
    windows.set(identity, window);
    return window;
  };
}
