import { lstat, realpath } from "node:fs/promises";
import { join } from "node:path";
import { isInside } from "../../files/real-path.js";
import { repositoryToRead } from "../../git/find-repository.js";
import type { GitHost } from "../../git/git-program.js";
import { FetchProblem } from "./fetch-tip.js";
import type { SourceAddress } from "./source-address.js";

/**
 * Checks a repository of this machine before git reads it: it belongs to whom edgewise runs as, to root, or is named in
 * the machine's `safe.directory`; and its objects are its own, as those of another repository may not be meant for it.
 */
export async function checkLocalSource(address: SourceAddress, host: GitHost): Promise<SourceAddress> {
  const directory = await repositoryToRead(address.url, host);
  if (directory === null) throw new FetchProblem("missing", `there is no git repository at ${address.url}`);
  const objects = join(directory, "objects");
  for (const part of [objects, join(objects, "pack"), join(objects, "info")]) {
    const real = await realpath(part).catch(() => null);
    if (real !== null && !isInside(directory, real))
      throw new FetchProblem("unusable", `${part} leads out of the repository, to ${real}`);
  }
  const alternates = join(objects, "info", "alternates");
  if ((await lstat(alternates).catch(() => null)) !== null) {
    const remedy = "run `git repack -ad` in it and remove that file";
    throw new FetchProblem("unusable", `${alternates} borrows objects of another repository; ${remedy}`);
  }
  return { ...address, url: directory };
}
