import type { Clock } from "../../../api/client.js";
import { systemClock } from "../../../api/system-clock.js";
import { EdgewiseError } from "../../../core/errors.js";
import type { DatabaseLink } from "./database-link.js";

export type ConnectDatabase = (signal?: AbortSignal) => Promise<DatabaseLink>;

/** Keeps a session, whose locks are this process's: asks whether it is alive, and connects anew when it is not. */
export class LockSession implements Clock {
  readonly #connect: ConnectDatabase;
  readonly #closing = new AbortController();
  #link: DatabaseLink;
  #pid = 0;
  /** From `performance.now()` to the database's time. */
  #offset: number | null = null;
  #problem: EdgewiseError | null = null;
  #keeping: Promise<void> = Promise.resolve();

  private constructor(link: DatabaseLink, connect: ConnectDatabase) {
    this.#link = link;
    this.#connect = connect;
  }

  static async start(connect: ConnectDatabase): Promise<LockSession> {
    const session = new LockSession(await connect(), connect);
    await session.beat();
    session.#keeping = session.#keep();
    return session;
  }

  link(): DatabaseLink {
    if (this.#link.lost.aborted && this.#problem !== null) throw this.#problem;
    this.#link.lost.throwIfAborted();
    return this.#link;
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
    await this.#link.close();
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
      const either = AbortSignal.any([signal, this.#link.lost]);
      while (!either.aborted) {
        await this.sleep(this.#link.times.beatMs, either);
        // What the server refuses while the connection stands is asked for again.
        if (!either.aborted) await this.beat().catch(() => undefined);
      }
      for (let attempt = 0; !signal.aborted && this.#link.lost.aborted; attempt += 1) await this.#reconnect(attempt);
    }
  }

  async #reconnect(attempt: number): Promise<void> {
    const { signal } = this.#closing;
    const most = Math.min(this.#link.times.retryMs, 250 * 2 ** Math.min(attempt, 10));
    await this.sleep(Math.random() * most, signal);
    if (signal.aborted) return;
    try {
      this.#link = await this.#connect(signal);
      this.#pid = 0;
      await this.beat();
      this.#problem = null;
    } catch (error) {
      if (error instanceof EdgewiseError) this.#problem = error;
      this.#link.drop(error);
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
