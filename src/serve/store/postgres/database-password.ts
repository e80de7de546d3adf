import { resolve } from "node:path";
import { EdgewiseError } from "../../../errors.js";
import { decodeUtf8, readBounded } from "../../../files/read-bounded.js";
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
  const text = await readSettingsFile(file, cwd, { what: "the password file", secret: true });
  const password = passwordIn(text, address);
  if (password !== null) return password;
  throw new EdgewiseError("config", `the password file ${file} has no line for the database ${databaseName(address)}`, {
    remedy: "Add a line HOST:PORT:DATABASE:USER:PASSWORD; `*` stands for anything.",
  });
}

/**
 * Reads a file that the connection needs.
 * @throws EdgewiseError `config` when it can't be read, or every user of the machine can read a secret in it
 */
export async function readSettingsFile(
  file: string,
  cwd: string,
  { secret, what }: { readonly what: string; readonly secret: boolean },
): Promise<string> {
  const unusable = (why: string, remedy: string, cause?: unknown): EdgewiseError =>
    new EdgewiseError("config", `${what} ${file} of the database can't be used: ${why}`, { remedy, cause });
  const bytes = await readBounded(resolve(cwd, file), {
    most: mostBytes,
    check: ({ mode }) => {
      if (secret && (mode & 0o007) !== 0)
        throw unusable("every user of this machine has access to it", `Run \`chmod o= ${file}\`.`);
    },
  }).catch((cause: unknown) => {
    if (cause instanceof EdgewiseError) throw cause;
    const why = cause instanceof Error ? cause.message : String(cause);
    throw unusable(why, "Check its path and its permissions.", cause);
  });
  const text = decodeUtf8(bytes);
  if (text === null) throw unusable("it is not UTF-8", "Write it anew.");
  return text;
}

/** The password of the first line that matches, in PostgreSQL's format; null = there is none. */
function passwordIn(text: string, { database, host, port, user }: DatabaseAddress): string | null {
  // Its programs look for a Unix socket as localhost.
  const wanted = [isSocket(host) ? "localhost" : host, String(port), database, user];
  for (const line of text.split(/\r?\n/)) {
    if (line.startsWith("#")) continue;
    const fields = fieldsOf(line);
    if (fields.length !== 5) continue;
    const password = fields[4] ?? "";
    if (password !== "" && wanted.every((each, index) => fields[index] === "*" || unescape(fields[index]) === each))
      return unescape(password);
  }
  return null;
}

/** The last field may have colons. */
function fieldsOf(line: string): readonly string[] {
  const [, ...fields] =
    /^((?:[^:\\]|\\.)*):((?:[^:\\]|\\.)*):((?:[^:\\]|\\.)*):((?:[^:\\]|\\.)*):(.*)$/.exec(line) ?? [];
  return fields;
}

function unescape(field: string | undefined): string {
  return (field ?? "").replaceAll(/\\(.)/g, "$1");
}
