import { describe, expect, it } from "vitest";
import { withStatusLine } from "../../src/commands/support/log.ts";
import { memoryIo } from "./memory-io.ts";

const gone = "\r\u001b[K";

describe("withStatusLine", () => {
  it("takes the line away before anything else is written, and shows it once at a time", async () => {
    const terminal = memoryIo({ terminal: true });
    const { io, status } = withStatusLine(terminal, true);
    status.show("one");
    status.show("two");
    io.stderr("said\n");
    io.stderr("more\n");
    status.show("three");
    io.stdout("result\n");
    status.clear();
    expect(terminal.err()).toBe(`one${gone}two${gone}said\nmore\nthree${gone}`);
    expect(terminal.out()).toBe("result\n");
  });

  it("keeps a pinned text below everything else", () => {
    const terminal = memoryIo({ terminal: true });
    const { io, status } = withStatusLine(terminal, true);
    status.pin("bar");
    status.pin("bar");
    expect(status.isPinned()).toBe(true);
    io.stderr("said\n");
    io.stderr("unfinished");
    io.stderr(" line\n");
    status.clear();
    io.stderr("more\n");
    expect(status.isPinned()).toBe(false);
    expect(terminal.err()).toBe(`bar${gone}said\nbar${gone}unfinished line\nbar${gone}more\n`);
  });
});
