import { EdgewiseError } from "../core/errors.js";
import { hasCode } from "../files/file-errors.js";
import { type ProcessLock, takeProcessLock } from "../files/process-lock.js";
import { readBounded } from "../files/read-bounded.js";
import { type Workplace, checkWritable, fileTarget, writeFile } from "../files/write-file.js";
import { type Json, isObject } from "../core/json.js";
import { listedKinds } from "../kinds/names.js";
import { locateEndpoint } from "../model/locate-endpoint.js";
import { defaultModelOptions } from "../model/model-options.js";
import type { WorldSeed } from "../model/world-seed.js";
import type { WorldSnapshot } from "./sandbox-options.js";

const format = "edgewise.sandbox/v1";

/** More than any account has. */
const mostBytes = 256 * 1024 * 1024;

/** A file that keeps the world of one sandbox, and that no other sandbox may use meanwhile. */
export class DataFile {
  #isUnsaved = false;
  /** The write that will hold all changes up to now; null once it has begun. */
  #next: Promise<void> | null = null;
  #running: Promise<void> = Promise.resolve();

  private constructor(
    private readonly file: string,
    private readonly place: Workplace,
    private readonly lock: ProcessLock,
  ) {}

  /**
   * Takes a data file for this sandbox alone, with a file `FILE.lock` beside it.
   * @param file absolute
   * @throws EdgewiseError `io` when another sandbox holds it, or it can't be written
   */
  static async open(file: string, place: Workplace): Promise<DataFile> {
    checkWritable(file, place);
    const { path } = fileTarget(file, place);
    const heldBy = (holder: string): EdgewiseError =>
      new EdgewiseError("io", `the data file ${file} can't be used: another sandbox holds it${holder}`, {
        remedy: `Stop that sandbox, or name another file. If it no longer runs, remove ${path}.lock.`,
      });
    return new DataFile(file, place, await takeProcessLock(`${path}.lock`, heldBy));
  }

  changed(): void {
    this.#isUnsaved = true;
  }

  /**
   * Resolves when all changes up to now are in the file, which is replaced as a whole and is its owner's alone. Changes
   * that come while a write is under way share the next.
   * @throws EdgewiseError `io`; the changes are written with the next
   */
  async save(world: () => WorldSnapshot): Promise<void> {
    if (this.#isUnsaved) {
      this.#next ??= this.#running
        .catch(() => undefined)
        .then(() => {
          this.#next = null;
          this.#running = this.#write(world());
          return this.#running;
        });
    }
    return this.#next ?? this.#running;
  }

  async #write(world: WorldSnapshot): Promise<void> {
    this.#isUnsaved = false;
    try {
      await writeFile(this.file, `${JSON.stringify({ format, ...world }, null, 1)}\n`, this.place, "private");
    } catch (error) {
      this.#isUnsaved = true;
      throw error;
    }
  }

  async release(): Promise<void> {
    await this.lock.release();
  }
}

/**
 * Reads a data file; null when there is none yet.
 * @throws EdgewiseError `io` when it can't be read or is not a data file
 */
export async function loadDataFile(file: string): Promise<WorldSeed | null> {
  const unusable = (why: string): EdgewiseError =>
    new EdgewiseError("io", `the data file ${file} can't be used: ${why}`, {
      remedy: "Name another file, or move this one away to start with an empty world.",
    });
  let state: unknown;
  try {
    const text = readBounded(file, { most: mostBytes }).toString("utf8");
    if (text.trim() === "") return null;
    state = JSON.parse(text);
  } catch (cause) {
    if (hasCode(cause, "ENOENT")) return null;
    throw unusable(
      cause instanceof SyntaxError ? "it is not JSON" : cause instanceof Error ? cause.message : String(cause),
    );
  }
  if (!isObject(state) || state["format"] !== format) throw unusable(`its "format" is not "${format}"`);
  const { lists, modules = {} } = state;
  if (!isObject(lists)) throw unusable('"lists" is not an object');
  if (!isObject(modules)) throw unusable('"modules" is not an object');
  for (const [kind, list] of Object.entries(lists)) {
    if (!listedKinds.some((each) => each === kind)) throw unusable(`"lists" has the unknown member "${kind}"`);
    if (!Array.isArray(list)) throw unusable(`"lists.${kind}" is not a list`);
    const ids = list.map((each: unknown) => (isObject(each) ? each["id"] : null));
    const wrong = ids.findIndex((id, at) => typeof id !== "string" || id === "" || ids.indexOf(id) !== at);
    if (wrong !== -1) throw unusable(`"lists.${kind}[${wrong}]" is not an object with an id of its own`);
  }
  for (const [path, module] of Object.entries(modules)) {
    if (locateEndpoint(path, defaultModelOptions)?.of !== "unlisted-module" || !isObject(module))
      throw unusable(`"modules" has the member "${path}", which is not a module of an HTTPS edge`);
  }
  return { lists, modules } as WorldSeed;
}

/**
 * The same seed with this base URL in every `uri` of this machine: a sandbox listens on other ports, and clients call it by
 * several names. Headers are the user's own text, even when one is named `uri`.
 */
export function rebaseUris(seed: WorldSeed, baseUrl: string): WorldSeed {
  const rebase = (value: Json): Json => {
    if (Array.isArray(value)) return value.map(rebase);
    if (!isObject(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([member, part = null]) => {
        if (member === "uri" && typeof part === "string") return [member, part.replace(loopback, baseUrl)];
        return [member, member === "headers" ? part : rebase(part)];
      }),
    );
  };
  return { ...seed, lists: rebase(seed.lists ?? {}) as NonNullable<WorldSeed["lists"]> };
}

const loopback = /^http:\/\/(127\.0\.0\.1|localhost|\[::1\])(:\d+)?(?=\/)/i;
