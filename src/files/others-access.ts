import { type Stats, statSync } from "node:fs";
import { userInfo } from "node:os";

type FileMode = Pick<Stats, "mode" | "uid">;

/** What other users can do to a file; null = nothing. `uid` null = files have no owners. */
export function othersAccess({ mode, uid: owner }: FileMode, uid: number | null) {
  const octal = (mode & 0o7777).toString(8).padStart(4, "0");
  const can = (bit: number, what: string, who: string): string | null =>
    uid === null || (mode & bit) === 0 ? null : `can be ${what} by every ${who} (mode ${octal})`;
  const [user, member] = ["user of this computer", "member of its group"] as const;
  // Kubernetes mounts secrets as root's, for the group.
  const groupReads = owner !== 0 || uid === 0 ? can(0o040, "read", member) : null;
  return {
    everybodyWrites: can(0o002, "written", user),
    groupWrites: can(0o020, "written", member),
    reads: can(0o004, "read", user) ?? groupReads,
    owns: uid === null || owner === uid || owner === 0 ? null : `belongs to another user (uid ${owner})`,
  };
}

/** Others must not write a secret, and should not read it. */
export function secretFileAccess(
  file: FileMode,
  uid: number | null,
): Readonly<{ error: string | null; warning: string | null }> {
  const { everybodyWrites, groupWrites, reads, owns } = othersAccess(file, uid);
  const warnings = [owns, reads].filter((words) => words !== null);
  return { error: everybodyWrites ?? groupWrites, warning: warnings.length === 0 ? null : warnings.join(" and ") };
}

export function ownUid(): number | null {
  try {
    const { uid } = userInfo();
    return uid < 0 ? null : uid;
  } catch {
    // A container's user may be missing in its password file.
    return statSync("/proc/self", { throwIfNoEntry: false })?.uid ?? null;
  }
}
