import { Socket } from "node:net";
import type { Client, ClientBase, ClientConfig, Pool, QueryConfig } from "pg";
import { EdgewiseError } from "../../../core/errors.js";
import { codeOf, databaseError } from "./database-errors.js";
import { type DatabasePlace, findPassword } from "./database-password.js";
import type { Row, RunStatement } from "./database-rows.js";
import { type DatabaseAddress, databaseName, parseDatabaseUrl } from "./database-url.js";

/** How long things may take, in milliseconds. */
export interface DatabaseTimes {
  /** Between two questions whether the session is alive. */
  readonly beatMs: number;
  /** An answer that is not older proves that the session's locks are held; one that takes longer ends the session. */
  readonly answerMs: number;
  /** After so long without a word of this process the server gives its locks to others. */
  readonly idleMs: number;
  /** For statements that hold no lock. */
  readonly statementMs: number;
  /** The longest wait before another attempt to connect. */
  readonly retryMs: number;
}

export const databaseTimes: DatabaseTimes = {
  beatMs: 2000,
  answerMs: 5000,
  idleMs: 15_000,
  statementMs: 30_000,
  retryMs: 10_000,
};

export interface LinkOptions {
  readonly place: DatabasePlace;
  readonly times: DatabaseTimes;
  /** Called with the password of each connection, before it is used. */
  readonly learn: (secret: string) => void;
  /** Ends the attempt to connect. */
  readonly signal?: AbortSignal;
  /** Whether nothing may be changed, and the session has nothing to lose. */
  readonly readOnly?: boolean;
}

/** How many connections do what needs no lock. */
const poolSize = 4;

/**
 * The connections of a process to the database, which live and die together: one whose session holds the locks, and a few
 * that read and write. When the session is lost the others are cut as well, so that nothing is written to a server that no
 * longer counts.
 */
export class DatabaseLink {
  readonly database: string;
  readonly #times: DatabaseTimes;
  readonly #client: Client;
  readonly #pool: Pool;
  readonly #sockets: ReadonlySet<Socket>;
  readonly #lost = new AbortController();
  #turn: Promise<unknown> = Promise.resolve();
  #answered = now();
  /** How many more statements may run beside the session, and who waits for that. */
  #room = poolSize;
  readonly #waiting: (() => void)[] = [];

  private constructor(
    parts: { readonly client: Client; readonly pool: Pool; readonly sockets: ReadonlySet<Socket> },
    { database, times }: { readonly database: string; readonly times: DatabaseTimes },
  ) {
    this.database = database;
    this.#times = times;
    this.#client = parts.client;
    this.#pool = parts.pool;
    this.#sockets = parts.sockets;
    // An idle connection that breaks is replaced by the pool.
    this.#pool.on("error", () => undefined);
    this.#client.on("error", (error) => this.drop(error));
    this.#client.on("end", () => this.drop(new Error("the connection was closed")));
  }

