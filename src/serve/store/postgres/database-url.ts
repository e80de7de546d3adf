import { isLoopback } from "../../http/check-access.js";
import { EdgewiseError } from "../../../errors.js";

/** How a connection is encrypted, in the words of PostgreSQL's `sslmode`. */
export type TlsMode = "disable" | "prefer" | "require" | "verify-ca" | "verify-full" | "no-verify";

/** What a database URL says. */
export interface DatabaseAddress {
  /** A name, an address, or the directory of a Unix socket. */
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
  /** Null = it comes from elsewhere, or none is needed. */
  readonly password: string | null;
  readonly passfile: string | null;
  readonly tls: TlsMode;
  readonly sslrootcert: string | null;
  readonly sslcert: string | null;
  readonly sslkey: string | null;
  readonly applicationName: string;
  /** In milliseconds. */
  readonly connectTimeoutMs: number;
}

const tlsModes: readonly TlsMode[] = ["disable", "prefer", "require", "verify-ca", "verify-full", "no-verify"];

const parameters = [
  "host",
  "port",
  "dbname",
  "user",
  "password",
  "passfile",
  "sslmode",
  "sslrootcert",
  "sslcert",
  "sslkey",
  "application_name",
  "connect_timeout",
] as const;

type Parameter = (typeof parameters)[number];

const defaultPort = 5432;
const defaultTimeoutS = 5;

/**
 * Reads `postgres://USER[:PASSWORD]@HOST[:PORT]/DATABASE[?PARAMETER=…]`. Parameters mean what they mean to PostgreSQL's own
 * programs, and beat what stands before the `?`. What would be taken from the environment there (`PGHOST`, `PGSSLMODE`, …)
 * is not: the URL alone says where to connect. Without a database, its name is the user's.
 * @throws EdgewiseError `config`; it tells no part of the URL but names of parameters
 */
export function parseDatabaseUrl(url: string): DatabaseAddress {
  const parsed = parse(url);
  const given = parametersOf(parsed);
  const written = parsed.hostname === noHost ? "" : parsed.hostname;
  const host = given.get("host") ?? decode(written).replace(/^\[(.*)\]$/, "$1");
  const user = given.get("user") ?? decode(parsed.username);
  if (host === "") throw wrong("it names no host", "Write postgres://USER@HOST/DATABASE, or add ?host=/DIRECTORY.");
  if (host.includes(",")) throw severalHosts();
  if (user === "") throw wrong("it names no user", "Write postgres://USER@HOST/DATABASE.");
  const password = given.get("password") ?? decode(parsed.password);
  return {
    host,
    port: whole(given.get("port") ?? parsed.port, "port", { absent: defaultPort, most: 65_535 }),
    database: (given.get("dbname") ?? decode(parsed.pathname.slice(1))) || user,
    user,
    password: password === "" ? null : password,
    passfile: given.get("passfile") ?? null,
    ...tlsOf(given, host),
    applicationName: given.get("application_name") ?? "edgewise",
    connectTimeoutMs:
      1000 * whole(given.get("connect_timeout") ?? "", "connect_timeout", { absent: defaultTimeoutS, most: 60 }),
  };
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
export function mayBeRead({ host, tls }: DatabaseAddress): boolean {
  return (tls === "disable" || tls === "prefer") && !isLocal(host);
}

/** Stands where a URL must have a host and has none. */
const noHost = "-no-host-";

function parse(url: string): URL {
  if (!/^postgres(?:ql)?:\/\//.test(url)) throw wrong("it doesn't begin with postgres://", "Give a PostgreSQL URL.");
  // With ports they are no URL.
  const [authority = ""] = url.slice(url.indexOf("//") + 2).split(/[/?#]/, 1);
  if (authority.slice(authority.lastIndexOf("@") + 1).includes(",")) throw severalHosts();
  // A URL of a Unix socket may have a user and no host, which is not a URL to everybody.
  const written = url.replace(/^(postgres(?:ql)?:\/\/[^/?#]*@)(?=[/?]|$)/, `$1${noHost}`);
  try {
    const parsed = new URL(written);
    if (parsed.hash !== "") throw wrong("it has a `#`", "Write it as %23.");
    return parsed;
  } catch (error) {
    if (error instanceof EdgewiseError) throw error;
    // The error of `URL` has the whole text, with the password.
    throw wrong("it is not a URL", "Write special characters of the user and the password as %XX, like %40 for @.");
  }
}

function severalHosts(): EdgewiseError {
  return wrong("it names several hosts", "Name one: the address of whichever can be written to.");
}

function parametersOf({ searchParams }: URL): ReadonlyMap<Parameter, string> {
  const given = new Map<Parameter, string>();
  for (const [name, value] of searchParams) {
    const known = parameters.find((each) => each === name);
    if (known === undefined) {
      const shown = /^[a-z_]{1,40}$/.test(name) ? `the parameter ${name}` : "a parameter";
      throw wrong(`it has ${shown}, which edgewise doesn't know`, `It may have ${parameters.join(", ")}.`);
    }
    if (given.has(known)) throw wrong(`it has the parameter ${known} twice`, "Give it once.");
    if (value !== "") given.set(known, value);
  }
  return given;
}

function tlsOf(
  given: ReadonlyMap<Parameter, string>,
  host: string,
): Pick<DatabaseAddress, "tls" | "sslrootcert" | "sslcert" | "sslkey"> {
  const text = given.get("sslmode");
  const tls = text === undefined ? (isLocal(host) ? "prefer" : "require") : tlsModes.find((each) => each === text);
  if (tls === undefined) throw wrong("its sslmode is unknown", `It can be ${tlsModes.join(", ")}.`);
  const sslrootcert = given.get("sslrootcert") ?? null;
  const [sslcert, sslkey] = [given.get("sslcert") ?? null, given.get("sslkey") ?? null];
  if (tls === "verify-ca" && (sslrootcert === null || sslrootcert === "system"))
    throw wrong(
      "its sslmode is verify-ca without a certificate to trust: anybody's certificate would do",
      "Name the certificate of your database's authority with sslrootcert, or use sslmode=verify-full.",
    );
  if (sslrootcert === "system" && tls !== "verify-full")
    throw wrong("it has sslrootcert=system without sslmode=verify-full", "Add sslmode=verify-full.");
  if ((sslcert === null) !== (sslkey === null)) throw wrong("it needs both sslcert and sslkey", "Add the other one.");
  return { tls: isSocket(host) ? "disable" : tls, sslrootcert, sslcert, sslkey };
}

function whole(text: string, name: Parameter, { absent, most }: { readonly absent: number; readonly most: number }) {
  if (text === "") return absent;
  const number = /^[0-9]{1,5}$/.test(text) ? Number(text) : 0;
  if (number < 1 || number > most) throw wrong(`its ${name} is not a number from 1 to ${most}`, "Correct it.");
  return number;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw wrong("it has a % that begins no escape", "Write % as %25.");
  }
}

function wrong(why: string, remedy: string): EdgewiseError {
  return new EdgewiseError("config", `the database URL can't be used: ${why}`, { remedy });
}
