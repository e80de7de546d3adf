import { afterEach, describe, expect, it, vi } from "vitest";
import { showUncaughtErrors } from "../../src/commands/support/process-io.ts";
import { memoryIo } from "./memory-io.ts";

describe("an error that nothing catches", () => {
  const warnings = process.listeners("warning");
  const uncaught = process.listeners("uncaughtException");

  afterEach(() => {
    vi.restoreAllMocks();
    process.removeAllListeners("warning").removeAllListeners("uncaughtException");
    for (const listener of warnings) process.on("warning", listener);
    for (const listener of uncaught) process.on("uncaughtException", listener);
  });

  it("is shown as a bug", async () => {
    const io = memoryIo();
    const exits = new Promise((resolve) => {
      vi.spyOn(process, "exit").mockImplementation((code) => {
        resolve(code);
        return undefined as never;
      });
    });
    showUncaughtErrors(io);
    io.stderr("warning: early\n");
    const [own] = process.listeners("uncaughtException").filter((listener) => !uncaught.includes(listener));
    own?.(new TypeError("broken step"), "uncaughtException");
    expect(await exits).toBe(1);
    expect(io.err()).toMatch(/^warning: early\nerror: this is a bug in edgewise .*: TypeError: broken step\n/u);
  });
});
