import { resolve } from "node:path";
import { type ListName, type PageMemory, PageStore, recalledOnce } from "../../api/remembered-pages.js";
import { EdgewiseError } from "../../core/errors.js";
import { isObject } from "../../core/json.js";
import { parseJson } from "../../core/parse-json.js";
import { hasCode } from "../../files/file-errors.js";
import { NotReadable, decodeUtf8, readBounded } from "../../files/read-bounded.js";
import { writeFile } from "../../files/write-file.js";
import { limits } from "../../core/limits.js";
import type { CommandContext } from "./command-context.js";
import { workplaceOf } from "./output-files.js";

/** The page cache of one run. Whatever is wrong with its file is a warning: a run can do without it. */
export interface PageCacheFile {
  /** For the run's client. */
  readonly pages: PageMemory;
  /** Writes what lists of this run learned, if that is anything new. Never throws for an expected problem. */
  save(): Promise<void>;
}

type Needs = Pick<CommandContext, "io" | "log">;

/**
 * Opens the page cache.
 * @param file as the user named it, relative to the working directory
 */
export async function openPageCache(file: string, { io, log }: Needs): Promise<PageCacheFile> {
  const path = resolve(io.cwd, file);
  const found = await readPageCache(path);
  if (typeof found === "string") {
    log.warning(
      `the page cache ${file} ${found}, so it is neither used nor changed: remove it, or name another file with --page-cache or api.pageCache`,
      { file },
    );
    return { pages: { recall: () => [], remember: () => undefined }, save: async () => undefined };
  }
  const memory = new PageStore();
  for (const { pages, ...name } of found) memory.remember(name, pages);
  const learned = new Map<string, CachedList>();
  const learning: PageMemory = {
    recall: (list) => memory.recall(list),
    remember: (list, pages) => learned.set(nameOf(list), { ...list, pages }),
  };
  const save = async (): Promise<void> => {
    try {
      await inTurn(path, async () => merge(path, [...learned.values()], file, io));
    } catch (error) {
      if (!(error instanceof EdgewiseError)) throw error;
      log.warning(`the page cache is not saved: ${error.message}. ${error.remedy ?? ""}`.trim(), { file });
    }
  };
  return { pages: recalledOnce(learning), save };
}

/** Other stacks and other runs may have changed the file meanwhile: what they know of other lists is kept. */
async function merge(path: string, learned: readonly CachedList[], file: string, io: Needs["io"]): Promise<void> {
  const current = await readPageCache(path);
  if (typeof current === "string") throw new EdgewiseError("io", `${file} ${current}`);
  const own = new Set(learned.map(nameOf));
  const others = current.filter((list) => !own.has(nameOf(list)));
  // A secret may have become known after the list was read.
  const shown = [...others, ...learned].filter((list) => {
    const text = JSON.stringify(list);
    return list.pages.length > 0 && io.redactor.redact(text) === text;
  });
  const text = renderPageCache(shown);
  if (text !== renderPageCache(current)) await writeFile(file, text, workplaceOf(io), "ordinary");
}

/** What the file holds, nothing when there is none; or why it can't be used (the end of a sentence about the file). */
async function readPageCache(path: string): Promise<readonly CachedList[] | string> {
  try {
    const text = decodeUtf8(await readBounded(path, { most: limits.pageCacheBytes }));
    return text === null ? "is not UTF-8 text" : parsePageCache(text);
  } catch (error) {
    if (hasCode(error, "ENOENT")) return [];
    const why = error instanceof NotReadable ? error.message : "check its permissions";
    return `can't be read (${why})`;
  }
}

function nameOf({ baseUrl, collection }: ListName): string {
  return JSON.stringify([baseUrl, collection]);
}

const saving = new Map<string, Promise<unknown>>();

/** Stacks of one run that share a file save one after the other. */
async function inTurn(path: string, work: () => Promise<void>): Promise<void> {
  const before = saving.get(path) ?? Promise.resolve();
  const mine = before.then(work, work);
  saving.set(path, mine);
  try {
    await mine;
  } finally {
    if (saving.get(path) === mine) saving.delete(path);
  }
}

/** The pages of one list, as the file has them. */
interface CachedList extends ListName {
  readonly pages: readonly string[];
}

const format = "edgewise.pages/v1";

/**
 * Reads the text of a page cache (`schemas/pages.schema.json`). The addresses in it are not checked: nothing is sent to
 * one that can't be a page of its list.
 * @returns why it is not one (the end of a sentence about the file), when it isn't
 */
function parsePageCache(text: string): readonly CachedList[] | string {
  if (text.trim() === "") return [];
  const parsed = parseJson(text);
  if (!("value" in parsed)) return "is not JSON";
  const { value } = parsed;
  if (!isObject(value) || value["format"] !== format || !Array.isArray(value["lists"])) return `is not ${format}`;
  const lists: CachedList[] = [];
  for (const list of value["lists"] as readonly unknown[]) {
    const read = readList(list);
    if (read === null) return `is not ${format}: a list in it is broken`;
    lists.push(read);
  }
  return lists;
}

function readList(value: unknown): CachedList | null {
  if (!isObject(value)) return null;
  const { baseUrl, collection, pages } = value;
  if (typeof baseUrl !== "string" || typeof collection !== "string" || !Array.isArray(pages)) return null;
  const addresses = pages.filter((page: unknown) => typeof page === "string");
  return addresses.length === pages.length ? { baseUrl, collection, pages: addresses } : null;
}

/**
 * The text of a page cache, with a line for each list, always the same for the same lists. When they are too many, some
 * are left out.
 * @param lists the most important ones last
 */
function renderPageCache(lists: readonly CachedList[]): string {
  const kept = new PageStore();
  for (const { pages, ...name } of lists) kept.remember(name, pages);
  let bytes = 100; // Format and brackets.
  const lines = [...kept].toReversed().flatMap(({ baseUrl, collection, pages }) => {
    const text = JSON.stringify({ baseUrl, collection, pages });
    bytes += Buffer.byteLength(text) + 2;
    return bytes > limits.pageCacheBytes ? [] : [{ baseUrl, collection, text }];
  });
  const sorted = lines.toSorted((a, b) => compare(a.baseUrl, b.baseUrl) || compare(a.collection, b.collection));
  return `{"format":"${format}","lists":[\n${sorted.map(({ text }) => text).join(",\n")}\n]}\n`;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
