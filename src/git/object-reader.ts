import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { Socket } from "node:net";
import { EdgewiseError } from "../core/errors.js";
import { type Repository, gitFailure, linesOf, repositoryRun, runGit, spawnGit } from "./run-git.js";

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
