import { describe, expect, it } from "vitest";
import { type OutputFlags, commandIo } from "../../../src/commands/support/command-io.ts";
import { createServeLog } from "../../../src/commands/serve.ts";
import type { ServeEvent } from "../../../src/serve/serve-events.ts";
import { memoryIo } from "../../commands/memory-io.ts";

const commit = "0123456789abcdef0123456789abcdef01234567";
const changed = {
  event: "state-changed",
  stack: "prod",
  from: "synced",
  to: "waiting",
  reason: "approval",
  commit,
  impact: "security",
  message: "2 changes wait",
} as const;

function logged(flags: OutputFlags, all: readonly ServeEvent[]): readonly string[] {
  const io = memoryIo();
  const log = createServeLog(commandIo(io, flags));
  for (const event of all) log(event);
  return io.err().trimEnd().split("\n");
}

describe("the log of serve", () => {
  it("writes a line for people, whose first word is its subject", () => {
    const ended = {
      event: "apply-ended",
      stack: "prod",
      commit,
      outcome: "complete",
      verified: true,
      ms: 900,
    } as const;
    const failed = { event: "store-failed", message: "the disk is full" } as const;
    expect(logged({}, [changed, { ...changed, from: "waiting" }, ended, failed])).toEqual([
      "2023-11-14T22:13:20Z prod: synced → waiting (approval) at 0123456789ab: 2 changes wait",
      "2023-11-14T22:13:20Z prod: now waiting (approval) at 0123456789ab: 2 changes wait",
      "2023-11-14T22:13:20Z prod: apply of 0123456789ab ended: complete, verified, 900 ms",
      "2023-11-14T22:13:20Z error: the state can't be saved, so nothing is written to the service: the disk is full",
    ]);
  });

  it.each(["text", "json"] as const)("writes no control character, whatever others say (%s)", (logFormat) => {
    const message = "a\u001b[31m\n::error::\u202eb\r";
    const [line, ...more] = logged({ logFormat }, [
      { event: "source-failed", source: "edge", code: "missing", message },
    ]);
    expect(more).toEqual([]);
    expect(line).toMatch(/^[\x20-\x7e]+$/u);
  });
});
