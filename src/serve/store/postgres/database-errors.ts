import { EdgewiseError } from "../../../core/errors.js";

const comesBack = "If it is being restarted, wait: edgewise connects again by itself.";

/** What failures of a connection mean, and what to do: by SQLSTATE, by code of the system and of TLS. */
const meanings: readonly (readonly [code: RegExp, why: string, remedy: string])[] = [
  [
    /^28/,
    "it refuses the user or the password",
    "Check the user in the URL, the password in the URL, PGPASSWORD or the password file, and the server's pg_hba.conf.",
  ],
  [/^3D000$/, "there is no such database", "Create it with `createdb`, in UTF-8, or correct the URL."],
  [
    /^42501$/,
    "the role may not do what is needed",
    "Make the role the owner of the database, or let it create its schema once (GRANT CREATE ON DATABASE). A role that shall create nothing needs USAGE on the schema edgewise, and SELECT, INSERT, UPDATE and DELETE on its tables.",
  ],
  [
    /^42P01$|^3F000$/,
    "what edgewise keeps in its schema `edgewise` is not there any more",
    "Restore it. Or restart edgewise serve, which then begins with nothing.",
  ],
  [/^53300$/, "it has no connection left", "Each process needs two: raise max_connections."],
  [/^53100$|^53200$/, "its disk or its memory is full", "Make room on the database server."],
  [/^57P03$/, "it is starting, or stopping", "Wait."],
  [/^ECONNRESET$|^EPIPE$/, "the connection was cut", comesBack],
  [/^57P0[125]$/, "it ended the connection", comesBack],
  [/^25006$/, "it can only be read", "Connect to the server that can be written to, not to a standby."],
  [/^ECONNREFUSED$|^ENOENT$/, "nothing listens there", "Start the database, or correct the URL."],
  [/^ENOTFOUND$|^EAI_AGAIN$/, "its host can't be found", "Correct the host in the URL, or the name server."],
  [/^EHOSTUNREACH$|^ENETUNREACH$|^ETIMEDOUT$/, "it can't be reached", "Check the network and its firewalls."],
  [
    /^ERR_TLS_CERT_ALTNAME_INVALID$/,
    "its certificate is for another host",
    "Use the host's name that the certificate has, or sslmode=verify-ca with the authority of your own database.",
  ],
  [
    /^(?:DEPTH_ZERO_)?SELF_SIGNED_CERT|^UNABLE_TO_|^CERT_|^ERR_(?:TLS|SSL|OSSL)/,
    "the encrypted connection failed: its certificate can't be trusted, or a key doesn't fit",
    "Check sslmode, sslrootcert, sslcert and sslkey in the URL.",
  ],
];

const wordings: readonly (readonly [text: RegExp, why: string, remedy: string])[] = [
  [
    /does not support SSL/,
    "it can't encrypt connections, and sslmode asks for that",
    "Turn on `ssl` at the server, or use another sslmode.",
  ],
  [/timeout|timed out/i, "it does not answer", "Check that it runs and is not overloaded, and the network."],
  [/terminated|not queryable|closed/i, "the connection was cut", comesBack],
];

export function codeOf(error: unknown): string {
  if (typeof error !== "object" || error === null) return "";
  if ("code" in error && typeof error.code === "string") return error.code;
  // An attempt to reach each address of a host.
  if (error instanceof AggregateError) return codeOf(error.errors[0]);
  return "";
}

export function databaseError(database: string, cause: unknown): EdgewiseError {
  if (cause instanceof EdgewiseError) return cause;
  const code = codeOf(cause);
  const message = cause instanceof Error ? cause.message : String(cause);
  const [, why, remedy] =
    meanings.find(([pattern]) => pattern.test(code)) ??
    (code === "" ? wordings.find(([pattern]) => pattern.test(message)) : undefined) ??
    ([null, code === "" ? message : `${message} (${code})`, "Look into the log of the database server."] as const);
  return new EdgewiseError("io", `the database ${database} can't be used: ${why}`, { remedy, cause });
}
