import { randomUUID } from "node:crypto";
import type { FileHandle } from "node:fs/promises";
import { EdgewiseError } from "../core/errors.js";
import { hasCode } from "../files/file-errors.js";
import { openForAppending } from "../files/write-file.js";
import type { Workplace } from "../files/write-file.js";
import type { ApplyEvent } from "./events.js";

export interface Journal {
  /** Resolves when the event is on disk. Events that arrive during a flush share the next one. */
  write(event: ApplyEvent): Promise<void>;
  close(): Promise<void>;
}

/** One JSON object per line (schemas/journal.schema.json), appended. @throws EdgewiseError `io` */
export async function openJournal(path: string, place: Workplace): Promise<Journal> {
  return new FileJournal(path, await openForAppending(path, place));
}

class FileJournal implements Journal {
  readonly #path: string;
  readonly #file: FileHandle;
  readonly #run = randomUUID();
  #lines: string[] = [];
  /** The flush that will write `#lines`. */
  #next: Promise<void> | null = null;
  #current: Promise<void> = Promise.resolve();

  constructor(path: string, file: FileHandle) {
    this.#path = path;
    this.#file = file;
  }

  write(event: ApplyEvent): Promise<void> {
    const { time, ...rest } = event;
    this.#lines.push(JSON.stringify({ time, run: this.#run, ...rest }));
    // After a failed flush all that follow fail: a journal must have no gaps.
    this.#next ??= this.#current.then(() => this.#flush());
    return this.#next;
  }

  async #flush(): Promise<void> {
    this.#current = this.#next ?? Promise.resolve();
    this.#next = null;
    const text = this.#lines.map((line) => `${line}\n`).join("");
    this.#lines = [];
    try {
      await this.#file.appendFile(text);
      await this.#file.datasync().catch(ignoreUnsyncable);
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      const remedy = "Give --journal a file that can be written.";
      throw new EdgewiseError("io", `The journal ${this.#path} can't be written: ${why}`, { remedy, cause });
    }
  }

  async close(): Promise<void> {
    // A failure was already reported by `write`.
    await (this.#next ?? this.#current).catch(() => {});
    await this.#file.close();
  }
}

/** Pipes and devices can be written to, but not flushed. */
function ignoreUnsyncable(error: unknown): void {
  if (!hasCode(error, "EINVAL") && !hasCode(error, "ENOTSUP")) throw error;
}
