import { limits } from "../core/limits.js";
import type { SecretValue } from "../core/secret.js";
import { decodeUtf8 } from "../files/read-bounded.js";
import { isLfsPointer } from "../manifest/file-tree.js";
import { isSameFile, readSecretFile, secretFileAccessAt } from "../manifest/read-secret-file.js";
import { pathInWorkTree } from "./find-repository.js";
import type { CommitEntry, GitCommit } from "./git-commit.js";
import type { SecretFiles } from "./git-tree.js";

/**
 * Reads secret files for a commit that is to be applied: from the commit if it holds the path, because a key that was
 * committed belongs to its certificate, and else from the disk, where keys are as a rule.
 * @param apiKeyFile absolute path of the API key's file, which is never read from a commit
 */
export function commitSecrets(commit: GitCommit, apiKeyFile: string | null): SecretFiles {
  const found = new Map<string, SecretValue>();
  return {
    async prepareSecrets(paths) {
      for (const path of paths) {
        if (found.has(path) || (apiKeyFile !== null && isSameFile(path, apiKeyFile))) continue;
        const inside = await pathInWorkTree(commit.repository, path).catch(() => null);
        if (inside === null) continue;
        await commit.list([inside]);
        const entry = commit.entries.get(inside);
        if (entry !== undefined) found.set(path, await secretIn(commit, entry));
      }
    },
    readSecret: (path, keyFile) => found.get(path) ?? readSecretFile(path, keyFile),
    secretAccess: (path) => (found.has(path) ? { error: null, warning: null } : secretFileAccessAt(path)),
  };
}

async function secretIn(commit: GitCommit, entry: CommitEntry): Promise<SecretValue> {
  const missing = (what: string): SecretValue => ({
    available: false,
    reason: `in commit ${commit.short} it is ${what}`,
  });
  if (entry.kind !== "file") return missing(`a ${entry.kind}`);
  const content = await commit.read(entry, limits.secretBytes);
  if (content === null) return missing("too large for a secret");
  const text = decodeUtf8(content);
  if (text === null) return missing("not UTF-8 text");
  return isLfsPointer(text) ? missing("a Git LFS pointer") : { available: true, text };
}
