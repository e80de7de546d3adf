import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Client, ClientOptions, Clock } from "../../api/client.js";
import { createClient } from "../../api/create-client.js";
import { RequestWindow } from "../../api/request-window.js";
import { systemClock } from "../../api/system-clock.js";
import { ConfigProblems } from "../../config/config.js";
import { EdgewiseError, misuse } from "../../core/errors.js";
import { buildCommit, version } from "../../core/version.js";
import { configDefaults } from "../../generated/config-defaults.js";
import type { askProcess } from "../../policies/ask-process.js";
import type { CheckDeps } from "../../serve/check-fleet.js";
import { type ServeEvent, type Trouble, Troubles, problemWords, wordsOf } from "../../serve/serve-events.js";
import {
  type Fleet,
  type FleetAccount,
  type SecretSource,
  accountIdentity,
  isPattern,
  targetOf,
} from "../../serve/fleet/fleet.js";
import { loadFleet, parseListen } from "../../serve/fleet/load-fleet.js";
import { type SecretReading, readAccountKey, readSecretSource } from "../../serve/fleet/read-secret-source.js";
import { createSourceReader } from "../../serve/git/create-source-reader.js";
import { type ServeHttp, answerProblems, startServeHttp } from "../../serve/http/serve-http.js";
import { createMetrics } from "../../serve/http/serve-metrics.js";
import {
  type ServeView,
  type ShownStack,
  type StackView,
  recordViews,
  showStacks,
} from "../../serve/http/shown-stack.js";
import { type Notifier, createNotifier, createSender } from "../../serve/notify/notifier.js";
import { passAccount } from "../../serve/pass/account-pass.js";
import { stackLoader } from "../../serve/pass/load-stack.js";
import { newStackRecord } from "../../serve/records.js";
import type { ServeDeps } from "../../serve/serve-deps.js";
import { holdState, openDirectoryStore } from "../../serve/store/directory-store.js";
import { mayBeRead, parseDatabaseUrl } from "../../serve/store/postgres/database-address.js";
import { checkDatabase, openPostgresStore, readDatabase } from "../../serve/store/postgres/postgres-store.js";
import { recordKey } from "../../serve/store/state-formats.js";
import type { GuardedIo } from "./command-io.js";
import type { Flags } from "./command-options.js";
import { defaultConcurrency } from "./connect.js";

export type ServeParts = Awaited<ReturnType<typeof openServeParts>>;

type ServeStart = Readonly<{
  file: string;
  flags: Flags;
  io: GuardedIo;
  clock: Clock;
  log: (event: ServeEvent) => void;
  evaluate?: typeof askProcess;
}>;

