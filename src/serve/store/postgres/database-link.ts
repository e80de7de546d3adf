import { Socket } from "node:net";
import type { Client, QueryConfig, QueryResultRow } from "pg";
import { EdgewiseError } from "../../../core/errors.js";
import {
  type DatabaseAddress,
  type DatabasePlace,
  databaseName,
  findPassword,
  parseDatabaseUrl,
} from "./database-address.js";
import { codeOf, databaseError } from "./database-errors.js";

/** Sends one statement and waits for its rows. Numbers of 64 bits are texts. */
export type RunStatement = <R extends QueryResultRow>(
  text: string,
  values?: readonly unknown[],
) => Promise<readonly R[]>;

export interface DatabaseTimes {
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
  readonly database: string;
  readonly times: DatabaseTimes;
  readonly #holder: Client;
  readonly #worker: Client;
  readonly #sockets: ReadonlySet<Socket>;
  readonly #lost = new AbortController();
  #work: Promise<unknown> = Promise.resolve();
  #turn: Promise<unknown> = Promise.resolve();
  #answered = clocks();

  private constructor(
    database: string,
    times: DatabaseTimes,
    clients: readonly [Client, Client],
    sockets: ReadonlySet<Socket>,
  ) {
    this.database = database;
    this.times = times;
    [this.#holder, this.#worker] = clients;
    this.#sockets = sockets;
    for (const client of clients) {
      client.on("error", (error) => this.drop(error));
      client.on("end", () => this.drop(new Error("the connection was closed")));
    }
  }

  static async open(options: LinkOptions, signal?: AbortSignal): Promise<DatabaseLink> {
    // Its certificates may have been renewed since.
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

  /** Aborted when it is lost, and with it every lock. Its reason is an EdgewiseError. */
  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  readonly run: RunStatement = <R extends QueryResultRow>(text: string, values: readonly unknown[] = []) => {
    const mine = this.#work.then(async () => {
      this.lost.throwIfAborted();
      try {
        return (await this.#worker.query<R>(text, [...values])).rows;
      } catch (error) {
        throw this.#failed(error);
      }
    });
    this.#work = mine.catch(() => undefined);
    return mine;
  };

  /** Does a job on the session that holds the locks, alone. */
  session<T>(job: (run: RunStatement) => Promise<T>): Promise<T> {
    const run: RunStatement = async <R extends QueryResultRow>(text: string, values: readonly unknown[] = []) => {
      this.lost.throwIfAborted();
      const asked = clocks();
      try {
        const { rows } = await this.#holder.query<R>(timed(text, values, this.times.answerMs));
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

  /** Whether an answer of the session is young enough to prove that its locks are held. */
  isProven(): boolean {
    const { steady, wall } = clocks();
    // A machine that slept has not counted that; a clock that was set says nothing.
    const age = Math.max(steady - this.#answered.steady, wall - this.#answered.wall);
    return !this.lost.aborted && age <= this.times.answerMs;
  }

  drop(cause: unknown): void {
    if (this.lost.aborted) return;
    this.#lost.abort(databaseError(this.database, cause));
    for (const socket of this.#sockets) socket.destroy();
  }

  async close(): Promise<void> {
    if (this.lost.aborted) return;
    this.#lost.abort(new EdgewiseError("io", `the database ${this.database} is not used any more: it is closed`));
    const cut = setTimeout(() => {
      for (const socket of this.#sockets) socket.destroy();
    }, 1000);
    await Promise.allSettled([this.#holder.end(), this.#worker.end()]);
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
): Promise<{ readonly clients: readonly [Client, Client]; readonly sockets: ReadonlySet<Socket> }> {
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
    return { clients: [await open(holderSettings(times)), await open(workerSettings(times))], sockets };
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
function holderSettings({ answerMs, idleMs }: DatabaseTimes): string {
  return settings({
    idle_session_timeout: idleMs,
    statement_timeout: Math.ceil(answerMs * 0.8),
    lock_timeout: Math.ceil(answerMs * 0.4),
    tcp_keepalives_idle: 5,
    tcp_keepalives_interval: 2,
    tcp_keepalives_count: 3,
    tcp_user_timeout: idleMs,
  });
}

function workerSettings({ statementMs }: DatabaseTimes): string {
  return settings({
    idle_session_timeout: 0,
    statement_timeout: statementMs,
    lock_timeout: Math.ceil(statementMs / 2),
  });
}

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
