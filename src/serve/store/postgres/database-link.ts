import { Socket } from "node:net";
import type { Client, QueryConfig, QueryResultRow } from "pg";
import { EdgewiseError } from "../../../core/errors.js";
import {
  type DatabaseAddress,
  type DatabasePlace,
  codeOf,
  databaseError,
  databaseName,
  findPassword,
  parseDatabaseUrl,
} from "./database-address.js";
import type { Clock } from "../../../api/client.js";
import { systemClock } from "../../../api/system-clock.js";

/** Numbers of 64 bits are texts. */
export type RunStatement = <R extends QueryResultRow>(
  text: string,
  values?: readonly unknown[],
) => Promise<readonly R[]>;

interface DatabaseTimes {
  readonly beatMs: number;
  /** An answer that is not older proves that the session's locks are held; one that takes longer ends the session. */
  readonly answerMs: number;
  /** After so long without a word of this process the server gives its locks to others. */
  readonly idleMs: number;
  readonly statementMs: number;
  readonly retryMs: number;
}

const usualTimes: DatabaseTimes = {
  beatMs: 2000,
  answerMs: 5000,
  idleMs: 15_000,
  statementMs: 30_000,
  retryMs: 10_000,
};

export interface LinkOptions {
  readonly url: string;
  readonly place: DatabasePlace;
  readonly redactor?: { addSecret(secret: string): void };
  readonly times?: Partial<DatabaseTimes>;
}

/** Two connections that live and die together: one holds the locks, the other reads and saves. */
export class DatabaseLink {
  readonly #lost = new AbortController();
  #work: Promise<unknown> = Promise.resolve();
  #turn: Promise<unknown> = Promise.resolve();
  #answered = clocks();

  private constructor(
    readonly database: string,
    readonly times: DatabaseTimes,
    private readonly clients: { readonly holder: Client; readonly worker: Client },
    private readonly sockets: ReadonlySet<Socket>,
  ) {
    for (const client of Object.values(clients)) {
      client.on("error", (error) => this.drop(error));
      client.on("end", () => this.drop(new Error("the connection was closed")));
    }
  }

  static async open(options: LinkOptions, signal?: AbortSignal): Promise<DatabaseLink> {
    const address = parseDatabaseUrl(options.url);
    const times = { ...usualTimes, ...options.times };
    const opened = async (ssl: DatabaseAddress["ssl"]): Promise<DatabaseLink> => {
      const { clients, sockets } = await connect({ ...address, ssl }, { ...options, times }, signal);
      return new DatabaseLink(databaseName(address), times, clients, sockets);
    };
    try {
      return await opened(address.ssl).catch((error: unknown) => {
        const isPlain = error instanceof Error && error.message === "The server does not support SSL connections";
        if (address.sslmode !== "prefer" || !isPlain) throw error;
        return opened(false);
      });
    } catch (error) {
      throw databaseError(databaseName(address), error);
    }
  }

  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  readonly run: RunStatement = <R extends QueryResultRow>(text: string, values: readonly unknown[] = []) => {
    const mine = this.#work.then(async () => {
      this.lost.throwIfAborted();
      try {
        return (await this.clients.worker.query<R>(text, [...values])).rows;
      } catch (error) {
        throw this.#failed(error);
      }
    });
    this.#work = mine.catch(() => undefined);
    return mine;
  };

  session<T>(job: (run: RunStatement) => Promise<T>): Promise<T> {
    const run: RunStatement = async <R extends QueryResultRow>(text: string, values: readonly unknown[] = []) => {
      this.lost.throwIfAborted();
      const asked = clocks();
      try {
        const { rows } = await this.clients.holder.query<R>(timed(text, values, this.times.answerMs));
        // The server was there when it was asked; the answer may have waited here since.
        this.#answered = asked;
        return rows;
      } catch (error) {
        throw this.#failed(error);
      }
    };
    const mine = this.#turn.then(() => job(run));
    this.#turn = mine.catch(() => undefined);
    return mine;
  }

  isProven(): boolean {
    const { steady, wall } = clocks();
    // A machine that slept has not counted that; a clock that was set says nothing.
    const age = Math.max(steady - this.#answered.steady, wall - this.#answered.wall);
    return !this.lost.aborted && age <= this.times.answerMs;
  }

  drop(cause: unknown): void {
    if (this.lost.aborted) return;
    this.#lost.abort(databaseError(this.database, cause));
    for (const socket of this.sockets) socket.destroy();
  }

  async close(): Promise<void> {
    if (this.lost.aborted) return;
    this.#lost.abort(new EdgewiseError("io", `the database ${this.database} is not used any more: it is closed`));
    const cut = setTimeout(() => {
      for (const socket of this.sockets) socket.destroy();
    }, 1000);
    await Promise.allSettled([this.clients.holder.end(), this.clients.worker.end()]);
    clearTimeout(cut);
  }

  /** The server may refuse one statement, and the connection goes on; anything else ends it. */
  #failed(error: unknown): EdgewiseError {
    const isOfServer = error instanceof Error && "severity" in error && !/^(?:08|57P)/.test(codeOf(error));
    if (!isOfServer) this.drop(error);
    return databaseError(this.database, error);
  }
}

