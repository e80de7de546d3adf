import { resolve } from "node:path";
import type { ConnectionOptions } from "node:tls";
import { type ConnectionOptions as WrittenAddress, parse } from "pg-connection-string";
import pgpass from "pgpass/lib/helper.js";
import { EdgewiseError } from "../../../core/errors.js";
import { readBounded } from "../../../files/read-bounded.js";
import { isLoopback } from "../../../config/api-config.js";

const tlsModes = ["disable", "prefer", "require", "verify-ca", "verify-full"];

const known = new Set(
  "host port user password passfile sslmode sslrootcert sslcert sslkey application_name connect_timeout database ssl".split(
    " ",
  ),
);

export type DatabaseAddress = ReturnType<typeof parseDatabaseUrl>;

export type DatabasePlace = Readonly<{
  cwd: string;
  env: { readonly [name: string]: string | undefined };
}>;

/** Reads `postgres://USER[:PASSWORD]@HOST[:PORT]/DATABASE[?PARAMETER=…]`. */
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
  const where = databaseName(address);
  if (file === null)
    throw new EdgewiseError(
      "config",
      `the database ${where} asks for a password, and there is none`,
      "Set PGPASSWORD, or name a password file with PGPASSFILE or with passfile= in the URL.",
    );
  // PostgreSQL's programs look for a Unix socket as localhost, and take the first line that matches.
  const wanted = { host: isSocket(host) ? "localhost" : host, port: String(port), database, user };
  for (const line of readPasswordFile(file, cwd).split(/\r?\n/)) {
    const entry = pgpass.parseLine(line);
    if (entry !== null && pgpass.isValidEntry(entry) && pgpass.match(wanted, entry)) return entry.password;
  }
  throw new EdgewiseError(
    "config",
    `the password file ${file} has no line for the database ${where}`,
    "Add a line HOST:PORT:DATABASE:USER:PASSWORD; `*` stands for anything.",
  );
}

function readPasswordFile(file: string, cwd: string): string {
  const check = ({ mode }: { readonly mode: number }): void => {
    if ((mode & 0o007) !== 0) throw new Error("every user of this machine has access to it");
  };
  try {
    return readBounded(resolve(cwd, file), { most: 1024 * 1024, check }).toString("utf8");
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    const message = `the password file ${file} of the database can't be used: ${why}`;
    throw new EdgewiseError("config", message, { remedy: "Check its path and its permissions (chmod 600).", cause });
  }
}

/** By SQLSTATE, code of the system or of TLS, or else the text. */
const meanings: readonly (readonly [code: RegExp, why: string, remedy: string])[] = [
  [/^28/, "it refuses the user or the password", "Check the URL, PGPASSWORD or the password file, and pg_hba.conf."],
  [/^42501$/, "the role may not do what is needed", "Let it create its schema once: GRANT CREATE ON DATABASE."],
  [/^53100$|^53200$/, "its disk or its memory is full", "Make room on the database server."],
  [/^ECONNRESET$|^EPIPE$|^57P0|terminated|not queryable|closed/i, "the connection was cut", "It is tried again."],
  [/^ECONNREFUSED$|^ENOENT$/, "nothing listens there", "Start the database, or correct the URL."],
  [/^ENOTFOUND$|^EAI_AGAIN$/, "its host can't be found", "Correct the host in the URL, or the name server."],
  [/^ERR_TLS_CERT_ALTNAME_INVALID$/, "its certificate is for another host", "Use the host's name in it."],
  [
    /^(?:DEPTH_ZERO_)?SELF_SIGNED_CERT|^UNABLE_TO_|^CERT_|^ERR_(?:TLS|SSL|OSSL)/,
    "its certificate can't be trusted, or a key doesn't fit",
    "Check sslmode, sslrootcert, sslcert and sslkey in the URL.",
  ],
  [/does not support SSL/, "it can't encrypt connections", "Turn on `ssl` at the server, or use another sslmode."],
  [/^ETIMEDOUT$|timeout|timed out/i, "it does not answer", "Check that it runs, and the network."],
];

export function codeOf(error: unknown): string {
  if (typeof error !== "object" || error === null) return "";
  if ("code" in error && typeof error.code === "string") return error.code;
  // An attempt to reach each address of a host.
  return error instanceof AggregateError ? codeOf(error.errors[0]) : "";
}

export const poolRemedy = "Connect to PostgreSQL itself, or to a pool with pool_mode = session.";

export function unusableDatabase(database: string, why: string, remedy: string, cause?: unknown): EdgewiseError {
  return new EdgewiseError("io", `the database ${database} can't be used: ${why}`, { remedy, cause });
}

export function databaseError(database: string, cause: unknown): EdgewiseError {
  if (cause instanceof EdgewiseError) return cause;
  const code = codeOf(cause);
  const message = cause instanceof Error ? cause.message : String(cause);
  const [, why, remedy] = meanings.find(([pattern]) => pattern.test(code || message)) ?? [
    null,
    code === "" ? message : `${message} (${code})`,
    "Look into the log of the database server.",
  ];
  return unusableDatabase(database, why, remedy, cause);
}
