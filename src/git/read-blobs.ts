import { EdgewiseError } from "../core/errors.js";
import { limits } from "../core/limits.js";
import { decodeUtf8 } from "../files/read-bounded.js";
import { isLfsPointer } from "../manifest/file-tree.js";
import { type GitAnswer, type Repository, gitFailure, linesOf, runGit } from "./run-git.js";

/** How many objects and bytes one run asks for at most, so that its output stays below the bound of {@link runGit}. */
const batchLimits = { objects: 500, bytes: 32 * 1024 * 1024 } as const;

/** What an object holds; only its size when it is larger than what was asked for. */
export type BlobContent = Uint8Array | { readonly size: number };

/** An object of the repository: its id, and its size in bytes. */
interface Sized {
  readonly object: string;
  readonly size: number;
}

/** Missing objects are not fetched here: that would run programs that the repository's settings name. */
const fetchThem =
  "Objects of that commit are missing in this clone. Fetch them (git fetch --refetch --no-filter origin), or leave the filter out of the checkout step.";

/**
 * The contents of objects by their ids, through `git cat-file --batch`; only the size of those larger than `maxBytes`.
 * @param together how many bytes to read at most: the objects after the one that would exceed it are left out
 * @throws EdgewiseError `git` when one is missing
 */
export async function readBlobs(
  repository: Repository,
  objects: readonly string[],
  maxBytes: number,
  together = Infinity,
): Promise<ReadonlyMap<string, BlobContent>> {
  const found = new Map<string, BlobContent>();
  const wanted: Sized[] = [];
  let bytes = 0;
  for (const { object, size } of await sizesOf(repository, objects)) {
    if (size > maxBytes) {
      found.set(object, { size });
      continue;
    }
    bytes += size;
    if (bytes > together) break;
    wanted.push({ object, size });
  }
  for (const some of batches(wanted)) {
    collect((await catFile(repository, ["cat-file", "--batch"], some)).stdout, found);
  }
  return found;
}

/** The sizes of objects of any type, which are not read. @throws EdgewiseError `git` when one is missing */
export async function sizesOf(repository: Repository, objects: readonly string[]): Promise<readonly Sized[]> {
  if (objects.length === 0) return [];
  const answer = await catFile(repository, ["cat-file", "--batch-check=%(objectname) %(objectsize)"], objects);
  return linesOf(answer).map((line) => {
    const [object = "", size] = line.split(" ");
    if (size === undefined || !/^\d+$/u.test(size)) throw missingObject(object);
    return { object, size: Number(size) };
  });
}

async function catFile(
  repository: Repository,
  args: readonly string[],
  objects: readonly string[],
): Promise<GitAnswer> {
  const answer = await runGit(repository, args, `${objects.join("\n")}\n`);
  if (!answer.ok) throw gitFailure("read its objects", answer, fetchThem);
  return answer;
}

function batches(wanted: readonly Sized[]): readonly (readonly string[])[] {
  const result: string[][] = [];
  let bytes = 0;
  for (const { object, size } of wanted) {
    const last = result.at(-1);
    if (last === undefined || last.length >= batchLimits.objects || bytes + size > batchLimits.bytes) {
      result.push([object]);
      bytes = size;
    } else {
      last.push(object);
      bytes += size;
    }
  }
  return result;
}

/** Each object is `<id> <type> <size>`, a newline, the content, a newline; a missing one is `<id> missing`. */
function collect(output: Buffer, found: Map<string, BlobContent>): void {
  let at = 0;
  while (at < output.length) {
    const end = output.indexOf(0x0a, at);
    if (end === -1) return;
    const [object = "", , size] = output.toString("utf8", at, end).split(" ");
    if (size === undefined) throw missingObject(object);
    at = end + 1;
    found.set(object, output.subarray(at, at + Number(size)));
    at += Number(size) + 1;
  }
}

function missingObject(object: string): EdgewiseError {
  return new EdgewiseError("git", `git has no object ${object}`, { remedy: fetchThem });
}

/**
 * The text of a configuration that a commit holds.
 * @throws EdgewiseError `config` when it can't be a configuration
 */
export function configText(bytes: BlobContent | undefined, path: string, commit: string): string {
  const isTooLarge = bytes === undefined || !("byteLength" in bytes) || bytes.byteLength > limits.configBytes;
  const text = isTooLarge ? null : decodeUtf8(bytes);
  if (text !== null && !isLfsPointer(text)) return text;
  const why = isTooLarge
    ? `it has more than ${limits.configBytes} bytes`
    : text === null
      ? "it is not UTF-8 text"
      : "it is a pointer of Git LFS, not the file itself";
  throw new EdgewiseError("config", `${path} of commit ${commit.slice(0, 12)} can't be read: ${why}`, {
    remedy: "Name a commit that holds the configuration as a text.",
  });
}
