import { randomUUID } from "node:crypto";
import type { FileHandle } from "node:fs/promises";
import { EdgewiseError } from "../errors.js";
import { openForAppending } from "../files/write-file.js";
import type { Workplace } from "../files/write-target.js";
import type { ApplyEvent } from "./events.js";

/** Where an apply writes down what it does, so that a run that was killed can be audited. */
export interface Journal {
  /** Resolves when the event is on disk. Events that come while others are being written share one flush. */
  write(event: ApplyEvent): Promise<void>;
  /** Waits for what is being written and closes the file. */
  close(): Promise<void>;
}

/**
 * Opens a journal: one JSON object a line (schemas/journal.schema.json), added to what the file holds already. Lines of
 * one run have the same `run`. Only its owner can read the file.
 * @param path absolute, or relative to the working directory
 * @param mask takes secrets out of a line: a service may give things ids and addresses that hold one
 * @throws EdgewiseError `io` when it can't be opened; `write` rejects with one too, and from then on always
 */
export async function openJournal(
  path: string,
  place: Workplace,
  mask: (line: string) => string = (line) => line,
): Promise<Journal> {
  const file = await openForAppending(path, place);
  try {
    return new FileJournal(path, file, mask, await endsInside(file));
  } catch (cause) {
    await file.close();
    throw unwritable(path, cause);
  }
}

/** Whether the last line was cut short, by a crash in the middle of a write. */
async function endsInside(file: FileHandle): Promise<boolean> {
  const stat = await file.stat();
  if (!stat.isFile() || stat.size === 0) return false;
  const last = Buffer.alloc(1);
  await file.read(last, 0, 1, stat.size - 1);
  return last.toString("latin1") !== "\n";
}

class FileJournal implements Journal {
  readonly #path: string;
  readonly #file: FileHandle;
  readonly #mask: (line: string) => string;
  readonly #run = randomUUID();
  #lines: string[] = [];
  /** The flush that takes the lines gathered now. */
  #next: Promise<void> | null = null;
  #current: Promise<void> = Promise.resolve();

  constructor(path: string, file: FileHandle, mask: (line: string) => string, midLine: boolean) {
    this.#path = path;
    this.#file = file;
    this.#mask = mask;
    if (midLine) this.#lines.push("");
  }

  write(event: ApplyEvent): Promise<void> {
    const { time, ...rest } = event;
    this.#lines.push(this.#mask(JSON.stringify({ time, run: this.#run, ...rest })));
    // A flush that failed fails all that follow: a journal with a gap would tell a wrong story.
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
      throw unwritable(this.#path, cause);
    }
  }

  async close(): Promise<void> {
    // Whoever wrote was told of a failure; closing has nothing to add.
    await (this.#next ?? this.#current).catch(() => {});
    await this.#file.close();
  }
}

/** Pipes and devices can be written to and not flushed. */
function ignoreUnsyncable(error: unknown): void {
  const code = error instanceof Error && "code" in error ? error.code : null;
  if (code !== "EINVAL" && code !== "ENOTSUP") throw error;
}

function unwritable(path: string, cause: unknown): EdgewiseError {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new EdgewiseError("io", `The journal ${path} can't be written: ${why}`, {
    remedy: "Name a file that can be written with --journal.",
    cause,
  });
}
