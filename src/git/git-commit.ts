import { isUtf8 } from "node:buffer";
import { EdgewiseError } from "../core/errors.js";
import { limits } from "../core/limits.js";
import { type Repository, fetchHistory, gitFailure, linesOf, repositoryRun, runGit, spawnGit } from "./run-git.js";
import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { Socket } from "node:net";

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

/** One git stays: thousands of reads start no further program. */
export interface ObjectReader {
  read(id: string): Promise<Uint8Array>;
  close(): void;
}

const idleMs = 30_000;

export function createObjectReader(repository: Repository): ObjectReader {
  let running: Conversation | null = null;
  return {
    async read(id) {
      if (!/^[0-9a-f]{40,64}$/u.test(id)) throw new EdgewiseError("git", `${JSON.stringify(id)} is not an object id`);
      if (running === null || running.ended) running = new Conversation(repository);
      return running.ask(id);
    },
    close() {
      running?.end("it was stopped");
      running = null;
    },
  };
}

type Wanted = Readonly<{
  id: string;
  resolve: (content: Uint8Array) => void;
  reject: (error: unknown) => void;
}>;

/** `git cat-file --batch` answers an id with `<id> <type> <size>`, a newline, the content and a newline. */
class Conversation {
  ended = false;
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #wanted: Wanted[] = [];
  #output = Buffer.alloc(0);
  #timer: NodeJS.Timeout | undefined;

  constructor(private readonly repository: Repository) {
    this.#child = spawnGit(repositoryRun(repository, ["cat-file", "--batch"]));
    this.#child.on("error", (error) => this.end(error.message));
    this.#child.on("close", () => this.end("it ended"));
    this.#child.stdin.on("error", () => undefined);
    this.#child.stderr.resume();
    this.#child.stdout.on("data", (chunk: Buffer) => this.#take(chunk));
    // Only its timer keeps the program alive.
    this.#child.unref();
    for (const stream of this.#child.stdio) if (stream instanceof Socket) stream.unref();
  }

  ask(id: string): Promise<Uint8Array> {
    return new Promise((resolve, reject) => {
      this.#wanted.push({ id, resolve, reject });
      this.#child.stdin.write(`${id}\n`);
      this.#wait();
    });
  }

  end(why: string): void {
    this.ended = true;
    clearTimeout(this.#timer);
    this.#child.kill("SIGKILL");
    for (const { id, reject } of this.#wanted.splice(0))
      reject(new EdgewiseError("git", `git can't read object ${id}: ${why}`));
  }

  #wait(): void {
    clearTimeout(this.#timer);
    const busy = this.#wanted.length > 0;
    this.#timer = setTimeout(() => this.end("it did not answer"), busy ? this.repository.git.deadline : idleMs);
    if (!busy) this.#timer.unref();
  }

  #take(chunk: Buffer): void {
    let data = Buffer.concat([this.#output, chunk]);
    for (let end = data.indexOf(0x0a); end !== -1; end = data.indexOf(0x0a)) {
      const size = data.toString("latin1", 0, end).split(" ")[2];
      const next = size === undefined ? end + 1 : end + 1 + Number(size) + 1;
      if (data.length < next) break;
      const wanted = this.#wanted.shift();
      // A small file must not keep the large buffer that it arrived in.
      if (size === undefined) wanted?.reject(missingObject(wanted.id));
      else wanted?.resolve(Buffer.from(data.subarray(end + 1, next - 1)));
      data = data.subarray(next);
    }
    this.#output = data;
    if (!this.ended) this.#wait();
  }
}

/** Fetching it would run programs of the repository's settings. */
function missingObject(id: string): EdgewiseError {
  return new EdgewiseError(
    "git",
    `git has no object ${id}`,
    "Fetch the objects that this clone lacks (git fetch --refetch --no-filter origin), or leave the filter out of the checkout step.",
  );
}

export async function sizesOf(repository: Repository, ids: readonly string[]): Promise<readonly number[]> {
  if (ids.length === 0) return [];
  const answer = await runGit(repository, ["cat-file", "--batch-check=%(objectsize)"], `${ids.join("\n")}\n`);
  if (!answer.ok) throw gitFailure("read its objects", answer);
  return linesOf(answer).map((line, index) => {
    if (!/^\d+$/u.test(line)) throw missingObject(ids[index] ?? "");
    return Number(line);
  });
}
