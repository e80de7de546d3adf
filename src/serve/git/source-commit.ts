import { join } from "node:path";
import { EdgewiseError } from "../../core/errors.js";
import { configText } from "../../git/read-blobs.js";
import { type CommitFiles, type SecretFiles, firstFrom, linkTargets, treeOfFiles } from "../../git/git-tree.js";
import type { CommitEntry, WholeCommit } from "../../git/list-commit.js";
import { listWholeCommit } from "../../git/list-commit.js";
import type { ObjectReader } from "../../git/object-reader.js";
import { type BlobContent, readBlobs } from "../../git/read-blobs.js";
import type { Repository } from "../../git/run-git.js";
import { limits } from "../../core/limits.js";
import type { FileTree } from "../../manifest/file-tree.js";
import { tooLarge } from "./fetch-tip.js";
import type { SourceCommit } from "./source-reader.js";

export interface CommitNeeds {
  readonly clone: Repository;
  readonly reader: ObjectReader;
  /** How secret files are read, for the directory that holds those of a stack; null = it sees none. */
  readonly secretFiles: (directory: string | null) => SecretFiles;
}

interface Held extends WholeCommit {
  readonly commit: string;
  readonly paths: readonly string[];
  readonly top: string;
  readonly withLinks: ReadonlySet<string>;
}

/** Opens a commit of a clone: its names are listed once, and its contents are read when somebody asks for them. */
export async function openCommit(needs: CommitNeeds, commit: string): Promise<SourceCommit> {
  const { clone, reader, secretFiles } = needs;
  const held = await holdCommit(needs, commit);
  const read: CommitFiles["read"] = (objects, most, together = Infinity) =>
    readEach(reader, held, { objects, most, together });
  const treeAt = async (directory: string, secrets: SecretFiles) => {
    const entries = entriesBelow(held, directory);
    const files = { entries, targets: await linkTargets(entries, read), short: commit.slice(0, 12), read };
    return treeOfFiles(files, join(clone.workTree, directory), secrets);
  };
  return {
    commit,
    findConfigs: async (pattern) => findMatches(held, pattern),
    async readConfig(path) {
      const entry = held.entries.get(path);
      if (entry === undefined || entry.kind === "submodule") return null;
      if (entry.kind === "link") return configText(await linkedConfig(treeAt, path), path, commit);
      return configText((await read([entry.object], limits.configBytes)).get(entry.object), path, commit);
    },
    async directoryIds(directories) {
      const idOf = (directory: string): string | undefined =>
        directory === "" ? held.top : held.directories.get(directory);
      return new Map(
        directories.map((directory) => {
          const id = idOf(directory);
          return [directory, id === undefined ? null : { id, hasLinks: held.withLinks.has(directory) }];
        }),
      );
    },
    tree: (directory, secrets) => treeAt(directory, secretFiles(secrets)),
  };
}

async function holdCommit({ clone }: CommitNeeds, commit: string): Promise<Held> {
  const content = (await readBlobs(clone, [commit], limits.commitBytes)).get(commit);
  if (content === undefined || !("byteLength" in content)) throw new EdgewiseError("refused", tooLarge(commit));
  const top = /^tree ([0-9a-f]{40,64})\n/u.exec(new TextDecoder("latin1").decode(content.subarray(0, 100)))?.[1];
  if (top === undefined) throw new EdgewiseError("git", `${commit} is not a commit`);
  const whole = await listWholeCommit(clone, commit);
  const withLinks = new Set<string>();
  for (const [path, { kind }] of whole.entries) {
    if (kind !== "link") continue;
    for (let at = path.lastIndexOf("/"); at !== -1; at = path.lastIndexOf("/", at - 1))
      withLinks.add(path.slice(0, at));
    withLinks.add("");
  }
  return { ...whole, commit, top, withLinks, paths: [...whole.entries.keys()].sort() };
}

interface Wanted {
  readonly objects: readonly string[];
  readonly most: number;
  readonly together: number;
}

async function readEach(
  reader: ObjectReader,
  { sizes, commit }: Held,
  { objects, most, together }: Wanted,
): Promise<ReadonlyMap<string, BlobContent>> {
  const found = new Map<string, BlobContent>();
  const wanted: string[] = [];
  let bytes = 0;
  for (const object of objects) {
    const size = sizes.get(object);
    if (size === undefined)
      throw new EdgewiseError("git", `commit ${commit.slice(0, 12)} does not hold object ${object}`);
    if (size > most) {
      found.set(object, { size });
      continue;
    }
    bytes += size;
    if (bytes > together) break;
    wanted.push(object);
  }
  const contents = await Promise.all(wanted.map(async (object) => [object, await reader.read(object)] as const));
  for (const [object, content] of contents) found.set(object, content);
  return found;
}

function entriesBelow({ entries, paths }: Held, directory: string): ReadonlyMap<string, CommitEntry> {
  const prefix = directory === "" ? "" : `${directory}/`;
  const below = new Map<string, CommitEntry>();
  for (let at = firstFrom(paths, prefix); paths[at]?.startsWith(prefix) === true; at += 1) {
    const path = paths[at] ?? "";
    const entry = entries.get(path);
    if (entry !== undefined) below.set(path.slice(prefix.length), entry);
  }
  return below;
}

/** A configuration that is a link. It may lead to another file of the repository, as on disk. */
async function linkedConfig(
  treeAt: (directory: string, secrets: SecretFiles) => Promise<Pick<FileTree, "read">>,
  path: string,
): Promise<Uint8Array> {
  const tree = await treeAt("", { readSecret: () => ({ available: false, reason: "a configuration has no secrets" }) });
  try {
    return await tree.read(path);
  } catch (error) {
    if (!(error instanceof EdgewiseError) || error.code !== "io") throw error;
    throw new EdgewiseError("config", error.message, { cause: error });
  }
}

/** Like a shell's, the `*` stands for at least one character of one name, and not for a leading dot. */
function findMatches(
  { entries, paths }: Held,
  pattern: string,
): readonly { readonly path: string; readonly match: string }[] {
  const star = pattern.indexOf("*");
  const [before, after] = star === -1 ? [pattern, ""] : [pattern.slice(0, star), pattern.slice(star + 1)];
  const found: { readonly path: string; readonly match: string }[] = [];
  for (let at = firstFrom(paths, before); paths[at]?.startsWith(before) === true; at += 1) {
    const path = paths[at] ?? "";
    const match = path.slice(before.length, path.length - after.length);
    const entry = entries.get(path);
    if (entry === undefined || entry.kind === "submodule" || !entry.named) continue;
    if (star === -1 ? path !== pattern : !path.endsWith(after) || !isName(match, before)) continue;
    found.push({ path, match: star === -1 ? "" : match });
  }
  return found;
}

function isName(match: string, before: string): boolean {
  const hidden = (before === "" || before.endsWith("/")) && match.startsWith(".");
  return match !== "" && !match.includes("/") && !hidden;
}