  /** @throws EdgewiseError `io` or `config` */
  static async open(address: DatabaseAddress, options: LinkOptions): Promise<DatabaseLink> {
    const database = databaseName(address);
    try {
      // Its certificates may have been renewed since.
      const { ssl } = parseDatabaseUrl(address.url);
      return await DatabaseLink.#open({ ...address, ssl }, options).catch((error: unknown) => {
        const isPlain = error instanceof Error && error.message === "The server does not support SSL connections";
        if (address.sslmode !== "prefer" || !isPlain) throw error;
        return DatabaseLink.#open({ ...address, ssl: false }, options);
      });
    } catch (error) {
      throw databaseError(database, error);
    }
  }

  static async #open(address: DatabaseAddress, options: LinkOptions): Promise<DatabaseLink> {
    const { learn, place, times } = options;
    const { default: pg } = await import("pg");
    const sockets = new Set<Socket>();
    const config: ClientConfig = {
      host: address.host,
      port: address.port,
      database: address.database,
      user: address.user,
      password: async () => {
        const password = await findPassword(address, place);
        if (password === null) throw needsPassword(databaseName(address));
        learn(password);
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
        socket.once("close", () => sockets.delete(socket));
        return socket;
      },
    };
    const client = new pg.Client(config);
    // Before the constructor listens, an error is the one of `connect`.
    client.on("error", () => undefined);
    const cut = (): void => {
      for (const socket of sockets) socket.destroy();
    };
    options.signal?.addEventListener("abort", cut, { once: true });
    try {
      await client.connect();
      const prepare: TimedQuery = { text: sessionSettings(options), query_timeout: times.answerMs };
      await client.query(prepare);
    } catch (error) {
      cut();
      throw error;
    } finally {
      options.signal?.removeEventListener("abort", cut);
    }
    // The pool awaits it, and listens for the end of the connection meanwhile, other than with `verify`.
    const prepared = { onConnect: async (fresh: ClientBase) => void (await fresh.query(poolSettings(options))) };
    const pool = new pg.Pool({
      ...config,
      max: poolSize,
      query_timeout: times.statementMs + times.answerMs,
      idleTimeoutMillis: 60_000,
      ...prepared,
    });
    return new DatabaseLink({ client, pool, sockets }, { database: databaseName(address), times });
  }

  /** Aborted when the session is lost, and with it every lock. Its reason is an EdgewiseError. */
  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  /** Runs a statement on one of the connections that hold no lock. @throws EdgewiseError `io` */
  readonly run: RunStatement = async (text, values = []) => {
    this.#assertAlive();
    await this.#enter();
    try {
      this.#assertAlive();
      const { rows } = await this.#pool.query<Row>(text, [...values]);
      return rows;
    } catch (error) {
      throw databaseError(this.database, error);
    } finally {
      this.#leave();
    }
  };

  /** Waits here for a free connection: the pool would give that up after the time for connecting. */
  async #enter(): Promise<void> {
    if (this.#room > 0) this.#room -= 1;
    else await new Promise<void>((resolve) => void this.#waiting.push(resolve));
  }

  #leave(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#room += 1;
    else next();
  }

  /**
   * Does a job on the session, alone: statements of others come before or after all of its own. A statement that is not
   * answered in time ends the session, as nobody knows what holds.
   * @throws EdgewiseError `io`, and what the job throws
   */
  session<T>(job: (run: RunStatement) => Promise<T>): Promise<T> {
    const mine = this.#turn.then(() => job((text, values) => this.#onSession(text, values)));
    this.#turn = mine.catch(() => undefined);
    return mine;
  }

  /** Whether an answer came on the session not longer ago than that. */
  answeredWithin(ms: number): boolean {
    const { steady, wall } = now();
    // A machine that slept has not counted that; a clock that was set says nothing.
    return !this.lost.aborted && Math.max(steady - this.#answered.steady, wall - this.#answered.wall) <= ms;
  }

  /** Cuts every connection. */
  drop(cause: unknown): void {
    if (this.lost.aborted) return;
    this.#lost.abort(databaseError(this.database, cause));
    void this.#pool.end().catch(() => undefined);
    for (const socket of this.#sockets) socket.destroy();
  }

  /** Ends every connection in order, within a second. */
  async close(): Promise<void> {
    if (this.lost.aborted) return;
    this.#lost.abort(new EdgewiseError("io", `the database ${this.database} is not used any more: it is closed`));
    const cut = setTimeout(() => {
      for (const socket of this.#sockets) socket.destroy();
    }, 1000);
    await Promise.allSettled([this.#client.end(), this.#pool.end()]);
    clearTimeout(cut);
  }

  async #onSession(text: string, values: readonly unknown[] = []): Promise<readonly Row[]> {
    this.#assertAlive();
    const asked = now();
    const query: TimedQuery = { text, values: [...values], query_timeout: this.#times.answerMs };
    try {
      const { rows } = await this.#client.query<Row>(query);
      // The server was there when it was asked; the answer may have waited here since.
      this.#answered = asked;
      return rows;
    } catch (error) {
      if (!isStatementError(error)) this.drop(error);
      throw databaseError(this.database, error);
    }
  }

  #assertAlive(): void {
    this.lost.throwIfAborted();
  }
}

/** A query that is given up after so many milliseconds. */
type TimedQuery = QueryConfig & { readonly query_timeout: number };

/** The server refused one statement, and the session goes on. */
function isStatementError(error: unknown): boolean {
  const isServers = error instanceof Error && "severity" in error;
  return isServers && !/^(?:08|57P)/.test(codeOf(error));
}

function now(): { readonly steady: number; readonly wall: number } {
  return { steady: performance.now(), wall: Date.now() };
}

/** What every connection needs, whatever the database or the role is set to. */
const commonSettings: readonly (readonly [name: string, value: string])[] = [
  ["search_path", "pg_catalog"],
  ["default_transaction_isolation", "read committed"],
  ["default_transaction_deferrable", "off"],
  ["idle_in_transaction_session_timeout", "15000"],
];

/** The server must notice a process that stands still or is cut off, and give its locks to others. */
function sessionSettings({ readOnly = false, times: { answerMs, idleMs } }: LinkOptions): string {
  return settings(readOnly, [
    ["idle_session_timeout", readOnly ? "0" : String(idleMs)],
    ["statement_timeout", String(Math.ceil(answerMs * 0.8))],
    ["lock_timeout", String(Math.ceil(answerMs * 0.4))],
    ["tcp_keepalives_idle", "5"],
    ["tcp_keepalives_interval", "2"],
    ["tcp_keepalives_count", "3"],
    ["tcp_user_timeout", String(idleMs)],
  ]);
}

function poolSettings({ readOnly = false, times: { statementMs } }: LinkOptions): string {
  return settings(readOnly, [
    ["idle_session_timeout", "0"],
    ["statement_timeout", String(statementMs)],
    ["lock_timeout", String(Math.ceil(statementMs / 2))],
  ]);
}

function settings(readOnly: boolean, own: readonly (readonly [name: string, value: string])[]): string {
  const only = ["default_transaction_read_only", readOnly ? "on" : "off"] as const;
  const each = [...commonSettings, only, ...own].map(([name, value]) => `set_config('${name}', '${value}', false)`);
  // What was saved must not be lost with the power: writes to the service rely on it.
  const durable = `set_config('synchronous_commit', case current_setting('synchronous_commit') when 'off' then 'on'
    else current_setting('synchronous_commit') end, false)`;
  return `select ${[...each, durable].join(", ")}`;
}

function needsPassword(database: string): EdgewiseError {
  return new EdgewiseError("config", `the database ${database} asks for a password, and there is none`, {
    remedy: "Set PGPASSWORD, or name a password file with PGPASSFILE or with passfile= in the URL.",
  });
}
