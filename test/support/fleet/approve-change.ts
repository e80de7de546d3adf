import { execFileSync } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ServedWorld } from "./served-world.ts";

const approver = "ann@example.com";

/** Makes somebody in the directory of a fleet file who may approve what waits, and the file `approvers`. */
export async function addApprover(directory: string): Promise<void> {
  execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", join(directory, "ann")]);
  const key = await readFile(join(directory, "ann.pub"), "utf8");
  await writeFile(join(directory, "approvers"), `${approver} ${key}`);
}

/** Signs what waits at the last commit. @param digest as it is shown */
export function approveChange(world: ServedWorld, stack: string, digest: string): void {
  const clone = join(world.directory, "clone");
  const name = `edgewise/approve/${stack}/${digest}/${approver}`;
  const sign = ["-c", "gpg.format=ssh", "-c", `user.signingKey=${join(world.directory, "ann")}`];
  world.git(clone, ...sign, "tag", "-s", name, "-m", "agreed", world.commit);
  world.git(clone, "push", "-q", "origin", `refs/tags/${name}`);
}
