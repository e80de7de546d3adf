import { realpathSync, statSync } from "node:fs";
import { join } from "node:path";
import { hasCode } from "../../files/file-errors.js";
import { isInside, realOrItself } from "../../files/real-path.js";
import { ownUid, secretFileAccess } from "../../files/others-access.js";
import { NotReadable, decodeUtf8, readBounded } from "../../files/read-bounded.js";
import { limits } from "../../core/limits.js";
import type { ManifestSecrets } from "../../manifest/load-run.js";
import type { SecretValue } from "../../core/secret.js";
import { type Fleet, type SecretSource, type StackTarget, lineOf } from "./fleet.js";

/**
 * The secrets of one stack: `{env: NAME}` and `{file: NAME}` of its manifests are the files of its directory, and
 * nothing else is.
 */
export function stackSecrets(
  { entry, secrets }: Pick<StackTarget, "entry" | "secrets">,
  forbidden: readonly string[],
): ManifestSecrets {
  return {
    refusalOf(from, name) {
      const source = `{${from}: ${JSON.stringify(name)}}`;
      const line = lineOf(entry);
      if (secrets === null) {
        const message = `${source} is not there: the stack sees no secrets, neither of this process nor of this machine`;
        return {
          message,
          remedy: `Have the operator write \`secrets: DIRECTORY\` in ${line}, and put the secret there.`,
        };
      }
      // No slash and no dot at the beginning: the name of a file of this very directory.
      if (/^[^./\\\p{Cc}][^/\\\p{Cc}]{0,254}$/u.test(name)) return null;
      const message = `${source} is not the plain name of a file in the directory of secrets that ${line} names`;
      return { message, remedy: `Write {${from}: NAME}, and have the operator put the secret there.` };
    },
    read(from, name) {
      const refusal = this.refusalOf(from, name);
      if (refusal !== null || secrets === null) return missing(refusal?.message ?? "the stack sees no secrets");
      const value = readIn(secrets, name, forbidden);
      return value.available
        ? value
        : missing(`${JSON.stringify(name)} in the directory of ${lineOf(entry)}: ${value.reason}`);
    },
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
    if (error instanceof NotReadable) return missing(error.message);
    return missing(hasCode(error, "ENOENT") ? "there is no such file" : "it can't be read");
  }
}

/** The files of the fleet's own secrets: API keys, tokens, credentials. */
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
