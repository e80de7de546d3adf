import { randomUUID } from "node:crypto";
import { EdgewiseError } from "../core/errors.js";
import { hasCode } from "../files/file-errors.js";
import { openForAppending, type Workplace } from "../files/write-file.js";
import type { ApplyEvent } from "./run-context.js";

/** One JSON object per line (schemas/journal.schema.json), appended. @throws EdgewiseError `io` */
export async function openJournal(path: string, place: Workplace) {
  const file = await openForAppending(path, place);
  const run = randomUUID();
  let lines: string[] = [];
  let next: Promise<void> | null = null;
  let current: Promise<void> = Promise.resolve();
  const flush = async () => {
    current = next ?? Promise.resolve();
    next = null;
    const text = lines.join("");
    lines = [];
    try {
      await file.appendFile(text);
      await file.datasync().catch(ignoreUnsyncable);
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      const remedy = "Give --journal a file that can be written.";
      throw new EdgewiseError("io", `The journal ${path} can't be written: ${why}`, { remedy, cause });
    }
  };
  return {
    async write({ time, ...rest }: ApplyEvent): Promise<void> {
      lines.push(`${JSON.stringify({ time, run, ...rest })}\n`);
      // After a failed flush all fail: a journal has no gaps.
      next ??= current.then(flush);
      return next;
    },
    async close(): Promise<void> {
      await (next ?? current).catch(() => {});
      await file.close();
    },
  };
}

/** Pipes and devices can't be flushed. */
function ignoreUnsyncable(error: unknown): void {
  if (!hasCode(error, "EINVAL") && !hasCode(error, "ENOTSUP")) throw error;
}
