import { resolve } from "node:path";
import { NotReadable, patience, readPieces } from "../../files/read-bounded.js";
import { LargeJsonParser } from "../../parse-large-json.js";
import { curbHeapNow } from "./curb-heap.js";

/** A file of JSON, or why it can't be read, without a full stop. No part of it is quoted. */
export type JsonFile =
  | { readonly value: unknown }
  | { readonly problem: "depth" }
  | { readonly problem: "syntax"; readonly why: string; readonly isCut: boolean }
  | { readonly problem: "unread"; readonly why: string; readonly cause: unknown };

/** From so many bytes of JSON on, memory counts more than time: what is made of them takes several times as much. */
const largeFile = 16 * 1024 * 1024;

/**
 * Reads and parses a file, or a pipe that ends, piece by piece: it may have hundreds of megabytes.
 * @param file as the user named it, relative to `cwd`
 * @param bounds `most`: the largest size in bytes; `deepest`: how many maps and lists may be inside one another
 */
export async function readLargeJson(
  file: string,
  cwd: string,
  { deepest, most }: { readonly most: number; readonly deepest: number },
): Promise<JsonFile> {
  const parser = new LargeJsonParser(deepest);
  const decoder = new TextDecoder("utf-8");
  try {
    let bytes = 0;
    await readPieces(resolve(cwd, file), { most, pipe: patience }, (piece) => {
      if (bytes <= largeFile && bytes + piece.length > largeFile) curbHeapNow();
      bytes += piece.length;
      parser.push(decoder.decode(piece, { stream: true }));
    });
  } catch (cause) {
    return { problem: "unread", why: whyUnread(cause), cause };
  }
  parser.push(decoder.decode());
  const parsed = parser.end();
  if ("value" in parsed) return parsed;
  return parsed.problem === "depth" ? { problem: "depth" } : { problem: "syntax", ...parser.flaw() };
}

function whyUnread(cause: unknown): string {
  if (cause instanceof NotReadable) return cause.message;
  const code = cause instanceof Error && "code" in cause ? cause.code : "";
  if (code === "ENOENT" || code === "ENOTDIR") return "there is no such file";
  return `it can't be read: ${cause instanceof Error ? cause.message : String(cause)}`;
}
