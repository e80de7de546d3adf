import { EdgewiseError } from "../errors.js";
import { runGit, type Repository } from "./run-git.js";

/** What one call asks for at most, in objects and bytes, so that its answer stays below the bound of {@link runGit}. */
const batchLimits = { objects: 500, bytes: 32 * 1024 * 1024 } as const;

/** An object of the repository: its id, and its size in bytes. */
interface Sized {
  readonly object: string;
  readonly size: number;
}

/** What to do where objects are missing. Nothing is fetched here: that would run what the repository's settings name. */
const fetchThem =
  "Objects of that commit are missing in this clone. Fetch them (git fetch --refetch --no-filter origin), or leave the filter out of the checkout step.";

/**
 * The contents of objects by their ids, through `git cat-file --batch`; those that are larger than `maxBytes` by their
 * size alone.
 * @throws EdgewiseError `git` when one is missing
 */
export async function readBlobs(
  repository: Repository,
  objects: readonly string[],
  maxBytes: number,
): Promise<ReadonlyMap<string, Uint8Array | { readonly size: number }>> {
  const found = new Map<string, Uint8Array | { readonly size: number }>();
  const wanted: Sized[] = [];
  for (const { object, size } of await sizesOf(repository, objects)) {
    if (size > maxBytes) found.set(object, { size });
    else wanted.push({ object, size });
  }
  for (const some of batches(wanted)) {
    collect(await catFile(repository, ["cat-file", "--batch"], some), found);
  }
  return found;
}

async function sizesOf(repository: Repository, objects: readonly string[]): Promise<readonly Sized[]> {
  if (objects.length === 0) return [];
  const answer = await catFile(repository, ["cat-file", "--batch-check=%(objectname) %(objectsize)"], objects);
  const lines = answer.toString("utf8").split("\n").slice(0, objects.length);
  return lines.map((line) => {
    const [object = "", size] = line.split(" ");
    if (size === undefined || !/^\d+$/u.test(size)) throw missingObject(object);
    return { object, size: Number(size) };
  });
}

async function catFile(repository: Repository, args: readonly string[], objects: readonly string[]): Promise<Buffer> {
  const { ok, stderr, stdout } = await runGit(repository, args, `${objects.join("\n")}\n`);
  if (!ok) throw new EdgewiseError("git", `git can't read its objects: ${stderr}`, { remedy: fetchThem });
  return stdout;
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
function collect(answer: Buffer, found: Map<string, Uint8Array | { readonly size: number }>): void {
  let at = 0;
  while (at < answer.length) {
    const end = answer.indexOf(0x0a, at);
    if (end === -1) return;
    const [object = "", , size] = answer.toString("utf8", at, end).split(" ");
    if (size === undefined) throw missingObject(object);
    at = end + 1;
    found.set(object, answer.subarray(at, at + Number(size)));
    at += Number(size) + 1;
  }
}

function missingObject(object: string): EdgewiseError {
  return new EdgewiseError("git", `git has no object ${object}`, { remedy: fetchThem });
}
