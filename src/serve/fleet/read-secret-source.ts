import type { Stats } from "node:fs";
import { checkKey } from "../../config/api-key.js";
import { EdgewiseError } from "../../core/errors.js";
import { hasCode } from "../../files/file-errors.js";
import { othersAccess, ownUid, secretFileAccess } from "../../files/others-access.js";
import { type Bounds, NotReadable, decodeUtf8, readBounded } from "../../files/read-bounded.js";
import { limits } from "../../core/limits.js";
import { Secret } from "../../core/secret.js";
import type { FleetAccount, SecretSource } from "./fleet.js";

export interface SecretReading {
  readonly env: { readonly [name: string]: string | undefined };
  /** Called when other users can read the file or own it. */
  readonly onWarning?: (message: string) => void;
  /** Called with each secret that was read, so that no output shows it. */
  readonly onSecret?: (secret: string) => void;
}

const mostBytes = 10_000;

/** Reads a secret of the fleet file anew, without whitespace at both ends. Errors never show any part of it. */
export async function readSecretSource(source: SecretSource, what: string, reading: SecretReading): Promise<Secret> {
  const name = "file" in source ? `file ${source.file}` : `env ${source.env}`;
  const text = (
    "file" in source ? await fromFile(source.file, what, reading) : fromEnvironment(source.env, what, reading)
  ).trim();
  const where = "file" in source ? `in ${source.file}` : `in ${source.env}`;
  if (text === "") throw unusable(`${what} ${where} is empty`, "Put the secret there, and nothing else.");
  if (/\p{Cc}/u.test(text)) {
    throw unusable(`${what} ${where} is more than one line`, "Put only the secret there, exactly as it was issued.");
  }
  reading.onSecret?.(text);
  return Secret.of(text, name);
}

/** The API key of an account. */
export async function readAccountKey({ key, name }: FleetAccount, reading: SecretReading): Promise<Secret> {
  const what = `the API key of accounts.${name}`;
  const secret = await readSecretSource(key, what, reading);
  return Secret.of(checkKey(secret.reveal(), what), secret.source);
}

function fromEnvironment(name: string, what: string, { env }: SecretReading): string {
  const text = Object.hasOwn(env, name) ? env[name] : undefined;
  if (text !== undefined) return text;
  throw unusable(`${what} is not there: the environment variable ${name} is not set`, `Set ${name} where serve runs.`);
}

async function fromFile(file: string, what: string, { onWarning }: SecretReading): Promise<string> {
  const check = (found: Stats): void => {
    const { error, remedy, warning } = secretFileAccess(found, ownUid());
    if (error !== null) {
      const close = `Close it with \`chmod 600 ${file}\`, and check that it still holds your secret.`;
      throw unusable(`the file ${file} of ${what} ${error}`, close);
    }
    if (warning !== null) onWarning?.(`the file ${file} of ${what} ${warning}; ${remedy}`);
  };
  const text = decodeUtf8(await readOrExplain(file, what, { most: mostBytes, check }));
  if (text !== null) return text;
  throw unusable(`the file ${file} of ${what} is not UTF-8 text`, "Put the secret there as text.");
}

/** Checks a file that says whom to trust. */
export async function checkSigners(file: string, what: string): Promise<void> {
  const check = (found: Stats): void => {
    const { everybodyWrites } = othersAccess(found, ownUid());
    if (everybodyWrites === null) return;
    throw unusable(`the file ${file} of ${what} ${everybodyWrites}`, `Restrict it with \`chmod o-w ${file}\`.`);
  };
  const bytes = await readOrExplain(file, what, { most: limits.configBytes, check });
  if (bytes.toString("utf8").trim() !== "") return;
  throw unusable(`the file ${file} of ${what} is empty`, "Write a line for each signer, as `man ssh-keygen` has it.");
}

async function readOrExplain(file: string, what: string, bounds: Bounds): Promise<Buffer> {
  try {
    return readBounded(file, bounds);
  } catch (cause) {
    if (cause instanceof EdgewiseError) throw cause;
    const why =
      cause instanceof NotReadable
        ? cause.message
        : hasCode(cause, "ENOENT")
          ? "there is no such file"
          : "permission is denied, or its directory is missing";
    throw unusable(
      `the file ${file} of ${what} can't be read: ${why}`,
      "Check the path and the file's permissions.",
      cause,
    );
  }
}

function unusable(message: string, remedy: string, cause?: unknown): EdgewiseError {
  return new EdgewiseError("config", message, { remedy, ...(cause === undefined ? {} : { cause }) });
}
