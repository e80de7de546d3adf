import { resolve } from "node:path";
import { type ListName, type PageMemory, PageStore, recalledOnce } from "../../api/remembered-pages.js";
import { EdgewiseError } from "../../core/errors.js";
import { isObject } from "../../core/json.js";
import { limits } from "../../core/limits.js";
import { parseJson } from "../../core/parse-json.js";
import { hasCode } from "../../files/file-errors.js";
import { NotReadable, decodeUtf8, readBounded } from "../../files/read-bounded.js";
import { writeFile } from "../../files/write-file.js";
import type { CommandContext } from "./command-context.js";
import { workplaceOf } from "./output-files.js";

/** The page cache of one run. Whatever is wrong with its file is a warning: a run can do without it. */
export interface PageCacheFile {
  /** For the run's client. */
  readonly pages: PageMemory;
  /** Writes what lists of this run learned, if that is anything new. */
  save(): Promise<void>;
}

const format = "edgewise.pages/v1";

/** @param file as the user named it, relative to the working directory */
export async function openPageCache(file: string, { io, log }: CommandContext): Promise<PageCacheFile> {
  const memory = new PageStore();
  const problem = await readInto(memory, resolve(io.cwd, file));
  if (problem !== null) {
    log.warning(
      `the page cache ${file} ${problem}, so it is neither used nor changed: remove it, or name another file with --page-cache or api.pageCache`,
      { file },
    );
    return { pages: { recall: () => [], remember: () => undefined }, save: async () => undefined };
  }
  const before = textOf(memory);
  const save = async (): Promise<void> => {
    // A secret may have become known after a list was read.
    const text = textOf(memory, (line) => io.redactor.redact(line) === line);
    if (text === before) return;
    try {
      await writeFile(file, text, workplaceOf(io), "ordinary");
    } catch (error) {
      if (!(error instanceof EdgewiseError)) throw error;
      log.warning(`the page cache is not saved: ${error.message}. ${error.remedy ?? ""}`.trim(), { file });
    }
  };
  return { pages: recalledOnce(memory), save };
}

/**
 * Reads a page cache (`schemas/pages.schema.json`). The addresses in it are not checked: nothing is sent to one that can't
 * be a page of its list.
 * @returns why it can't be used (the end of a sentence about the file); null when it can, or isn't there
 */
async function readInto(memory: PageMemory, path: string): Promise<string | null> {
  let text: string | null;
  try {
    text = decodeUtf8(await readBounded(path, { most: limits.pageCacheBytes }));
  } catch (error) {
    if (hasCode(error, "ENOENT")) return null;
    return `can't be read (${error instanceof NotReadable ? error.message : "check its permissions"})`;
  }
  if (text?.trim() === "") return null;
  const parsed = text === null ? { problem: "encoding" } : parseJson(text);
  if (!("value" in parsed)) return "is not JSON";
  const { value } = parsed;
  if (!isObject(value) || value["format"] !== format || !Array.isArray(value["lists"])) return `is not ${format}`;
  for (const list of value["lists"] as readonly unknown[]) {
    if (!isList(list)) return `is not ${format}: a list in it is broken`;
    memory.remember(list, list.pages);
  }
  return null;
}

function isList(value: unknown): value is ListName & { readonly pages: readonly string[] } {
  if (!isObject(value)) return false;
  const { baseUrl, collection, pages } = value;
  const isText = (each: unknown): boolean => typeof each === "string";
  return isText(baseUrl) && isText(collection) && Array.isArray(pages) && pages.every(isText);
}

/** A line for each list, always the same for the same lists. When they are too many, the oldest are left out. */
function textOf(memory: PageStore, isShown: (line: string) => boolean = () => true): string {
  let bytes = 100; // Format and brackets.
  const lines = [...memory].toReversed().flatMap(({ baseUrl, collection, pages }) => {
    const line = JSON.stringify({ baseUrl, collection, pages });
    bytes += Buffer.byteLength(line) + 2;
    return bytes > limits.pageCacheBytes || !isShown(line) ? [] : [line];
  });
  return `{"format":"${format}","lists":[\n${lines.toSorted().join(",\n")}\n]}\n`;
}
