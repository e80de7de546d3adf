import { statSync } from "node:fs";
import { userInfo } from "node:os";

/** The user that this program runs as; null where files have no owners (Windows) and nothing can be said of them. */
export function ownUid(): number | null {
  try {
    const { uid } = userInfo();
    return uid < 0 ? null : uid;
  } catch {
    // A container may run as a user that its password file doesn't have.
    return uidOfProcess();
  }
}

function uidOfProcess(): number | null {
  try {
    return statSync("/proc/self").uid;
  } catch {
    return null;
  }
}
