import { decodeUtf8 } from "../files/read-bounded.js";
import { limits } from "../core/limits.js";
import { isLfsPointer } from "../manifest/file-tree.js";
import { isSameFile, readSecretFile, secretFileAccessAt } from "../manifest/read-secret-file.js";
import type { SecretValue } from "../core/secret.js";
import { type SecretFiles, pathInWorkTree } from "./git-tree.js";
import { type CommitEntry, entriesAt } from "./list-commit.js";
import { readBlobs } from "./read-blobs.js";
import type { Repository } from "./run-git.js";

/**
 * Reads secret files for a commit that is to be applied: from the commit if it holds the path, because a key that was
 * committed belongs to its certificate, and else from the disk, where keys are as a rule.
 * @param apiKeyFile absolute path of the API key's file, which is never read from a commit
 */
export function commitSecrets(repository: Repository, commit: string, apiKeyFile: string | null): SecretFiles {
  const found = new Map<string, SecretValue>();

  const prepare = async (path: string): Promise<void> => {
    if (found.has(path) || (apiKeyFile !== null && isSameFile(path, apiKeyFile))) return;
    const inside = await pathInWorkTree(repository, path).catch(() => null);
    if (inside === null) return;
    const entry = (await entriesAt(repository, commit, [inside])).get(inside);
    if (entry !== undefined) found.set(path, await secretIn(repository, commit, entry));
  };
  return {
    async prepareSecrets(paths) {
      for (const path of paths) await prepare(path);
    },
    readSecret: (path, keyFile) => found.get(path) ?? readSecretFile(path, keyFile),
    secretAccess: (path) => (found.has(path) ? { error: null, warning: null } : secretFileAccessAt(path)),
  };
}

async function secretIn(repository: Repository, commit: string, entry: CommitEntry): Promise<SecretValue> {
  const missing = (what: string): SecretValue => ({
    available: false,
    reason: `in commit ${commit.slice(0, 12)} it is ${what}`,
  });
  if (entry.kind !== "file") return missing(`a ${entry.kind}`);
  const content = (await readBlobs(repository, [entry.object], limits.secretBytes)).get(entry.object);
  if (content === undefined || !("byteLength" in content)) return missing("too large for a secret");
  const text = decodeUtf8(content);
  if (text === null) return missing("not UTF-8 text");
  return isLfsPointer(text) ? missing("a Git LFS pointer") : { available: true, text };
}