/** A check has a state of its own, which is removed. */
export async function openServeParts({ file, flags, io, clock: wall, log, evaluate }: ServeStart) {
  const mask = (text: string) => io.redactor.redact(text);
  const reload = async (): Promise<Fleet> =>
    withListen(await loadFleet({ file, cwd: io.cwd, ...fleetSecrets(io) }), flags.listen);
  const fleet = await reload();
  let current = fleet;
  const { clock, directory, store, ...opened } = await openFleetStore(flags, io, wall);
  const secretIn = async (source: SecretSource, what: string): Promise<string> =>
    readSecretSource(source, what, fleetSecrets(io)).reveal();
  const reader = createSourceReader({
    directory: join(directory, "sources"),
    host: io,
    now: () => clock.now(),
    readSecret: (source) => secretIn(source, "the secret of credentials"),
    killGroup,
  });
  const metrics = createMetrics({ version, commit: buildCommit });
  const troubles = new Troubles(() => clock.now());
  let notifier: Notifier | null = null;
  const emit = (event: ServeEvent) => {
    metrics.onEvent(event);
    log(event);
    const following = troubles.onEvent(event);
    if (following !== null) emit(following);
  };
  if (opened.mayBeRead) emit({ event: "database-unencrypted" });
  const windowOf = accountWindows();
  const load = stackLoader(() => current, io.redactor, evaluate);
  return {
    fleet,
    troubles: (): readonly Trouble[] => troubles.list(),
    reload: async (): Promise<Fleet> => (current = await reload()),
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
      pass: (input, deps) => passAccount(input, deps, load),
      emit,
      onOutbox: () => notifier?.wake(),
      mask,
      dryRun: flags.dryRun === true,
    } satisfies ServeDeps as ServeDeps,
    checkStack: (async (target, commit) => {
      const account = current.accounts.get(target.entry.account);
      if (account !== undefined) await load({ target, account, commit, now: clock.now() });
    }) satisfies CheckDeps["checkStack"],
    shownStacks: (stacks: readonly StackView[]): readonly ShownStack[] => showStacks(stacks, clock.now()),
    listen: async (view: ServeView): Promise<ServeHttp> => {
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
        onProblem: answerProblems({ clock, emit, mask }),
      });
    },
    notify: (): Notifier => {
      const readUrl = async (source: SecretSource) => secretIn(source, "the URL of notify");
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

export function messageOf(error: unknown): string {
  if (error instanceof ConfigProblems) return problemWords(error.diagnostics);
  return error instanceof EdgewiseError ? wordsOf(error) : String(error);
}

function withListen(fleet: Fleet, listen: string | undefined): Fleet {
  if (listen === undefined) return fleet;
  const address = parseListen(listen);
  if (address !== null) return { ...fleet, http: { ...fleet.http, ...address } };
  const remedy = "Write HOST:PORT, as in 127.0.0.1:7070 or [::1]:7070.";
  throw misuse(`--listen ${JSON.stringify(listen)} is no address`, remedy);
}

function killGroup(leader: number): void {
  try {
    process.kill(-leader, "SIGKILL");
  } catch {}
}

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

/** Other addresses may begin as the whole does. */
function secretPartsOf(secret: string): readonly string[] | null {
  if (!/^https?:/i.test(secret) || !URL.canParse(secret)) return null;
  const { password, pathname, search } = new URL(secret);
  const long = `${pathname}${search}`.split(/[/?&=]/u).filter((part) => part.length >= 16);
  return [...(password === "" ? [] : [password]), ...long];
}

/** Reads the key anew for each pass. */
async function connect(account: FleetAccount, changes: Partial<ClientOptions>, io: GuardedIo): Promise<Client> {
  const apiKey = readAccountKey(account, fleetSecrets(io));
  const { baseUrl, versionHeader, requestsPerMinute } = account;
  const { env, redactor } = io;
  const timeoutMs = configDefaults.api.timeout;
  const own = { baseUrl, apiKey, versionHeader, requestsPerMinute, env, redactor, timeoutMs };
  return createClient({ ...own, concurrency: defaultConcurrency, ...changes });
}

function accountWindows(): (account: FleetAccount) => RequestWindow {
  const windows = new Map<string, RequestWindow>();
  return (account) => {
    const identity = accountIdentity(account);
    const window = windows.get(identity) ?? new RequestWindow();
    windows.set(identity, window);
    return window;
  };
}

/** A check's directory, and one beside a database, may be temporary. */
async function openFleetStore(flags: Flags, io: GuardedIo, clock: Clock) {
  const { check = false, state } = flags;
  const link = databaseOf(flags, io);
  const isReadable = link !== null && mayBeRead(parseDatabaseUrl(link.url));
  if (link !== null && check) await checkDatabase(link);
  const isTemporary = check || (link !== null && state === undefined);
  const directory = isTemporary ? await mkdtemp(join(tmpdir(), "edgewise-serve-")) : (state ?? ".edgewise-state");
  const remove = async () => {
    if (isTemporary) await rm(directory, { recursive: true, force: true });
  };
  if (link === null || check) {
    const store = await openDirectoryStore(directory, io);
    const close = async () => {
      await store.close();
      await remove();
    };
    return { store, clock, directory: store.directory, mayBeRead: isReadable, close };
  }
  const held = isTemporary ? null : await holdState(directory, io);
  const release = async () => {
    await held?.lock.release();
    await remove();
  };
  try {
    const store = await openPostgresStore(link);
    const close = async () => {
      await store.close();
      await release();
    };
    return { store, clock: store.clock, directory: held?.path ?? directory, mayBeRead: isReadable, close };
  } catch (error) {
    await release();
    throw error;
  }
}

function databaseOf({ database }: Flags, { cwd, env, redactor }: GuardedIo) {
  const url = database ?? env["EDGEWISE_DATABASE"];
  if (url === undefined) return null;
  if (url !== "") return { url, place: { cwd, env }, redactor };
  throw new EdgewiseError(
    "config",
    "EDGEWISE_DATABASE is set but empty",
    "Set it to postgres://USER@HOST/DATABASE, or unset it.",
  );
}

export async function readFleetStatus(fleet: Fleet, flags: Flags, io: GuardedIo) {
  const link = databaseOf(flags, io);
  if (link === null)
    throw misuse("--status reads a database", "Name it with --database or EDGEWISE_DATABASE, or ask /api/stacks.");
  const { now, state } = await readDatabase(link);
  const { damaged, stacks } = state;
  // Also what the fleet file names and nobody looked at yet.
  const others = fleet.entries.flatMap((entry): readonly StackView[] => {
    const { name, policy } = entry;
    if (isPattern(entry) || stacks.has(name)) return [];
    const record = newStackRecord(targetOf(entry), now);
    const message = damaged.get(recordKey("stack", name));
    const status = message === undefined ? record.status : { ...record.status, state: "failed" as const, message };
    return [{ record: { ...record, status }, intervalMs: policy.intervalMs }];
  });
  return { now, warnings: damaged.values(), stacks: [...Array.from(stacks.values(), recordViews(fleet)), ...others] };
}
