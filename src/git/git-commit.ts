import { isUtf8 } from "node:buffer";
import { EdgewiseError } from "../core/errors.js";
import { limits } from "../core/limits.js";
import { type ObjectReader, createObjectReader } from "./object-reader.js";
import { type Repository, fetchHistory, gitFailure, runGit } from "./run-git.js";

type CommitEntry = Readonly<{
  kind: "file" | "link" | "submodule";
  object: string;
  /** Null = not known. */
  size: number | null;
  /** Whether the name is UTF-8: others may look alike. */
  named: boolean;
}>;

/** From Git's objects, never from the work tree. Paths are from the repository's top. */
export class GitCommit {
  readonly short: string;
  readonly entries = new Map<string, CommitEntry>();
  readonly directories = new Map<string, string>();
  readonly #listed: string[] = [];

  constructor(
    readonly repository: Repository,
    readonly id: string,
    private readonly reader: ObjectReader = createObjectReader(repository),
    private readonly most = Infinity,
  ) {
    if (!/^[0-9a-f]{40,64}$/u.test(id)) throw new EdgewiseError("git", `${JSON.stringify(id)} is not a commit id`);
    this.short = id.slice(0, 12);
  }

  /** A directory ends with `/`, and is listed with all below; "" is everything. */
  async list(paths: readonly string[]): Promise<void> {
    const isListed = (path: string): boolean =>
      this.#listed.some((each) => each === path || each === "" || (each.endsWith("/") && path.startsWith(each)));
    const wanted = paths.filter((path) => !isListed(path));
    if (wanted.length === 0) return;
    const { git } = this.repository;
    // Git asks for the size of a tree before it reads it.
    const environment = { ...git.environment, GIT_ALLOC_LIMIT: String(limits.treeBytes) };
    const args = ["ls-tree", "-r", "-t", "-l", "-z", "--full-tree", this.id];
    const below = wanted.includes("") ? [] : ["--", ...wanted];
    const answer = await runGit({ ...this.repository, git: { ...git, environment } }, [...args, ...below]);
    if (/^error: attempting to allocate \d+ over limit/mu.test(answer.stderr)) throw this.#tooMany();
    if (!answer.ok) throw gitFailure(`list commit ${this.short}`, answer, fetchHistory);
    this.#take(answer.stdout);
    this.#listed.push(...wanted);
  }

  #take(stdout: Buffer): void {
    for (let at = 0, end = stdout.indexOf(0); end !== -1; at = end + 1, end = stdout.indexOf(0, at)) {
      if (this.entries.size + this.directories.size === this.most) throw this.#tooMany();
      const line = stdout.subarray(at, end);
      const tab = line.indexOf(0x09);
      const [mode = "", type = "", object = "", size = ""] = line.toString("latin1", 0, tab).split(/ +/u);
      const path = line.toString("utf8", tab + 1);
      const named = isUtf8(line.subarray(tab + 1));
      if (type === "tree") {
        if (named) this.directories.set(path, object);
        continue;
      }
      const kind = type === "commit" ? "submodule" : mode === "120000" ? "link" : "file";
      this.entries.set(path, { kind, object, named, size: /^\d+$/u.test(size) ? Number(size) : null });
    }
  }

  #tooMany(): EdgewiseError {
    const { commitEntries, treeBytes } = limits;
    const most = `${commitEntries.toLocaleString("en")} files and directories, or ${treeBytes / 1024 / 1024} MiB of names in one`;
    return new EdgewiseError(
      "refused",
      `commit ${this.short} holds more than ${most}`,
      "Move what is no configuration into another repository.",
    );
  }

  startingWith(text: string): readonly string[] {
    return [...this.entries.keys()].filter((path) => path.startsWith(text)).sort();
  }

  /** Null = larger than `most` bytes. */
  async read({ object, size }: CommitEntry, most: number): Promise<Uint8Array | null> {
    return size !== null && size > most ? null : this.reader.read(object);
  }
}

/** Since a commit, from the repository's root. */
export async function changedPaths(repository: Repository, commit: string): Promise<ReadonlySet<string>> {
  const answer = await runGit(repository, ["diff-tree", "-r", "-z", "--no-renames", "--name-only", commit, "HEAD"]);
  if (!answer.ok) throw gitFailure(`compare HEAD with commit ${commit.slice(0, 12)}`, answer, fetchHistory);
  return new Set(answer.stdout.toString("utf8").split("\0").slice(0, -1));
}
