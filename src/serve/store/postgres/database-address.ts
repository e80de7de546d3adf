import type { Stats } from "node:fs";
import { resolve } from "node:path";
import type { ConnectionOptions } from "node:tls";
import { type ConnectionOptions as WrittenAddress, parse } from "pg-connection-string";
import pgpass from "pgpass/lib/helper.js";
import { isLoopback } from "../../../config/api-config.js";
import { EdgewiseError } from "../../../core/errors.js";
import { readOrExplain } from "../../fleet/read-secret-source.js";

const tlsModes = ["disable", "prefer", "require", "verify-ca", "verify-full"];

const known = new Set(
  "host port user password passfile sslmode sslrootcert sslcert sslkey application_name connect_timeout database ssl".split(
    " ",
  ),
);

export type DatabaseAddress = ReturnType<typeof parseDatabaseUrl>;

export type DatabasePlace = Readonly<{ cwd: string; env: { readonly [name: string]: string | undefined } }>;

export function parseDatabaseUrl(url: string) {
  if (!/^postgres(?:ql)?:\/\//.test(url)) throw wrong("it doesn't begin with postgres://");
  const written = parseUrl(url);
  const unknown = Object.keys(written).find((name) => !known.has(name));
  if (unknown !== undefined) throw wrong(`the parameter ${unknown} is unknown`);
  const { host, user, database, password } = written;
  const text = (name: string): string | null => (typeof written[name] === "string" ? written[name] || null : null);
  if (!host || !user) throw wrong(`it names no ${host ? "user" : "host"}`);
  const sslmode = text("sslmode") ?? (isLocal(host) ? "prefer" : "require");
  const { ssl = { rejectUnauthorized: false } } = written;
  // `ssl=…` is the package's own, and would let the password go in clear.
  if (!tlsModes.includes(sslmode) || (typeof ssl !== "object" && sslmode !== "disable"))
    throw wrong(`sslmode can be ${tlsModes.join(", ")}`);
  const [port, connectTimeout] = [Number(text("port") ?? 5432), Number(text("connect_timeout") ?? 5)];
  if (!Number.isInteger(port) || !Number.isFinite(connectTimeout))
    throw wrong("its port or its connect_timeout is no number");
  return {
    host,
    port,
    database: database || user,
    user,
    password: password || null,
    passfile: text("passfile"),
    sslmode,
    ssl: isSocket(host) || typeof ssl !== "object" ? false : (ssl as ConnectionOptions),
    application_name: text("application_name") ?? "edgewise",
    connectionTimeoutMillis: 1000 * connectTimeout,
  };
}

function parseUrl(url: string): WrittenAddress {
  try {
    return parse(url, { useLibpqCompat: true });
  } catch (error) {
    // The error itself may have the whole text, with the password.
    throw wrong(error instanceof Error ? error.message : "");
  }
}

function wrong(why: string): EdgewiseError {
  const remedy = "Write postgres://USER@HOST/DATABASE, with special characters as %XX.";
  return new EdgewiseError("config", `the database URL can't be used: ${why}`, remedy);
}

export function databaseName({ database, host, port }: DatabaseAddress): string {
  return `${database} at ${isSocket(host) ? host : `${host.includes(":") ? `[${host}]` : host}:${port}`}`;
}

function isSocket(host: string): boolean {
  return host.startsWith("/");
}

function isLocal(host: string): boolean {
  return isSocket(host) || isLoopback(host);
}

export function mayBeRead({ host, sslmode }: DatabaseAddress): boolean {
  return (sslmode === "disable" || sslmode === "prefer") && !isLocal(host);
}

export async function findPassword(address: DatabaseAddress, { cwd, env }: DatabasePlace): Promise<string> {
  const { database, host, passfile, password, port, user } = address;
  const given = password ?? (env["PGPASSWORD"] || null);
  if (given !== null) return given;
  const file = passfile ?? (env["PGPASSFILE"] || null);
  const refuse = (why: string, remedy: string) => unusableDatabase(databaseName(address), why, remedy);
  if (file === null) throw refuse("it asks for a password, and there is none", "Set PGPASSWORD or PGPASSFILE.");
  const where = `the password file ${file}`;
  const check = ({ mode }: Stats): void => {
    if ((mode & 0o007) !== 0) throw refuse(`every user of this machine has access to ${where}`, "Use `chmod 600`.");
  };
  const text = readOrExplain(resolve(cwd, file), where, { most: 1024 * 1024, check });
  // PostgreSQL's programs look for a Unix socket as localhost, and take the first line that matches.
  const wanted = { host: isSocket(host) ? "localhost" : host, port: String(port), database, user };
  for (const line of text.split(/\r?\n/)) {
    const entry = pgpass.parseLine(line);
    if (entry !== null && pgpass.isValidEntry(entry) && pgpass.match(wanted, entry)) return entry.password;
  }
  throw refuse(`${where} has no line for it`, "Add HOST:PORT:DATABASE:USER:PASSWORD; `*` stands for anything.");
}

export const poolRemedy = "Connect to PostgreSQL itself, or to a pool with pool_mode = session.";

export function unusableDatabase(database: string, why: string, remedy: string, cause?: unknown): EdgewiseError {
  return new EdgewiseError("io", `the database ${database} can't be used: ${why}`, { remedy, cause });
}

export function databaseError(database: string, cause: unknown): EdgewiseError {
  if (cause instanceof EdgewiseError) return cause;
  // An attempt to reach each address of a host.
  const error: unknown = cause instanceof AggregateError ? cause.errors[0] : cause;
  const why = error instanceof Error ? error.message : String(error);
  return unusableDatabase(database, why, "Check its URL, and the log of the database server.", cause);
}
