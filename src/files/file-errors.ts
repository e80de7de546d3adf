import { EdgewiseError } from "../errors.js";

/** What the system says when a file can't be written, in words. */
const reasons: { readonly [code: string]: readonly [why: string, remedy: string] } = {
  EACCES: ["permission is denied", "Check who may write to its directory, or name another file."],
  EPERM: ["permission is denied", "Check who may write to its directory, or name another file."],
  EROFS: ["the file system is read-only", "Name a file on another file system."],
  ENOSPC: ["the disk is full", "Make room, or name a file on another disk."],
  EDQUOT: ["your disk quota is used up", "Make room, or name a file on another disk."],
  EFBIG: ["it would be larger than a file may be", "Name a file on another file system."],
  EBUSY: ["it is mounted or in use and can't be replaced", "Name another file."],
  ENAMETOOLONG: ["the name is too long", "Name it shorter."],
  EPIPE: ["the program that read it has ended", "Start it again, or name a file."],
  EAGAIN: ["the program that has it open doesn't read it", "Check that program, or name a file."],
  ENXIO: ["nobody reads from it", "Start the program that reads it first, or name a file."],
};

/** The error for a file (or directory) that can't be written. @param file as the operator named it */
export function unwritable(file: string, why: string, remedy: string, cause?: unknown): EdgewiseError {
  return new EdgewiseError("io", `${file} can't be written: ${why}`, {
    remedy,
    ...(cause === undefined ? {} : { cause }),
  });
}

/** The same for what the system threw; an EdgewiseError stays what it is. */
export function unwritableBecause(file: string, cause: unknown): EdgewiseError {
  if (cause instanceof EdgewiseError) return cause;
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
  const [why, remedy] = reasons[code] ?? [
    cause instanceof Error ? cause.message : String(cause),
    "Check that its directory may be written to, or name another file.",
  ];
  return unwritable(file, why, remedy, cause);
}

/** Whether the system threw this, like `ENOENT`. */
export function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}
