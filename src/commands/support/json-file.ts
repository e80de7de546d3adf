import { resolve } from "node:path";
import { NotReadable, readBounded } from "../../files/read-bounded.js";
import { parseJson } from "../../core/parse-json.js";

/** A file of JSON, or why it can't be read, without a full stop. No part of it is quoted. */
export type JsonFile =
  | { readonly value: unknown }
  | { readonly problem: "depth" }
  | { readonly problem: "syntax"; readonly why: string; readonly isCut: boolean }
  | { readonly problem: "unread"; readonly why: string; readonly cause: unknown };

/**
 * Reads and parses a file, or a pipe that ends.
 * @param file as the user named it, relative to `cwd`
 * @param bounds `most`: the largest size in bytes; `deepest`: how many maps and lists may be inside one another
 */
export async function readJsonFile(
  file: string,
  cwd: string,
  { deepest, most }: { readonly most: number; readonly deepest: number },
): Promise<JsonFile> {
  let text: string;
  try {
    text = new TextDecoder().decode(await readBounded(resolve(cwd, file), { most, pipe: true }));
  } catch (cause) {
    return { problem: "unread", why: whyUnread(cause), cause };
  }
  const parsed = parseJson(text, deepest);
  if ("value" in parsed) return parsed;
  return parsed.problem === "depth" ? { problem: "depth" } : { problem: "syntax", ...flawOf(text) };
}

/** What is wrong with a text that is not JSON; `isCut`: it may have been JSON. */
function flawOf(text: string): { readonly why: string; readonly isCut: boolean } {
  if (text.trim() === "") return { why: "it is empty", isCut: true };
  let message = "";
  try {
    JSON.parse(text);
  } catch (error) {
    message = String(error);
  }
  // V8 gives the place of what it did not expect, but for the end of the text and texts that begin as something else.
  const place = /at position (\d+)/u.exec(message)?.[1];
  const isCut = /end of JSON input|Unterminated string/u.test(message) || Number(place) >= text.length;
  if (isCut) return { why: "it ends in the middle: it was cut off, or is still being written", isCut };
  if (place === undefined) return { why: "it is not JSON", isCut };
  return { why: `it is not valid JSON, at line ${text.slice(0, Number(place)).split("\n").length}`, isCut };
}

function whyUnread(cause: unknown): string {
  if (cause instanceof NotReadable) return cause.message;
  const code = cause instanceof Error && "code" in cause ? cause.code : "";
  if (code === "ENOENT" || code === "ENOTDIR") return "there is no such file";
  return `it can't be read: ${cause instanceof Error ? cause.message : String(cause)}`;
}
