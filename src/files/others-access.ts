import { statSync } from "node:fs";
import { userInfo } from "node:os";

/** What is looked at of a file. */
export interface FileMode {
  readonly mode: number;
  readonly uid: number;
}

/** What users other than this one and root can do to a file, each in words that follow the file's name; null = nothing. */
export interface OthersAccess {
  /** "can be written by every user of this computer (mode 0666)" */
  readonly everybodyWrites: string | null;
  readonly groupWrites: string | null;
  readonly reads: string | null;
  readonly owns: string | null;
}

const none: OthersAccess = { everybodyWrites: null, groupWrites: null, reads: null, owns: null };

/**
 * Tells what others can do to a file. Root is nobody else: it can do everything anyway.
 * @param uid this user; null where files have no owners: then nothing is known
 */
export function othersAccess({ mode, uid: owner }: FileMode, uid: number | null): OthersAccess {
  if (uid === null) return none;
  const shown = `(mode ${(mode & 0o7777).toString(8).padStart(4, "0")})`;
  const everybody = `every user of this computer ${shown}`;
  const group = `every member of its group ${shown}`;
  // A file of root's that this user can read is read through the group: that is how Kubernetes mounts a secret.
  const groupReads = (mode & 0o040) !== 0 && (owner !== 0 || uid === 0);
  return {
    everybodyWrites: (mode & 0o002) === 0 ? null : `can be written by ${everybody}`,
    groupWrites: (mode & 0o020) === 0 ? null : `can be written by ${group}`,
    reads: (mode & 0o004) !== 0 ? `can be read by ${everybody}` : groupReads ? `can be read by ${group}` : null,
    owns: owner === uid || owner === 0 ? null : `belongs to another user (uid ${owner})`,
  };
}

/** What is wrong with a file that holds a secret: others must not write it (an error), and should not read it. */
export function secretFileAccess(
  file: FileMode,
  uid: number | null,
): { readonly error: string | null; readonly warning: string | null; readonly remedy: string } {
  const { everybodyWrites, groupWrites, reads, owns } = othersAccess(file, uid);
  const warnings = [owns, reads].filter((words) => words !== null);
  // Its owner can open it again: `chmod` alone is no remedy.
  const remedy = [owns === null ? null : "`chown` makes it yours", reads === null ? null : "`chmod 600` closes it"];
  return {
    error: everybodyWrites ?? groupWrites,
    warning: warnings.length === 0 ? null : warnings.join(" and "),
    remedy: remedy.filter((words) => words !== null).join(", "),
  };
}

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
