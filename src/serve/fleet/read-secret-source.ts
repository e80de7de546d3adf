import { type Stats, realpathSync, statSync } from "node:fs";
import { checkKey } from "../../config/api-key.js";
import { EdgewiseError } from "../../core/errors.js";
import { hasCode } from "../../files/file-errors.js";
import { othersAccess, ownUid, secretFileAccess } from "../../files/others-access.js";
import { type Bounds, decodeUtf8, NotReadable, readBounded } from "../../files/read-bounded.js";
import { limits } from "../../core/limits.js";
import { type SecretValue, Secret } from "../../core/secret.js";
import { type Fleet, type FleetAccount, type SecretSource, type StackTarget, lineOf } from "./fleet.js";
import { join } from "node:path";
import { isInside, realOrItself } from "../../files/real-path.js";
import type { ManifestSecrets } from "../../manifest/load-run.js";

export type SecretReading = Readonly<{
  env: { readonly [name: string]: string | undefined };
  onWarning?: (message: string) => void;
  onSecret?: (secret: string) => void;
}>;

const mostBytes = 10_000;

export function readSecretSource(source: SecretSource, what: string, reading: SecretReading): Secret {
  const isFile = "file" in source;
  const text = (isFile ? fromFile(source.file, what, reading) : fromEnvironment(source.env, what, reading)).trim();
  const where = `${what} in ${isFile ? source.file : source.env}`;
  if (text === "") throw unusable(`${where} is empty`, "Put the secret there.");
  if (/[\p{Cc}\uFFFD]/u.test(text)) throw unusable(`${where} is not one line of UTF-8`, "Put only the secret there.");
  reading.onSecret?.(text);
  return Secret.of(text, isFile ? `file ${source.file}` : `env ${source.env}`);
}

export function readAccountKey({ key, name }: FleetAccount, reading: SecretReading): Secret {
  const what = `the API key of accounts.${name}`;
  const secret = readSecretSource(key, what, reading);
  return Secret.of(checkKey(secret.reveal(), what), secret.source);
}

function fromEnvironment(name: string, what: string, { env }: SecretReading): string {
  const text = Object.hasOwn(env, name) ? env[name] : undefined;
  if (text !== undefined) return text;
  throw unusable(`${what} is not there: the environment variable ${name} is not set`, `Set ${name} where serve runs.`);
}

function fromFile(file: string, what: string, { onWarning }: SecretReading): string {
  const where = `the file ${file} of ${what}`;
  const check = (found: Stats): void => {
    const { error, warning } = secretFileAccess(found, ownUid());
    const remedy = `Close it with \`chmod 600 ${file}\`, and check that it still holds your secret.`;
    if (error !== null) throw unusable(`${where} ${error}`, remedy);
    if (warning !== null) onWarning?.(`${where} ${warning}; use \`chmod 600\` or \`chown\``);
  };
  return readOrExplain(file, where, { most: mostBytes, check });
}

export function checkSigners(file: string, what: string): void {
  const where = `the file ${file} of ${what}`;
  const check = (found: Stats): void => {
    const { everybodyWrites } = othersAccess(found, ownUid());
    if (everybodyWrites !== null) throw unusable(`${where} ${everybodyWrites}`, `Use \`chmod o-w ${file}\`.`);
  };
  if (readOrExplain(file, where, { most: limits.configBytes, check }).trim() !== "") return;
  throw unusable(`${where} is empty`, "Write a line for each signer, as `man ssh-keygen` has it.");
}

export function readOrExplain(file: string, where: string, bounds: Bounds): string {
  try {
    return readBounded(file, bounds).toString("utf8");
  } catch (cause) {
    if (cause instanceof EdgewiseError) throw cause;
    throw unusable(`${where} can't be read: ${whyUnread(cause)}`, "Check the path and the file's permissions.", cause);
  }
}

function whyUnread(cause: unknown): string {
  if (cause instanceof NotReadable) return cause.message;
  return hasCode(cause, "ENOENT") ? "there is no such file" : "permission is denied";
}

function unusable(message: string, remedy: string, cause?: unknown): EdgewiseError {
  return new EdgewiseError("config", message, { remedy, cause });
}

/** `{env: NAME}` and `{file: NAME}` are files in the stack's directory. */
export function stackSecrets(
  { entry, secrets }: Pick<StackTarget, "entry" | "secrets">,
  forbidden: readonly string[],
): ManifestSecrets {
  const line = lineOf(entry);
  return (from, name) => {
    const source = `{${from}: ${JSON.stringify(name)}}`;
    if (secrets === null) {
      const remedy = `Have the operator write \`secrets: DIRECTORY\` in ${line}, and put the secret there.`;
      return { message: `${source} is not there: the stack sees no secrets`, remedy };
    }
    if (!/^[^./\\\p{Cc}][^/\\\p{Cc}]{0,254}$/u.test(name)) {
      const message = `${source} is not the plain name of a file in the directory of ${line}`;
      return { message, remedy: `Write {${from}: NAME}, and have the operator put the secret there.` };
    }
    return () => {
      const value = readIn(secrets, name, forbidden);
      return value.available ? value : missing(`${JSON.stringify(name)} in the directory of ${line}: ${value.reason}`);
    };
  };
}

function readIn(directory: string, name: string, forbidden: readonly string[]): SecretValue {
  try {
    const file = realpathSync(join(directory, name));
    // Kubernetes mounts secrets as links within the directory.
    if (!isInside(realpathSync(directory), file)) return missing("it is a link that leads out of the directory");
    if (forbidden.some((path) => realOrItself(path) === file)) return missing("it is a secret of the operator");
    const { error } = secretFileAccess(statSync(file), ownUid());
    if (error !== null) return missing(`it ${error}`);
    const text = decodeUtf8(readBounded(file, { most: limits.secretBytes }));
    return text === null ? missing("it is not UTF-8 text") : { available: true, text };
  } catch (error) {
    return missing(whyUnread(error));
  }
}

export function secretFilesOf({ accounts, sources, http, notify }: Fleet): readonly string[] {
  const secrets: readonly (SecretSource | null)[] = [
    ...[...accounts.values()].map(({ key }) => key),
    ...[...sources.values()].flatMap(({ credentials, hook }) => [credentials, hook]),
    http.token,
    ...notify.map(({ url }) => url),
  ];
  return secrets.flatMap((secret) => (secret !== null && "file" in secret ? [secret.file] : []));
}

function missing(reason: string): SecretValue {
  return { available: false, reason };
}
