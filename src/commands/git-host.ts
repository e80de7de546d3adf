import type { GitHost } from "../git/git-program.js";
import type { Io } from "./io.js";

/** What git's use depends on, of this process. */
export function gitHost(io: Pick<Io, "env">): GitHost {
  return { env: io.env, platform: process.platform, uid: process.geteuid?.() ?? null };
}
