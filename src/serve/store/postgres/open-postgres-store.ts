import type { Redactor } from "../../../redact.js";
import { AccountClaims } from "./account-claims.js";
import { DatabaseClock } from "./database-clock.js";
import { DatabaseLink, type DatabaseTimes, type LinkOptions, databaseTimes } from "./database-link.js";
import type { DatabasePlace } from "./database-password.js";
import { type DatabaseAddress, databaseName, parseDatabaseUrl } from "./database-url.js";
import { LockSession } from "./lock-session.js";
import { checkServer, migrate } from "./migrate.js";
import { refuseTransactionPooling } from "./pooling-check.js";
import { type PostgresStore, SharedStore } from "./postgres-store.js";
import { StoredRecords } from "./read-changes.js";

export interface PostgresStoreOptions {
  /** See `parseDatabaseUrl`. */
  readonly url: string;
  /** Of the environment only `PGPASSWORD` and `PGPASSFILE` are read. */
  readonly place: DatabasePlace;
  /** Learns the password. */
  readonly redactor?: Pick<Redactor, "addSecret">;
  readonly times?: Partial<DatabaseTimes>;
  /** From 0 to below 1. */
  readonly random?: () => number;
}

/**
 * Opens the store of a fleet in a PostgreSQL database, and brings its schema `edgewise` up to date. When the connection is
 * lost later, the store connects again by itself.
 * @throws EdgewiseError `config` for the URL, the password and files; `io` when the database can't be used now, or never:
 *   its version, its encoding, a later schema, a pooler between that shares sessions
 */
export async function openPostgresStore(options: PostgresStoreOptions): Promise<PostgresStore> {
  const { random = Math.random } = options;
  const { address, link: linkOptions } = prepareLink(options);
  const { times } = linkOptions;
  const database = databaseName(address);
  const clock = new DatabaseClock();
  const records = new StoredRecords(database);
  const connect = async (signal?: AbortSignal): Promise<DatabaseLink> => {
    const link = await DatabaseLink.open(address, { ...linkOptions, ...(signal === undefined ? {} : { signal }) });
    const cut = (): void => link.drop(new Error("the connection was closed"));
    signal?.addEventListener("abort", cut, { once: true });
    try {
      await link.session((run) => checkServer(run, database));
      await link.session((run) => migrate(run, database));
      return link;
    } catch (error) {
      await link.close();
      throw error;
    } finally {
      signal?.removeEventListener("abort", cut);
    }
  };
  const link = await connect();
  try {
    const second = await DatabaseLink.open(address, linkOptions);
    try {
      await refuseTransactionPooling(link, second);
    } finally {
      await second.close();
    }
    let session: LockSession | null = null;
    const claims = new AccountClaims({
      session: () => session ?? neverBefore(),
      now: () => clock.now(),
      answerMs: times.answerMs,
      readCurrent: (wanted, current) => records.current(current.run, wanted),
    });
    const onLocks = claims.compare.bind(claims);
    session = await LockSession.start(link, { connect, times, clock, random, onLocks });
    return new SharedStore({ database, clock, session, claims, records });
  } catch (error) {
    await link.close();
    throw error;
  }
}

/** What it takes to connect. @throws EdgewiseError `config` */
export function prepareLink({
  place,
  redactor,
  times,
  url,
}: Pick<PostgresStoreOptions, "place" | "redactor" | "times" | "url">): {
  readonly address: DatabaseAddress;
  readonly link: LinkOptions;
} {
  const learn = (secret: string): void => redactor?.addSecret(secret);
  const address = parseDatabaseUrl(url);
  if (address.password !== null) learn(address.password);
  return { address, link: { place, learn, times: { ...databaseTimes, ...times } } };
}

function neverBefore(): never {
  throw new TypeError("an account was claimed before the session began");
}