async function connect(
  address: DatabaseAddress,
  { place, redactor, times }: LinkOptions & { readonly times: DatabaseTimes },
  signal?: AbortSignal,
) {
  const { default: pg } = await import("pg");
  const sockets = new Set<Socket>();
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  const open = async (settings: string): Promise<Client> => {
    const client = new pg.Client({
      host: address.host,
      port: address.port,
      database: address.database,
      user: address.user,
      password: async () => {
        const password = await findPassword(address, place);
        redactor?.addSecret(password);
        return password;
      },
      ssl: address.ssl,
      // These would be taken from the environment.
      sslnegotiation: "postgres",
      client_encoding: "UTF8",
      application_name: address.applicationName,
      connectionTimeoutMillis: address.connectTimeoutMs,
      keepAlive: true,
      keepAliveInitialDelayMillis: 5000,
      stream: () => {
        const socket = new Socket();
        sockets.add(socket);
        return socket;
      },
    });
    // Before the link listens, an error is the one of `connect`.
    client.on("error", () => undefined);
    await client.connect();
    await client.query(timed(settings, [], times.answerMs));
    return client;
  };
  if (address.password !== null) redactor?.addSecret(address.password);
  signal?.addEventListener("abort", cut, { once: true });
  try {
    const holder = await open(holderSettings(times));
    return { clients: { holder, worker: await open(workerSettings(times)) }, sockets };
  } catch (error) {
    cut();
    throw error;
  } finally {
    signal?.removeEventListener("abort", cut);
  }
}

function timed(text: string, values: readonly unknown[], ms: number): QueryConfig & { readonly query_timeout: number } {
  return { text, values: [...values], query_timeout: ms };
}

function clocks(): { readonly steady: number; readonly wall: number } {
  return { steady: performance.now(), wall: Date.now() };
}

/** The server must notice a process that stands still or is cut off, and give its locks to others. */
const holderSettings = ({ answerMs, idleMs }: DatabaseTimes): string =>
  settings({
    idle_session_timeout: idleMs,
    statement_timeout: Math.ceil(answerMs * 0.8),
    lock_timeout: Math.ceil(answerMs * 0.4),
    tcp_keepalives_idle: 5,
    tcp_keepalives_interval: 2,
    tcp_keepalives_count: 3,
    tcp_user_timeout: idleMs,
  });

const workerSettings = ({ statementMs }: DatabaseTimes): string =>
  settings({ idle_session_timeout: 0, statement_timeout: statementMs, lock_timeout: Math.ceil(statementMs / 2) });

function settings(own: { readonly [name: string]: number }): string {
  const all = {
    search_path: "pg_catalog",
    default_transaction_isolation: "read committed",
    default_transaction_read_only: "off",
    idle_in_transaction_session_timeout: 15_000,
    ...own,
  };
  const each = Object.entries(all).map(([name, value]) => `set_config('${name}', '${value}', false)`);
  return `select ${each.join(", ")}, set_config('synchronous_commit',
    replace(current_setting('synchronous_commit'), 'off', 'on'), false)`;
}

type ConnectDatabase = (signal?: AbortSignal) => Promise<DatabaseLink>;

/** Keeps a session, whose locks are this process's: asks whether it is alive, and connects anew when it is not. */
export class LockSession implements Clock {
  readonly #closing = new AbortController();
  #pid = 0;
  /** From `performance.now()` to the database's time. */
  #offset: number | null = null;
  #problem: EdgewiseError | null = null;
  #keeping: Promise<void> = Promise.resolve();

  private constructor(
    private current: DatabaseLink,
    private readonly connect: ConnectDatabase,
  ) {}

  static async start(connect: ConnectDatabase): Promise<LockSession> {
    const session = new LockSession(await connect(), connect);
    await session.beat();
    session.#keeping = session.#keep();
    return session;
  }

  link(): DatabaseLink {
    if (this.current.lost.aborted && this.#problem !== null) throw this.#problem;
    this.current.lost.throwIfAborted();
    return this.current;
  }

  now(): number {
    return Math.floor((this.#offset ?? performance.timeOrigin) + performance.now());
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return systemClock.sleep(ms, signal);
  }

  async beat(): Promise<void> {
    const link = this.link();
    await link.session(async (run) => {
      const sent = performance.now();
      const [row] = await run<{ time: number; pid: number }>(
        "select (extract(epoch from clock_timestamp()) * 1000)::float8 as time, pg_backend_pid() as pid",
      );
      if (row === undefined) return;
      this.#measure(row.time, sent);
      if (this.#pid !== 0 && row.pid !== this.#pid) throw sessionChanged(link);
      this.#pid = row.pid;
    });
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#keeping;
    await this.current.close();
  }

  /** The database looked at its clock after it was asked and before the answer came. */
  #measure(time: number, sent: number): void {
    const [least, most] = [time - performance.now(), time - sent];
    // Above the most: the database's clock was set back.
    if (this.#offset === null || this.#offset < least || this.#offset > most) this.#offset = least;
  }

  async #keep(): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted) {
      const either = AbortSignal.any([signal, this.current.lost]);
      while (!either.aborted) {
        await this.sleep(this.current.times.beatMs, either);
        // What the server refuses while the connection stands is asked for again.
        if (!either.aborted) await this.beat().catch(() => undefined);
      }
      for (let attempt = 0; !signal.aborted && this.current.lost.aborted; attempt += 1) await this.#reconnect(attempt);
    }
  }

  async #reconnect(attempt: number): Promise<void> {
    const { signal } = this.#closing;
    const most = Math.min(this.current.times.retryMs, 250 * 2 ** Math.min(attempt, 10));
    await this.sleep(Math.random() * most, signal);
    if (signal.aborted) return;
    try {
      this.current = await this.connect(signal);
      this.#pid = 0;
      await this.beat();
      this.#problem = null;
    } catch (error) {
      if (error instanceof EdgewiseError) this.#problem = error;
      this.current.drop(error);
    }
  }
}

function sessionChanged(link: DatabaseLink): EdgewiseError {
  const error = new EdgewiseError("io", `the database ${link.database} can't be used: the session has changed`, {
    remedy: "Connect to PostgreSQL itself, or to a pool with pool_mode = session.",
  });
  link.drop(error);
  return error;
}
