import { EdgewiseError } from "../core/errors.js";

/** Why a file can't be written and what to do, by the system's error code. */
const reasons: { readonly [code: string]: readonly [why: string, remedy: string] } = {
  EACCES: ["permission is denied", "Check the permissions of its directory, or use another file."],
  EPERM: ["permission is denied", "Check the permissions of its directory, or use another file."],
  EROFS: ["the file system is read-only", "Use a file on another file system."],
  ENOSPC: ["the disk is full", "Free some space, or use a file on another disk."],
  EDQUOT: ["your disk quota is used up", "Free some space, or use a file on another disk."],
  EFBIG: ["it would exceed the maximum file size", "Use a file on another file system."],
  EBUSY: ["it is mounted or in use and can't be replaced", "Use another file."],
  ENAMETOOLONG: ["the name is too long", "Use a shorter name."],
};

export function unwritable(file: string, why: string, remedy: string, cause?: unknown): EdgewiseError {
  return new EdgewiseError("io", `${file} can't be written: ${why}`, {
    remedy,
    ...(cause === undefined ? {} : { cause }),
  });
}

export function unwritableBecause(file: string, cause: unknown): EdgewiseError {
  if (cause instanceof EdgewiseError) return cause;
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
  const [why, remedy] = reasons[code] ?? [
    cause instanceof Error ? cause.message : String(cause),
    "Check that you may write to its directory, or use another file.",
  ];
  return unwritable(file, why, remedy, cause);
}

export function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}
