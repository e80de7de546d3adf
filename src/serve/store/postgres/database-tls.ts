import type { ConnectionOptions } from "node:tls";
import { EdgewiseError } from "../../../errors.js";
import { type DatabasePlace, readSettingsFile } from "./database-password.js";
import type { DatabaseAddress } from "./database-url.js";

/**
 * How a connection is encrypted: as PostgreSQL's own programs understand `sslmode`, which the package `pg` does not.
 *
 * | `sslmode` | encrypted | the server's certificate |
 * |---|---|---|
 * | `disable` | no | |
 * | `prefer` (default on this machine) | if the server can | is not looked at |
 * | `require` (default) | yes | is not looked at; with `sslrootcert` as `verify-ca` |
 * | `verify-ca` | yes | is from the authority in `sslrootcert`, whoever it names |
 * | `verify-full` | yes | is from the authority in `sslrootcert`, or without one from those that Node trusts, and names the host |
 * | `no-verify` | yes | is not looked at, even with `sslrootcert` |
 *
 * `sslrootcert=system` is what Node trusts. `sslcert` and `sslkey` are this client's own certificate and key. All are files
 * in PEM, read for each new group of connections. False = not encrypted.
 * @throws EdgewiseError `config` for files that can't be used
 */
export async function tlsOptions(
  { sslcert, sslkey, sslrootcert, tls }: DatabaseAddress,
  { cwd }: Pick<DatabasePlace, "cwd">,
): Promise<ConnectionOptions | false> {
  if (tls === "disable") return false;
  const own: ConnectionOptions = {};
  if (sslcert !== null) own.cert = await readPem(sslcert, cwd, { what: "the certificate", secret: false });
  if (sslkey !== null) own.key = await readPem(sslkey, cwd, { what: "the private key", secret: true });
  if (tls === "prefer" || tls === "no-verify") return { ...own, rejectUnauthorized: false };
  if (tls === "require" && sslrootcert === null) return { ...own, rejectUnauthorized: false };
  if (sslrootcert !== null && sslrootcert !== "system")
    own.ca = await readPem(sslrootcert, cwd, { what: "the authority's certificate", secret: false });
  if (tls === "verify-full") return { ...own, rejectUnauthorized: true };
  return { ...own, rejectUnauthorized: true, checkServerIdentity: () => undefined };
}

async function readPem(
  file: string,
  cwd: string,
  about: { readonly what: string; readonly secret: boolean },
): Promise<string> {
  const text = await readSettingsFile(file, cwd, about);
  if (text.includes("-----BEGIN ")) return text;
  throw new EdgewiseError("config", `${about.what} ${file} of the database can't be used: it is not PEM`, {
    remedy: "Name a file that has a line -----BEGIN … -----.",
  });
}

/** Whether a server said that it can't encrypt: with `sslmode=prefer` one then goes on without. */
export function lacksTls(error: unknown): boolean {
  return error instanceof Error && error.message === "The server does not support SSL connections";
}
