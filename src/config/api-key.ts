import type { Stats } from "node:fs";
import { resolve } from "node:path";
import { EdgewiseError } from "../core/errors.js";
import { Secret } from "../core/secret.js";
import { hasCode } from "../files/file-errors.js";
import { ownUid, secretFileAccess } from "../files/others-access.js";
import { NotReadable, readBounded } from "../files/read-bounded.js";

export type ApiKeyInput = Readonly<{
  env: { readonly [name: string]: string | undefined };
  /** `--api-key-file`, relative to `cwd`; beats the environment variable. */
  apiKeyFile?: string;
  cwd: string;
  onWarning?: (message: string) => void;
}>;

const mostBytes = 10_000;

/** An empty variable is an error even with a file: an expected secret is missing. Errors show nothing of the key. */
export async function readApiKey(input: ApiKeyInput): Promise<Secret> {
  const { apiKeyFile, env } = input;
  const value = env["EDGEWISE_API_KEY"]?.trim();
  if (value === "")
    throw unusable(
      "EDGEWISE_API_KEY is set but empty",
      "Set it, or unset it and name a file with --api-key-file. In CI, check that this job may read the secret.",
    );
  if (apiKeyFile !== undefined) {
    const text = await readKeyFile(apiKeyFile, input);
    return Secret.of(checkKey(text, `the API key in ${apiKeyFile}`), `file ${apiKeyFile}`);
  }
  if (value !== undefined) return Secret.of(checkKey(value, "the API key in EDGEWISE_API_KEY"), "env EDGEWISE_API_KEY");
  throw unusable(
    "there is no API key",
    "Put it into EDGEWISE_API_KEY, or into a file that Git ignores, named with --api-key-file.",
  );
}

async function readKeyFile(shown: string, { cwd, onWarning }: ApiKeyInput): Promise<string> {
  const check = (found: Stats): void => {
    if (!found.isFile()) return;
    const { error, warning } = secretFileAccess(found, ownUid());
    const close = `Run \`chmod 600 ${shown}\`, and check that it still holds your key.`;
    if (error !== null) throw unusable(`the API key's file ${shown} ${error}`, close);
    if (warning !== null) onWarning?.(`the API key's file ${shown} ${warning}; use \`chmod 600\` or \`chown\``);
  };
  try {
    // It may be a pipe: `--api-key-file <(pass show edgewise)`.
    return readBounded(resolve(cwd, shown), { most: mostBytes, pipe: true, check }).toString("utf8");
  } catch (cause) {
    if (cause instanceof EdgewiseError) throw cause;
    // It may be the key itself, so it is not repeated.
    if (hasCode(cause, "ENOENT") || hasCode(cause, "ENOTDIR"))
      throw unusable(
        "--api-key-file takes the path of a file, and there is no such file",
        "Correct the path, or set EDGEWISE_API_KEY instead.",
      );
    const denied = hasCode(cause, "EACCES") || hasCode(cause, "EPERM");
    const other = denied ? "permission is denied" : "it can't be opened";
    const why = cause instanceof NotReadable ? cause.message : other;
    const remedy = "Make it yours, and readable only by you (`chmod 600`), or name another one.";
    throw unusable(`the API key's file ${shown} can't be read: ${why}`, remedy, cause);
  }
}

export function checkKey(text: string, what: string): string {
  const key = text.trim();
  const isQuoted = /^(["']).*\1$/u.test(key);
  if (/^[\x21-\x7e]+$/u.test(key) && !isQuoted) return key;
  const is =
    key === "" ? "is empty" : isQuoted ? "is in quotes" : "has a blank, a line break or another wrong character";
  throw unusable(`${what} ${is}`, "Put only the key there, exactly as it was issued.");
}

function unusable(message: string, remedy: string, cause?: unknown): EdgewiseError {
  return new EdgewiseError("config", message, { remedy, cause });
}
