import type { Stats } from "node:fs";
import { resolve } from "node:path";
import { EdgewiseError } from "../core/errors.js";
import { hasCode } from "../files/file-errors.js";
import { ownUid, secretFileAccess } from "../files/others-access.js";
import { NotReadable, readBounded } from "../files/read-bounded.js";
import { Secret } from "../core/secret.js";

/** The sources of the key. */
export interface ApiKeyInput {
  readonly env: { readonly [name: string]: string | undefined };
  /** `--api-key-file`; beats the environment variable. */
  readonly apiKeyFile?: string;
  /** Absolute; the file's path is relative to it. */
  readonly cwd: string;
  /** Called when other users can read the file or own it. */
  readonly onWarning?: (message: string) => void;
}

/** Far longer than any key; a wrong file (or /dev/zero) is not read to its end. */
const mostCharacters = 10_000;

/**
 * The API key: the content of `--api-key-file`, else `EDGEWISE_API_KEY`, without whitespace at both ends. A variable that
 * is set but empty is an error even with a file, because an expected secret is missing. Errors never show any part of it.
 * @throws EdgewiseError `config` when there is no key, or it is not a valid one
 */
export async function readApiKey({ env, apiKeyFile, cwd, onWarning }: ApiKeyInput): Promise<Secret> {
  const value = env["EDGEWISE_API_KEY"]?.trim();
  if (value === "") {
    throw new EdgewiseError("config", "EDGEWISE_API_KEY is set but empty", {
      remedy:
        "Set it to the API key, or unset it and name a file with --api-key-file. In CI, check that the secret exists and that this job, branch and environment may read it.",
    });
  }
  if (apiKeyFile !== undefined) {
    const source = `file ${apiKeyFile}`;
    return Secret.of(
      checkKey(await readKeyFile(resolve(cwd, apiKeyFile), apiKeyFile, onWarning), `the API key in ${apiKeyFile}`),
      source,
    );
  }
  if (value === undefined) {
    throw new EdgewiseError("config", "there is no API key", {
      remedy:
        "Put it into the environment variable EDGEWISE_API_KEY, or into a file that Git ignores and name that with --api-key-file.",
    });
  }
  return Secret.of(checkKey(value, "the API key in EDGEWISE_API_KEY"), "env EDGEWISE_API_KEY");
}

async function readKeyFile(path: string, shown: string, onWarning: ApiKeyInput["onWarning"]): Promise<string> {
  try {
    const check = (found: Stats): void => {
      // A pipe belongs to the shell that runs this, so only files are checked.
      if (found.isFile()) checkKeyFileAccess(secretFileAccess(found, ownUid()), shown, onWarning);
    };
    // It may be a pipe: `--api-key-file <(pass show edgewise)`.
    return (await readBounded(path, { most: mostCharacters, pipe: true, check })).toString("utf8");
  } catch (cause) {
    if (cause instanceof EdgewiseError) throw cause;
    if (hasCode(cause, "ENOENT") || hasCode(cause, "ENOTDIR")) {
      // It may be the key itself, so it is not repeated.
      throw new EdgewiseError("config", "--api-key-file takes the path of a file, and there is no such file", {
        remedy: "Correct the path, or set EDGEWISE_API_KEY instead.",
      });
    }
    const denied = hasCode(cause, "EACCES") || hasCode(cause, "EPERM");
    const other = denied ? "permission is denied" : "it can't be opened";
    const why = cause instanceof NotReadable ? cause.message : other;
    throw new EdgewiseError("config", `the API key's file ${shown} can't be read: ${why}`, {
      remedy: "Make it yours, and readable only by you (`chmod 600`), or name another one.",
      cause,
    });
  }
}

/** @throws EdgewiseError `config` when others can replace the key */
function checkKeyFileAccess(
  { error, remedy, warning }: ReturnType<typeof secretFileAccess>,
  file: string,
  onWarning: ApiKeyInput["onWarning"],
): void {
  if (error !== null) {
    throw new EdgewiseError("config", `the API key's file ${file} ${error}`, {
      remedy: `Close it with \`chmod 600 ${file}\`, and check that it still holds your key.`,
    });
  }
  if (warning !== null) onWarning?.(`the API key's file ${file} ${warning}; ${remedy}`);
}

/**
 * The key in a text. Headers can only contain printable ASCII: anything else is not the key.
 * @param what `the API key in FILE`, for messages
 * @throws EdgewiseError `config`
 */
export function checkKey(text: string, what: string): string {
  const key = text.trim();
  const prefix = /^Bearer\s/iu.test(key);
  const wrong =
    key === ""
      ? "is empty"
      : prefix
        ? 'begins with "Bearer"'
        : /^(["']).*\1$/su.test(key)
          ? "is in quotes, which are not part of it"
          : /[\r\n]/.test(key)
            ? "is more than one line"
            : !/^[\x21-\x7e]+$/.test(key) || key.length > mostCharacters
              ? "contains characters that no key has, or is far too long"
              : null;
  if (wrong === null) return key;
  throw new EdgewiseError("config", `${what} ${wrong}`, {
    remedy: "Put only the key there, exactly as it was issued.",
  });
}
