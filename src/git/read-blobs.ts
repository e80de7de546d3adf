import { EdgewiseError } from "../errors.js";
import { runGit } from "./run-git.js";

/** What one call asks for at most, in objects and bytes, so that its answer stays below the bound of {@link runGit}. */
const batch = { objects: 500, bytes: 32 * 1024 * 1024 } as const;

/** An object of the repository: its id, and its size in bytes. */
export interface BlobName {
  readonly object: string;
  readonly size: number;
}

/**
 * The contents of objects by their ids, through `git cat-file --batch`. An object that git lacks is left out.
 * @throws EdgewiseError `git`
 */
export async function readBlobs(
  repository: string,
  wanted: readonly BlobName[],
): Promise<ReadonlyMap<string, Uint8Array>> {
  const found = new Map<string, Uint8Array>();
  for (const objects of batches(wanted)) {
    const { ok, stderr, stdout } = await runGit(repository, ["cat-file", "--batch"], `${objects.join("\n")}\n`);
    if (!ok) throw new EdgewiseError("git", `git can't read its objects: ${stderr}`);
    collect(stdout, found);
  }
  return found;
}

function batches(wanted: readonly BlobName[]): readonly (readonly string[])[] {
  const result: string[][] = [];
  let bytes = 0;
  for (const { object, size } of wanted) {
    const last = result.at(-1);
    if (last === undefined || last.length >= batch.objects || bytes + size > batch.bytes) {
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
function collect(answer: Buffer, found: Map<string, Uint8Array>): void {
  let at = 0;
  while (at < answer.length) {
    const end = answer.indexOf(0x0a, at);
    if (end === -1) return;
    const [object, type, size] = answer.toString("utf8", at, end).split(" ");
    at = end + 1;
    if (object === undefined || type === "missing" || size === undefined) continue;
    found.set(object, answer.subarray(at, at + Number(size)));
    at += Number(size) + 1;
  }
}
