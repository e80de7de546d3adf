import { EdgewiseError } from "../core/errors.js";

const reasons: { readonly [code: string]: string } = {
  EACCES: "permission is denied",
  EPERM: "permission is denied",
  EROFS: "the file system is read-only",
  ENOSPC: "the disk is full",
  EDQUOT: "your disk quota is used up",
  EBUSY: "it is mounted or in use and can't be replaced",
  ENAMETOOLONG: "the name is too long",
};

export function unwritable(file: string, why: string, remedy: string, cause?: unknown): EdgewiseError {
  return new EdgewiseError("io", `${file} can't be written: ${why}`, { remedy, cause });
}

export function unwritableBecause(file: string, cause: unknown): EdgewiseError {
  if (cause instanceof EdgewiseError) return cause;
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
  const why = reasons[code] ?? (cause instanceof Error ? cause.message : String(cause));
  return unwritable(file, why, "Check its directory's permissions and space, or use another file.", cause);
}

export function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}
