import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { EdgewiseError } from "../core/errors.js";
import { type Repository, repositoryRun, spawnGit } from "./run-git.js";

/** Reads contents from a repository through one git that stays: thousands of reads start no further program. */
export interface ObjectReader {
  /**
   * The content of an object of any type. The caller knows its size beforehand, and asks for nothing that is too large.
   * @param id a full id
   * @throws EdgewiseError `git` when it is missing, or git does not answer within its deadline
   */
  read(id: string): Promise<Uint8Array>;
  /** Ends git. What is still read then fails. */
  close(): void;
}

/** How long an unused git stays, in milliseconds. */
const idleMs = 30_000;

interface Wanted {
  readonly id: string;
  readonly resolve: (content: Uint8Array) => void;
  readonly reject: (error: unknown) => void;
}

/** Git starts with the first read, and again after it ended. */
export function createObjectReader(repository: Repository): ObjectReader {
  let running: Conversation | null = null;
  return {
    read: (id) =>
      new Promise((resolve, reject) => {
        if (!/^[0-9a-f]{40,64}$/u.test(id)) throw new EdgewiseError("git", `${JSON.stringify(id)} is not an object id`);
        if (running === null || running.ended) running = new Conversation(repository);
        running.ask({ id, resolve, reject });
      }),
    close() {
      running?.end("it was stopped");
      running = null;
    },
  };
}

/** One run of `git cat-file --batch`: ids go in, `<id> <type> <size>`, a newline, the content and a newline come out. */
class Conversation {
  ended = false;
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #deadline: number;
  readonly #wanted: Wanted[] = [];
  #chunks: Buffer[] = [];
  #held = 0;
  /** Bytes that must be there before it is worth looking again. */
  #needed = 1;
  #timer: NodeJS.Timeout | null = null;

  constructor(repository: Repository) {
    this.#deadline = repository.git.deadline;
    this.#child = spawnGit(repositoryRun(repository, ["cat-file", "--batch"]));
    this.#child.on("error", (error) => this.end(error.message));
    this.#child.on("close", () => this.end("it ended"));
    this.#child.stdin.on("error", () => undefined);
    this.#child.stderr.resume();
    this.#child.stdout.on("data", (chunk: Buffer) => {
      this.#chunks.push(chunk);
      this.#held += chunk.length;
      this.#wait();
      if (this.#held >= this.#needed) this.#take();
    });
  }

  ask(wanted: Wanted): void {
    this.#wanted.push(wanted);
    this.#child.stdin.write(`${wanted.id}\n`);
    this.#wait();
  }

  end(why: string): void {
    if (this.ended) return;
    this.ended = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#child.kill("SIGKILL");
    for (const { id, reject } of this.#wanted.splice(0))
      reject(new EdgewiseError("git", `git can't read object ${id}: ${why}`));
  }

  /** Whoever waits does so for the deadline at most; an unused git doesn't keep the program alive. */
  #wait(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    const busy = this.#wanted.length > 0;
    this.#timer = setTimeout(() => this.end("it did not answer"), busy ? this.#deadline : idleMs);
    this.#timer.unref();
  }

  #take(): void {
    let data = Buffer.concat(this.#chunks);
    this.#needed = 1;
    for (let end = data.indexOf(0x0a); end !== -1; end = data.indexOf(0x0a)) {
      const size = data.toString("latin1", 0, end).split(" ")[2];
      const last = end + 1 + Number(size ?? 0) + (size === undefined ? 0 : 1);
      if (data.length < last) {
        this.#needed = last;
        break;
      }
      const wanted = this.#wanted.shift();
      // A copy: a small file must not keep the large buffer that it arrived in.
      if (size === undefined) wanted?.reject(new EdgewiseError("git", `git has no object ${wanted.id}`));
      else wanted?.resolve(Buffer.from(data.subarray(end + 1, last - 1)));
      data = data.subarray(last);
    }
    this.#chunks = data.length === 0 ? [] : [data];
    this.#held = data.length;
    this.#wait();
  }
}
