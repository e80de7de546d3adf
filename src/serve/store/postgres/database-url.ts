import type { ConnectionOptions } from "node:tls";
import { type ConnectionOptions as WrittenAddress, parse } from "pg-connection-string";
import { EdgewiseError } from "../../../core/errors.js";
import { isLoopback } from "../../http/check-access.js";

const tlsModes = ["disable", "prefer", "require", "verify-ca", "verify-full"] as const;

/** What a database URL says. */
export interface DatabaseAddress {
  readonly url: string;
  /** A name, an address, or the directory of a Unix socket. */
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
  /** Null = it comes from elsewhere, or none is needed. */
  readonly password: string | null;
  readonly passfile: string | null;
  readonly sslmode: (typeof tlsModes)[number];
  /** With the texts of the certificates that the URL names. */
  readonly ssl: ConnectionOptions | false;
  readonly applicationName: string;
  readonly connectTimeoutMs: number;
}

/** Of a URL and its query, as the package names them. */
const known: ReadonlySet<string> = new Set([
  "host",
  "port",
  "user",
  "password",
  "passfile",
  "sslmode",
  "sslrootcert",
  "sslcert",
  "sslkey",
  "application_name",
  "connect_timeout",
  "database",
  "ssl",
]);

/**
 * Reads `postgres://USER[:PASSWORD]@HOST[:PORT]/DATABASE[?PARAMETER=…]`. Parameters mean what they mean to PostgreSQL's own
 * programs. What would be taken from the environment there (`PGHOST`, `PGSSLMODE`, …) is not: the URL alone says where to
 * connect. Without a database, its name is the user's.
 * @throws EdgewiseError `config`, also for certificates that can't be read; it tells no part of the URL but names
 */
export function parseDatabaseUrl(url: string): DatabaseAddress {
  if (!/^postgres(?:ql)?:\/\//.test(url)) throw wrong("it doesn't begin with postgres://", "Give a PostgreSQL URL.");
  const written = parseUrl(url);
  const unknown = Object.keys(written).find((name) => !known.has(name));
  if (unknown !== undefined)
    throw wrong(`it has the parameter ${unknown}, which edgewise doesn't know`, "Leave it out.");
  const { host, user, database, password } = written;
  const text = (name: string): string | null => (typeof written[name] === "string" ? written[name] || null : null);
  if (!host || !user) throw wrong(`it names no ${host ? "user" : "host"}`, "Write postgres://USER@HOST/DATABASE.");
  const given = text("sslmode") ?? (isLocal(host) ? "prefer" : "require");
  const sslmode = tlsModes.find((mode) => mode === given);
  if (sslmode === undefined) throw wrong("its sslmode is unknown", `It can be ${tlsModes.join(", ")}.`);
  const { ssl = { rejectUnauthorized: false } } = written;
  // `ssl=…` beside or in place of `sslmode` is the package's own, and would let the password go in clear.
  if (typeof ssl !== "object" && sslmode !== "disable")
    throw wrong("it says ssl, and not sslmode", `Write sslmode=MODE: ${tlsModes.join(", ")}.`);
  const [port, connectTimeout] = [Number(text("port") ?? 5432), Number(text("connect_timeout") ?? 5)];
  if (!Number.isInteger(port) || !Number.isFinite(connectTimeout))
    throw wrong("its port or its connect_timeout is no number", "Write a number, like 5432.");
  return {
    url,
    host,
    port,
    database: database || user,
    user,
    password: password || null,
    passfile: text("passfile"),
    sslmode,
    ssl: isSocket(host) || typeof ssl !== "object" ? false : (ssl as ConnectionOptions),
    applicationName: text("application_name") ?? "edgewise",
    connectTimeoutMs: 1000 * connectTimeout,
  };
}

function parseUrl(url: string): WrittenAddress {
  try {
    return parse(url, { useLibpqCompat: true });
  } catch (error) {
    // The error itself may have the whole text, with the password.
    const why = error instanceof Error ? error.message : "";
    throw wrong(why, "Write special characters of the user and the password as %XX, like %40 for @. Check its files.");
  }
}

/** For messages: where the database is, without who connects. */
export function databaseName({ database, host, port }: DatabaseAddress): string {
  return isSocket(host)
    ? `${database} at ${host}`
    : `${database} at ${host.includes(":") ? `[${host}]` : host}:${port}`;
}

/** Whether a host is the directory of a Unix socket: nothing can listen there, so nothing is encrypted. */
export function isSocket(host: string): boolean {
  return host.startsWith("/");
}

function isLocal(host: string): boolean {
  return isSocket(host) || isLoopback(host);
}

/** Whether the password and all data may go to another machine unencrypted. */
export function mayBeRead({ host, sslmode }: DatabaseAddress): boolean {
  return (sslmode === "disable" || sslmode === "prefer") && !isLocal(host);
}

function wrong(why: string, remedy: string): EdgewiseError {
  return new EdgewiseError("config", `the database URL can't be used: ${why}`, { remedy });
}
