import { Socket } from "node:net";
import type { Client, QueryResultRow } from "pg";
import { EdgewiseError } from "../../../core/errors.js";
import type { Clock } from "../../../api/client.js";
import { systemClock } from "../../../api/system-clock.js";
import {
  type DatabaseAddress,
  type DatabasePlace,
  databaseError,
  databaseName,
  findPassword,
  parseDatabaseUrl,
  poolRemedy,
  unusableDatabase,
} from "./database-address.js";

/** Numbers of 64 bits are texts. */
export type RunStatement = <R extends QueryResultRow>(
  text: string,
  values?: readonly unknown[],
) => Promise<readonly R[]>;

const usualTimes = {
  beatMs: 2000,
  /** An answer that is not older proves that the locks are held. A statement may take twice as long. */
  answerMs: 5000,
  /** After such a silence the server gives the locks to others. */
  idleMs: 15_000,
  retryMs: 10_000,
};

export type LinkOptions = Readonly<{
  url: string;
  place: DatabasePlace;
  redactor?: { addSecret(secret: string): void };
  times?: Partial<typeof usualTimes>;
}>;

export class DatabaseLink {
  readonly #lost = new AbortController();
  #turn: Promise<unknown> = Promise.resolve();
  #answered = clocks();

  private constructor(
    readonly database: string,
    readonly times: typeof usualTimes,
    private readonly client: Client,
    private readonly socket: Socket,
  ) {
    client.on("error", (error) => this.drop(error));
    client.on("end", () => this.drop(new Error("the connection was closed")));
  }

  static async open(options: LinkOptions, signal?: AbortSignal): Promise<DatabaseLink> {
    const address = parseDatabaseUrl(options.url);
    const database = databaseName(address);
    const times = { ...usualTimes, ...options.times };
    try {
      const { client, socket } = await connect(address, options, signal).catch((error: unknown) => {
        const isPlain = error instanceof Error && error.message === "The server does not support SSL connections";
        if (address.sslmode !== "prefer" || !isPlain) throw error;
        return connect({ ...address, ssl: false }, options, signal);
      });
      const link = new DatabaseLink(database, times, client, socket);
      await link.run(sessionSettings(times));
      return link;
    } catch (error) {
      throw databaseError(database, error);
    }
  }

  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  readonly run: RunStatement = <R extends QueryResultRow>(text: string, values: readonly unknown[] = []) => {
    const mine = this.#turn.then(async () => {
      this.lost.throwIfAborted();
      const asked = clocks();
      const query = { text, values: [...values], query_timeout: 2 * this.times.answerMs };
      try {
        const { rows } = await this.client.query<R>(query);
        // The answer may have waited here.
        this.#answered = asked;
        return rows;
      } catch (error) {
        // A connection outlives a statement that the server refuses, and nothing else.
        const isOfServer = error instanceof Error && "severity" in error && "code" in error;
        if (!isOfServer || /^(?:08|57P)/.test(String(error.code))) this.drop(error);
        throw databaseError(this.database, error);
      }
    });
    this.#turn = mine.catch(() => undefined);
    return mine;
  };

  isProven(): boolean {
    const { steady, wall } = clocks();
    // One clock stands still while the machine sleeps, the other may be set.
    const age = Math.max(steady - this.#answered.steady, wall - this.#answered.wall);
    return !this.lost.aborted && age <= this.times.answerMs;
  }

  drop(cause: unknown): void {
    if (this.lost.aborted) return;
    this.#lost.abort(databaseError(this.database, cause));
    this.socket.destroy();
  }

  async close(): Promise<void> {
    if (this.lost.aborted) return;
    this.#lost.abort(new EdgewiseError("io", `the database ${this.database} is closed`));
    const cut = setTimeout(() => this.socket.destroy(), 1000);
    await this.client.end().catch(() => undefined);
    clearTimeout(cut);
  }
}

async function connect(address: DatabaseAddress, { place, redactor }: LinkOptions, signal?: AbortSignal) {
  const { default: pg } = await import("pg");
  const socket = new Socket();
  const cut = (): void => void socket.destroy();
  const client = new pg.Client({
    ...address,
    password: async () => {
      const password = await findPassword(address, place);
      redactor?.addSecret(password);
      return password;
    },
    // Not from the environment.
    sslnegotiation: "postgres",
    client_encoding: "UTF8",
    keepAlive: true,
    keepAliveInitialDelayMillis: 5000,
    stream: () => socket,
  });
  // Before the link listens, an error is the one of `connect`.
  client.on("error", () => undefined);
  if (address.password !== null) redactor?.addSecret(address.password);
  signal?.addEventListener("abort", cut, { once: true });
  try {
    await client.connect();
    return { client, socket };
  } catch (error) {
    cut();
    throw error;
  } finally {
    signal?.removeEventListener("abort", cut);
  }
}

function clocks(): Readonly<{ steady: number; wall: number }> {
  return { steady: performance.now(), wall: Date.now() };
}

function sessionSettings({ answerMs, idleMs }: typeof usualTimes): string {
  const settings = {
    search_path: "pg_catalog",
    default_transaction_isolation: "read committed",
    default_transaction_read_only: "off",
    idle_in_transaction_session_timeout: idleMs,
    idle_session_timeout: idleMs,
    statement_timeout: Math.ceil(1.6 * answerMs),
    lock_timeout: Math.ceil(0.8 * answerMs),
    tcp_keepalives_idle: 5,
    tcp_keepalives_interval: 2,
    tcp_keepalives_count: 3,
    tcp_user_timeout: idleMs,
  };
  const each = Object.entries(settings).map(([name, value]) => `set_config('${name}', '${value}', false)`);
  return `select ${each.join(", ")}, set_config('synchronous_commit',
    replace(current_setting('synchronous_commit'), 'off', 'on'), false)`;
}

type ConnectDatabase = (signal?: AbortSignal) => Promise<DatabaseLink>;

/** Keeps a session alive, or connects anew. Its time is the database's. */
export class LockSession implements Clock {
  readonly sleep = systemClock.sleep;
  readonly #closing = new AbortController();
  #pid = 0;
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

  async beat(): Promise<void> {
    const link = this.link();
    const sent = performance.now();
    const [row] = await link.run<{ time: number; pid: number }>(
      "select (extract(epoch from clock_timestamp()) * 1000)::float8 as time, pg_backend_pid() as pid",
    );
    if (row === undefined) return;
    // The database read its clock in between. Above the most, it was set back.
    const [least, most] = [row.time - performance.now(), row.time - sent];
    if (this.#offset === null || this.#offset < least || this.#offset > most) this.#offset = least;
    if (this.#pid !== 0 && row.pid !== this.#pid) {
      const error = unusableDatabase(link.database, "the session has changed", poolRemedy);
      link.drop(error);
      throw error;
    }
    this.#pid = row.pid;
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#keeping;
    await this.current.close();
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
    await this.sleep(Math.random() * Math.min(this.current.times.retryMs, 250 * 2 ** Math.min(attempt, 10)), signal);
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
