import { EdgewiseError } from "../core/errors.js";
import { hasCode } from "../files/file-errors.js";
import { type ProcessLock, takeProcessLock } from "../files/process-lock.js";
import { readBounded } from "../files/read-bounded.js";
import { type Workplace, checkWritable, fileTarget, writeFile } from "../files/write-file.js";
import { isObject } from "../core/json.js";
import { listedKinds } from "../kinds/names.js";
import { locateEndpoint } from "../model/respond.js";
import type { WorldSeed } from "../model/world-seed.js";
import type { WorldSnapshot } from "./sandbox-options.js";

const format = "edgewise.sandbox/v1";

const mostBytes = 256 * 1024 * 1024;

/** Keeps the world of one sandbox; no other may use it meanwhile. */
export class DataFile {
  #isUnsaved = false;
  #saved: Promise<void> = Promise.resolve();

  private constructor(
    private readonly file: string,
    private readonly place: Workplace,
    private readonly lock: ProcessLock,
  ) {}

  /** @throws EdgewiseError `io` */
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

  /** Resolves when all changes up to now are in the file. @throws EdgewiseError `io` */
  save(world: () => WorldSnapshot): Promise<void> {
    if (!this.#isUnsaved) return this.#saved;
    this.#isUnsaved = false;
    const write = async (): Promise<void> =>
      writeFile(this.file, `${JSON.stringify({ format, ...world() }, null, 1)}\n`, this.place, "private").catch(
        (error: unknown) => {
          this.#isUnsaved = true;
          throw error;
        },
      );
    return (this.#saved = this.#saved.then(write, write));
  }

  async release(): Promise<void> {
    await this.lock.release();
  }
}

/** Null when there is none. @throws EdgewiseError `io` */
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
    throw unusable(cause instanceof SyntaxError ? "it is not JSON" : String(cause));
  }
  const wrong = wrongPlace(state);
  if (wrong !== null) throw unusable(`"${wrong}" is not as docs/sandbox.md has it`);
  return state as WorldSeed;
}

function wrongPlace(state: unknown): string | null {
  if (!isObject(state) || state["format"] !== format) return "format";
  const { lists, modules = {} } = state;
  if (!isObject(lists)) return "lists";
  if (!isObject(modules)) return "modules";
  for (const [kind, list] of Object.entries(lists)) {
    if (!listedKinds.some((each) => each === kind) || !Array.isArray(list)) return `lists.${kind}`;
    const ids = list.map((each: unknown) => (isObject(each) ? each["id"] : null));
    const wrong = ids.findIndex((id, at) => typeof id !== "string" || id === "" || ids.indexOf(id) !== at);
    if (wrong !== -1) return `lists.${kind}[${wrong}]`;
  }
  const module = Object.keys(modules).find((path) => locateEndpoint(path)?.kind !== null || !isObject(modules[path]));
  return module === undefined ? null : `modules.${module}`;
}

/** With this base URL in every local `uri`: sandboxes listen on other ports. */
export function rebaseUris({ lists, ...rest }: WorldSeed, baseUrl: string): WorldSeed {
  const local = /(?<="id":"[^"]*","uri":")http:\/\/(127\.0\.0\.1|localhost|\[::1\])(:\d+)?(?=\/)/g;
  return {
    ...rest,
    lists: JSON.parse(JSON.stringify(lists).replaceAll(local, baseUrl)) as WorldSeed["lists"] & object,
  };
}
