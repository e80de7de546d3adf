import { EdgewiseError } from "../core/errors.js";
import { type ProcessLock, holderWords, takeProcessLock } from "../files/process-lock.js";
import { readBounded } from "../files/read-bounded.js";
import { type Workplace, checkWritable, fileTarget, writeFile } from "../files/write-file.js";
import { type Json, type JsonObject, isObject } from "../core/json.js";
import { listedKinds } from "../kinds/names.js";
import type { Live } from "../live/live.js";
import { locateEndpoint } from "../model/locate-endpoint.js";
import { defaultModelOptions } from "../model/model-options.js";
import type { WorldSeed } from "../model/world-seed.js";
import type { WorldSnapshot } from "./sandbox-options.js";

const format = "edgewise.sandbox/v1";

/** The content of a data file: a world, and the base URL of the sandbox that wrote it. */
export interface SavedWorld extends WorldSeed {
  readonly baseUrl: string | null;
}

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
    private readonly lock: ProcessLock | null,
  ) {}

  /**
   * Takes a data file for this sandbox alone, with a file `FILE.lock` beside it. Pipes and devices are not locked.
   * @param file absolute
   * @throws EdgewiseError `io` when another sandbox holds it, or it can't be written
   */
  static async open(file: string, place: Workplace): Promise<DataFile> {
    checkWritable(file, place);
    const { existing, path } = fileTarget(file, place);
    if (existing !== null && !existing.isFile()) return new DataFile(file, place, null);
    const lock = await takeProcessLock(`${path}.lock`);
    if (lock.taken) return new DataFile(file, place, lock);
    const holder = holderWords(lock.holder);
    throw new EdgewiseError("io", `the data file ${file} can't be used: another sandbox holds it${holder}`, {
      remedy: `Stop that sandbox, or name another file. If it no longer runs, remove ${path}.lock.`,
    });
  }

  changed(): void {
    this.#isUnsaved = true;
  }

  /**
   * Resolves when all changes up to now are in the file, which is replaced as a whole and is its owner's alone. Changes
   * that come while a write is under way share the next.
   * @throws EdgewiseError `io`; the changes are written with the next
   */
  async save(world: () => WorldSnapshot & { readonly baseUrl: string }): Promise<void> {
    if (this.#isUnsaved) {
      this.#next ??= this.#running
        .catch(() => undefined)
        .then(() => {
          this.#next = null;
          this.#isUnsaved = false;
          this.#running = this.#write(world());
          return this.#running;
        });
    }
    return this.#next ?? this.#running;
  }

  async #write({ baseUrl, lists, modules }: WorldSnapshot & { readonly baseUrl: string }): Promise<void> {
    try {
      const text = `${JSON.stringify({ format, baseUrl, lists, modules }, null, 1)}\n`;
      await writeFile(this.file, text, this.place, "private");
    } catch (error) {
      this.#isUnsaved = true;
      throw error;
    }
  }

  async release(): Promise<void> {
    await this.lock?.release();
  }
}

/**
 * Reads a data file; null when there is none yet.
 * @throws EdgewiseError `io` when it can't be read or is not a data file
 */
export async function loadDataFile(file: string): Promise<SavedWorld | null> {
  let text: string;
  try {
    text = (await readBounded(file, { most: mostBytes })).toString("utf8");
  } catch (cause) {
    if (isObject(cause) && cause["code"] === "ENOENT") return null;
    throw unusable(file, cause instanceof Error ? cause.message : String(cause), cause);
  }
  if (text.trim() === "") return null;
  let state: unknown;
  try {
    state = JSON.parse(text);
  } catch (cause) {
    throw unusable(file, "it is not JSON", cause);
  }
  if (!isObject(state) || state["format"] !== format) throw unusable(file, `its "format" is not "${format}"`);
  return {
    baseUrl: typeof state["baseUrl"] === "string" ? state["baseUrl"] : null,
    lists: readLists(state["lists"], file),
    modules: readModules(state["modules"], file),
  };
}

function readLists(value: unknown, file: string): Partial<Live["lists"]> {
  if (!isObject(value)) throw unusable(file, '"lists" is not an object');
  const odd = Object.keys(value).find((kind) => !listedKinds.some((each) => each === kind));
  if (odd !== undefined) throw unusable(file, `"lists" has the unknown member "${odd}"`);
  const lists: { -readonly [K in keyof Live["lists"]]?: Live["lists"][K] } = {};
  for (const kind of listedKinds) {
    const list = value[kind] ?? [];
    if (!Array.isArray(list)) throw unusable(file, `"lists.${kind}" is not a list`);
    const ids = new Set<string>();
    lists[kind] = list.map((resource: unknown, index) => {
      const id = isObject(resource) ? resource["id"] : undefined;
      if (!isObject(resource) || typeof id !== "string" || id === "" || ids.has(id)) {
        throw unusable(file, `"lists.${kind}[${index}]" is not an object with an id of its own`);
      }
      ids.add(id);
      // It was read as JSON.
      return resource as JsonObject;
    });
  }
  return lists;
}

function readModules(value: unknown, file: string): { readonly [path: string]: JsonObject } {
  if (value === undefined) return {};
  if (!isObject(value)) throw unusable(file, '"modules" is not an object');
  const modules: Record<string, JsonObject> = {};
  for (const [path, module] of Object.entries(value)) {
    if (locateEndpoint(path, defaultModelOptions)?.of !== "unlisted-module" || !isObject(module)) {
      throw unusable(file, `"modules" has the member "${path}", which is not a module of an HTTPS edge`);
    }
    modules[path] = module as JsonObject;
  }
  return modules;
}

function unusable(file: string, why: string, cause?: unknown): EdgewiseError {
  return new EdgewiseError("io", `the data file ${file} can't be used: ${why}`, {
    remedy: "Name another file, or move this one away to start with an empty world.",
    ...(cause === undefined ? {} : { cause }),
  });
}

/**
 * The same seed with another base URL in every `uri` of resources and references that has the old one. A sandbox has
 * several, because clients call this machine by several names and through other ports.
 */
export function rebaseUris(seed: WorldSeed, from: string | null, to: string): WorldSeed {
  if (from === null || from === "" || from === to) return seed;
  const lists: { -readonly [K in keyof Live["lists"]]?: Live["lists"][K] } = {};
  for (const kind of listedKinds) lists[kind] = (seed.lists?.[kind] ?? []).map((each) => rebased(each, from, to));
  return { ...seed, lists };
}

function rebased(object: JsonObject, from: string, to: string): JsonObject {
  return Object.fromEntries(
    Object.entries(object).map(([member, value]) => {
      if (member === "uri" && typeof value === "string") return [member, rebasedUri(value, from, to)];
      // Headers are the user's own text, even when one is named `uri`.
      return [member, member === "headers" ? value : rebasedValue(value ?? null, from, to)];
    }),
  );
}

function rebasedUri(uri: string, from: string, to: string): string {
  if (uri.startsWith(`${from}/`)) return to + uri.slice(from.length);
  const [loopback] = /^http:\/\/(127\.0\.0\.1|localhost|\[::1\])(:\d+)?(?=\/)/i.exec(uri) ?? [""];
  return loopback === "" ? uri : to + uri.slice(loopback.length);
}

function rebasedValue(value: Json, from: string, to: string): Json {
  if (Array.isArray(value)) return value.map((each: Json) => rebasedValue(each, from, to));
  return isObject(value) ? rebased(value, from, to) : value;
}
