import { EdgewiseError } from "../../../core/errors.js";
import type { DatabaseClock } from "./database-clock.js";
import type { DatabaseLink, DatabaseTimes } from "./database-link.js";
import { type RunStatement, numberOf, textOf, textsOf } from "./database-rows.js";
import { lockedKeys, tellerKey } from "./lock-keys.js";

export interface LockSessionDeps {
  readonly connect: (signal: AbortSignal) => Promise<DatabaseLink>;
  readonly times: DatabaseTimes;
  readonly clock: DatabaseClock;
  /** From 0 to below 1. */
  readonly random: () => number;
  /** Told the locks that this session has, between two jobs of it. */
  readonly onLocks: (keys: ReadonlySet<string>, run: RunStatement) => Promise<void>;
}

/**
 * Keeps a session with the database, whose locks are this process's: asks it every two seconds whether it is alive, and
 * connects anew when it is not, as long as it takes. Meanwhile everything that needs the database rejects at once.
 */
export class LockSession {
  readonly #deps: LockSessionDeps;
  readonly #closing = new AbortController();
  #link: DatabaseLink;
  #pid = 0;
  #isTeller = false;
  /** Why the last attempt to connect failed; null = none did since there was a connection. */
  #problem: EdgewiseError | null = null;
  #keeping: Promise<void> = Promise.resolve();

  private constructor(link: DatabaseLink, deps: LockSessionDeps) {
    this.#link = link;
    this.#deps = deps;
  }

  /** @param link ready to be used */
  static async start(link: DatabaseLink, deps: LockSessionDeps): Promise<LockSession> {
    const session = new LockSession(link, deps);
    await session.beat();
    session.#keeping = session.#keep();
    return session;
  }

  /** The connections in use. @throws EdgewiseError `io` while there are none */
  link(): DatabaseLink {
    if (this.#link.lost.aborted && this.#problem !== null) throw this.#problem;
    this.#link.lost.throwIfAborted();
    return this.#link;
  }

  /** Whether this process has the lock of the one that tells. */
  isTeller(): boolean {
    return this.#isTeller && this.#link.answeredWithin(this.#deps.times.answerMs);
  }

  /** Asks whether the session is alive, and which locks it has. @throws EdgewiseError `io` when it is lost */
  async beat(): Promise<void> {
    const link = this.link();
    const { clock, onLocks } = this.#deps;
    await link.session(async (run) => {
      const sent = performance.now();
      const [row] = await run(beatQuery);
      clock.measure(numberOf(row, "time"), { sent, received: performance.now() });
      const pid = numberOf(row, "pid");
      if (this.#pid !== 0 && pid !== this.#pid) throw this.#moved(link);
      this.#pid = pid;
      const keys = new Set(textsOf(row, "keys"));
      this.#isTeller = keys.delete(tellerKey) || (await tryTeller(run));
      await onLocks(keys, run);
    });
  }

  /** Ends the session, and with it every lock. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#keeping;
    await this.#link.close();
  }

  async #keep(): Promise<void> {
    const { clock, times } = this.#deps;
    const { signal } = this.#closing;
    while (!signal.aborted) {
      const { lost } = this.#link;
      const either = AbortSignal.any([signal, lost]);
      while (!either.aborted) {
        await clock.sleep(times.beatMs, either);
        // What the server refuses while the connection stands is asked for again.
        if (!either.aborted) await this.beat().catch(() => undefined);
      }
      if (signal.aborted) return;
      await this.#reconnect();
    }
  }

  async #reconnect(): Promise<void> {
    const { clock, connect, random, times } = this.#deps;
    const { signal } = this.#closing;
    this.#isTeller = false;
    for (let attempt = 0; !signal.aborted; attempt += 1) {
      await clock.sleep(random() * Math.min(times.retryMs, 250 * 2 ** Math.min(attempt, 10)), signal);
      if (signal.aborted) return;
      try {
        const link = await connect(signal);
        this.#link = link;
        this.#pid = 0;
        await this.beat();
        this.#problem = null;
        return;
      } catch (error) {
        // Whoever needs the database hears it. It is tried again.
        if (error instanceof EdgewiseError) this.#problem = error;
        this.#link.drop(new Error("the connection was closed"));
      }
    }
  }

  /** A pooler between gave this connection another session: the locks are not this process's. */
  #moved(link: DatabaseLink): EdgewiseError {
    const error = new EdgewiseError("io", `the database ${link.database} can't be used: the session has changed`, {
      remedy: "Connect to PostgreSQL itself, or to a pool with pool_mode = session.",
    });
    link.drop(error);
    return error;
  }
}

const beatQuery = `select (extract(epoch from clock_timestamp()) * 1000)::float8 as time, pg_backend_pid() as pid,
  array(select k.key::text from (${lockedKeys}) k where k.pid = pg_backend_pid()) as keys`;

async function tryTeller(run: RunStatement): Promise<boolean> {
  const [row] = await run("select pg_try_advisory_lock($1::bigint)::text as got", [tellerKey]);
  return textOf(row, "got") === "true";
}
