import { resolve } from "node:path";
import { EdgewiseError } from "../errors.js";
import { NotReadable, patience, readBounded } from "../read-bounded.js";
import { Secret } from "../secret.js";

/** Where the key comes from. */
export interface ApiKeyInput {
  readonly env: { readonly [name: string]: string | undefined };
  /** `--api-key-file`; beats the environment. */
  readonly apiKeyFile?: string;
  /** Absolute; the file is relative to it. */
  readonly cwd: string;
}

/** Far longer than any key; a wrong file (or /dev/zero) is not read to its end. */
const mostCharacters = 10_000;

/**
 * The API key: the content of `--api-key-file`, else `EDGEWISE_API_KEY`. Blanks and newlines at its ends don't count.
 * No error shows any part of it.
 * @throws EdgewiseError `config` when there is none, or it can't be one
 */
export async function readApiKey({ env, apiKeyFile, cwd }: ApiKeyInput): Promise<Secret> {
  if (apiKeyFile !== undefined) {
    const source = `file ${apiKeyFile}`;
    return Secret.of(
      checked(await readKeyFile(resolve(cwd, apiKeyFile), apiKeyFile), `the API key in ${apiKeyFile}`),
      source,
    );
  }
  const value = env["EDGEWISE_API_KEY"]?.trim() ?? "";
  if (value === "") {
    throw new EdgewiseError("config", "there is no API key", {
      remedy:
        "Put it into the environment variable EDGEWISE_API_KEY, or into a file that Git ignores and name that with --api-key-file.",
    });
  }
  return Secret.of(checked(value, "the API key in EDGEWISE_API_KEY"), "env EDGEWISE_API_KEY");
}

async function readKeyFile(path: string, shown: string): Promise<string> {
  try {
    // A pipe, too: `--api-key-file <(pass show edgewise)`.
    return (await readBounded(path, { most: mostCharacters, pipe: patience })).toString("utf8");
  } catch (cause) {
    const why = cause instanceof NotReadable ? `: ${cause.message}` : "";
    throw new EdgewiseError("config", `the API key's file ${shown} can't be read${why}`, {
      remedy: "Check the path that --api-key-file gives, and the file's permissions.",
      cause,
    });
  }
}

/** A header can carry printable ASCII alone; anything else means that this is not the key. */
function checked(text: string, what: string): string {
  const key = text.trim();
  const wrong =
    key === ""
      ? "is empty"
      : /[\r\n]/.test(key)
        ? "is more than one line"
        : !/^[\x21-\x7e]+$/.test(key) || key.length > mostCharacters
          ? "holds characters that no key has, or is far too long"
          : null;
  if (wrong === null) return key;
  throw new EdgewiseError("config", `${what} ${wrong}`, { remedy: "Put the key there, alone and as it was issued." });
}
