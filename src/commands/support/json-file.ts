import { resolve } from "node:path";
import { parseJson } from "../../core/parse-json.js";
import { hasCode } from "../../files/file-errors.js";
import { NotReadable, decodeUtf8, readBounded } from "../../files/read-bounded.js";

/** What a file or pipe holds, or why it can't be used, without a full stop; nothing of it is quoted. */
export async function readJsonFile(
  file: string,
  cwd: string,
  { deepest, most }: { readonly most: number; readonly deepest: number },
): Promise<{ readonly value: unknown } | { readonly why: string; readonly isMissing?: boolean }> {
  try {
    const text = decodeUtf8(readBounded(resolve(cwd, file), { most, pipe: true }));
    const parsed = text === null ? { problem: "encoding" } : parseJson(text, deepest);
    if ("value" in parsed) return parsed;
    return { why: parsed.problem === "depth" ? "it is nested too deep" : "it is not valid JSON" };
  } catch (error) {
    if (error instanceof NotReadable) return { why: error.message };
    if (hasCode(error, "ENOENT") || hasCode(error, "ENOTDIR")) return { why: "there is no such file", isMissing: true };
    return { why: `it can't be read: ${error instanceof Error ? error.message : String(error)}` };
  }
}
