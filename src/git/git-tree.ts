import { basename, dirname } from "node:path";
import { EdgewiseError } from "../core/errors.js";
import { limits } from "../core/limits.js";
import { decodeUtf8 } from "../files/read-bounded.js";
import {
  type DirectoryEntry,
  FileProblem,
  type FileTree,
  type SecretFiles,
  isLfsPointer,
  refuseHidden,
  walkFiles,
} from "../manifest/file-tree.js";
import { pathInWorkTree } from "./find-repository.js";
import type { GitCommit } from "./git-commit.js";

/** Today's secrets say nothing about a commit. */
const noSecrets: SecretFiles = {
  readSecret: () => ({ available: false, reason: "secrets are not read from commits" }),
};

export async function gitTree(commit: GitCommit, root: string, secrets: SecretFiles = noSecrets): Promise<FileTree> {
  const prefix = asDirectory(await pathInWorkTree(commit.repository, root));
  await commit.list([prefix]);
  const { short } = commit;
  const entryAt = (path: string) => commit.entries.get(prefix + path);
  const targets = new Map<string, string>();
  const directories = new Map<string, DirectoryEntry[]>([["", []]]);
  for (const full of commit.startingWith(prefix)) {
    const path = full.slice(prefix.length);
    const entry = commit.entries.get(full);
    // A submodule is followed like a link, which refuses it.
    enter(directories, path, entry?.kind === "file" ? "file" : "link");
    const target = entry?.kind === "link" ? await commit.read(entry, limits.fileBytes) : null;
    if (target !== null) targets.set(path, new TextDecoder().decode(target));
  }

  /** By the commit's links alone. */
  const real = (path: string) => {
    const pending = path.split("/");
    const here: string[] = [];
    let links = 0;
    for (let part = pending.shift(); part !== undefined; part = pending.shift()) {
      if (part === "" || part === ".") continue;
      if (part === "..") {
        if (here.pop() === undefined) throw leadsOut(path, short);
        continue;
      }
      here.push(part);
      const at = here.join("/");
      const kind = entryAt(at)?.kind;
      if (kind === "submodule") throw inSubmodule(path, at, short);
      if (kind !== "link") continue;
      links += 1;
      const target = targets.get(at) ?? "";
      if (links > mostLinks || target === "" || target.startsWith("/")) throw leadsOut(path, short);
      here.pop();
      pending.unshift(...target.split("/"));
    }
    const found = here.join("/");
    if (links > 0) refuseHidden(found, path);
    return found;
  };
  const kindOf = (path: string): "file" | "directory" | null =>
    directories.has(path) ? "directory" : entryAt(path) === undefined ? null : "file";
  const follow = (link: string): "file" | "directory" | null => {
    try {
      return kindOf(real(link));
    } catch (error) {
      // Without a directory its files would seem deleted.
      if (error instanceof FileProblem && /\.ya?ml$/u.test(link)) return null;
      throw error;
    }
  };

  return {
    root,
    stat: async (path) => kindOf(real(path)),
    list: async (start) =>
      walkFiles(start, { real, entries: async (directory) => directories.get(directory) ?? [], follow }),
    identity: async (path) => real(path),
    async read(path) {
      const entry = entryAt(real(path));
      if (entry === undefined)
        throw new FileProblem("file-missing", `there is no file "${path}" in commit ${short}`, {
          remedy: "Name a commit that holds it, or commit the file: only what is committed is read.",
        });
      if (!entry.named)
        throw new FileProblem("file-unreadable", `the name of "${path}" in commit ${short} is not UTF-8`, {
          remedy: "Rename it, commit that, and name the new commit.",
        });
      const content = await commit.read(entry, limits.fileBytes);
      if (content !== null) return content;
      throw new FileProblem("file-too-large", `"${path}" can't be read: it has more than ${limits.fileBytes} bytes`);
    },
    ...secrets,
  };
}

function enter(directories: Map<string, DirectoryEntry[]>, path: string, kind: DirectoryEntry["kind"]): void {
  const slash = path.lastIndexOf("/");
  const directory = slash === -1 ? "" : path.slice(0, slash);
  const held = directories.get(directory);
  const entry = { name: path.slice(slash + 1), kind };
  if (held !== undefined) held.push(entry);
  else {
    directories.set(directory, [entry]);
    enter(directories, directory, "directory");
  }
}

/** Null = the commit lacks it. */
export async function configAt(commit: GitCommit, file: string): Promise<string | null> {
  // What the link leads to on disk may be something else.
  const directory = asDirectory(await pathInWorkTree(commit.repository, dirname(file)));
  const path = directory + basename(file);
  await commit.list([directory]);
  const entry = commit.entries.get(path);
  if (entry === undefined || entry.kind === "submodule") return null;
  const bytes = entry.kind === "link" ? await linkedConfig(commit, path) : await commit.read(entry, limits.configBytes);
  const isTooLarge = bytes === null || bytes.byteLength > limits.configBytes;
  const text = isTooLarge ? null : decodeUtf8(bytes);
  if (text !== null && !isLfsPointer(text)) return text;
  const why = isTooLarge
    ? `it has more than ${limits.configBytes} bytes`
    : text === null
      ? "it is not UTF-8 text"
      : "it is a pointer of Git LFS, not the file itself";
  throw new EdgewiseError(
    "config",
    `${path} of commit ${commit.short} can't be read: ${why}`,
    "Name a commit that holds the configuration as a text.",
  );
}

async function linkedConfig(commit: GitCommit, path: string): Promise<Uint8Array> {
  try {
    return await (await gitTree(commit, commit.repository.workTree)).read(path);
  } catch (cause) {
    throw cause instanceof FileProblem
      ? new EdgewiseError("config", cause.message, { ...cause.options, cause })
      : cause;
  }
}

export function asDirectory(path: string): string {
  return path === "" ? "" : `${path}/`;
}

const mostLinks = 40;

function leadsOut(path: string, short: string): FileProblem {
  const message = `"${path}" is a link in commit ${short} that leads out of the root directory`;
  return new FileProblem("file-outside", message, { remedy: "Commit the file itself below the root." });
}

function inSubmodule(path: string, submodule: string, short: string): FileProblem {
  const what = path === submodule ? `"${path}" is a submodule` : `"${path}" needs the submodule "${submodule}"`;
  return new FileProblem("file-outside", `${what}, and commit ${short} does not hold the files of submodules`, {
    remedy: "Check that commit out with its submodules, and run there without naming the commit.",
  });
}
