import { type ListName, type PageMemory, PageStore, recalledOnce } from "../../api/remembered-pages.js";
import { EdgewiseError } from "../../core/errors.js";
import { isObject } from "../../core/json.js";
import { limits } from "../../core/limits.js";
import { writeFile } from "../../files/write-file.js";
import type { CommandIo } from "./command-io.js";
import { readJsonFile } from "./json-file.js";
import { workplaceOf } from "./output.js";

/** Whatever is wrong with its file is a warning: a run can do without it. */
interface PageCache {
  readonly pages: PageMemory;
  /** Writes what lists of this run learned, if that is anything new. */
  save(): Promise<void>;
}

const format = "edgewise.pages/v1";

/** @param file as the user named it, relative to the working directory; null = there is no cache */
export async function openPageCache(file: string | null, io: CommandIo): Promise<PageCache | null> {
  if (file === null) return null;
  const memory = new PageStore();
  const read = await readJsonFile(file, io.cwd, { most: limits.pageCacheBytes, deepest: limits.depth });
  const problem = "value" in read ? remember(read.value, memory) : read.isMissing === true ? null : read.why;
  if (problem !== null) {
    io.log.warning(
      `the page cache ${file} is neither used nor changed: ${problem}; remove it, or name another file with --page-cache or api.pageCache`,
      { file },
    );
    return null;
  }
  const before = textOf(memory, () => true);
  const save = async (): Promise<void> => {
    // A secret may have become known after a list was read.
    const text = textOf(memory, (line) => io.redactor.redact(line) === line);
    if (text === before) return;
    try {
      await writeFile(file, text, workplaceOf(io), "ordinary");
    } catch (error) {
      if (!(error instanceof EdgewiseError)) throw error;
      io.log.warning(`the page cache is not saved: ${error.message}. ${error.remedy ?? ""}`.trim(), { file });
    }
  };
  return { pages: recalledOnce(memory), save };
}

/** Returns why not. The addresses are not checked: nothing is sent to one that can't be a page of its list. */
function remember(cache: unknown, memory: PageMemory): string | null {
  if (!isObject(cache) || cache["format"] !== format || !Array.isArray(cache["lists"])) return `it is not ${format}`;
  for (const list of cache["lists"] as readonly unknown[]) {
    if (!isList(list)) return "a list in it is broken";
    memory.remember(list, list.pages);
  }
  return null;
}

function isList(value: unknown): value is ListName & { readonly pages: readonly string[] } {
  if (!isObject(value) || !Array.isArray(value["pages"])) return false;
  return [value["baseUrl"], value["collection"], ...value["pages"]].every((each) => typeof each === "string");
}

/** A line for each list. When they are too many, the oldest are left out. */
function textOf(memory: PageStore, isShown: (line: string) => boolean): string {
  let bytes = 100; // Format and brackets.
  const lines = [...memory].toReversed().flatMap(({ baseUrl, collection, pages }) => {
    const line = JSON.stringify({ baseUrl, collection, pages });
    bytes += Buffer.byteLength(line) + 2;
    return bytes > limits.pageCacheBytes || !isShown(line) ? [] : [line];
  });
  return `{"format":"${format}","lists":[\n${lines.toSorted().join(",\n")}\n]}\n`;
}
