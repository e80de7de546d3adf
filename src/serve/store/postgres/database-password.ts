import { resolve } from "node:path";
import pgpass from "pgpass/lib/helper.js";
import { EdgewiseError } from "../../../core/errors.js";
import { readBounded } from "../../../files/read-bounded.js";
import { type DatabaseAddress, databaseName, isSocket } from "./database-url.js";

/** Where files and variables are looked up. */
export interface DatabasePlace {
  readonly cwd: string;
  readonly env: { readonly [name: string]: string | undefined };
}

const mostBytes = 1024 * 1024;

/**
 * The password, where PostgreSQL's own programs find it: in the URL, else in `PGPASSWORD`, else in the password file that
 * the URL's `passfile` or `PGPASSFILE` names. Null = there is none. It is looked up for every connection, so that it can be
 * changed in the file.
 * @throws EdgewiseError `config`
 */
export async function findPassword(address: DatabaseAddress, { cwd, env }: DatabasePlace): Promise<string | null> {
  if (address.password !== null) return address.password;
  const fromEnv = env["PGPASSWORD"] ?? "";
  if (fromEnv !== "") return fromEnv;
  const file = address.passfile ?? env["PGPASSFILE"] ?? "";
  if (file === "") return null;
  const lines = (await readPasswordFile(resolve(cwd, file))).toString("utf8").split(/\r?\n/);
  const { database, host, port, user } = address;
  // PostgreSQL's programs look for a Unix socket as localhost.
  const wanted = { host: isSocket(host) ? "localhost" : host, port: String(port), database, user };
  // The package's own search takes the last line that matches, PostgreSQL's programs the first.
  for (const entry of lines.map((line) => pgpass.parseLine(line)))
    if (entry !== null && pgpass.isValidEntry(entry) && pgpass.match(wanted, entry)) return entry.password;
  throw new EdgewiseError("config", `the password file ${file} has no line for the database ${databaseName(address)}`, {
    remedy: "Add a line HOST:PORT:DATABASE:USER:PASSWORD; `*` stands for anything.",
  });
}

async function readPasswordFile(file: string): Promise<Buffer> {
  const unusable = (why: string, remedy: string, cause?: unknown): EdgewiseError =>
    new EdgewiseError("config", `the password file ${file} of the database can't be used: ${why}`, { remedy, cause });
  return readBounded(file, {
    most: mostBytes,
    check: ({ mode }) => {
      if ((mode & 0o007) !== 0)
        throw unusable("every user of this machine has access to it", `Run \`chmod o= ${file}\`.`);
    },
  }).catch((cause: unknown) => {
    if (cause instanceof EdgewiseError) throw cause;
    const why = cause instanceof Error ? cause.message : String(cause);
    throw unusable(why, "Check its path and its permissions.", cause);
  });
}
