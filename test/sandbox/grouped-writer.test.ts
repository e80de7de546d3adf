import { describe, expect, it } from "vitest";
import { GroupedWriter } from "../../src/sandbox/grouped-writer.ts";

/** Lets writes be finished one by one. */
function pausedWriter() {
  const waiting: (() => void)[] = [];
  let running = 0;
  let most = 0;
  const written: number[] = [];
  const write = async (changes: readonly string[]): Promise<void> => {
    written.push(changes.length);
    running += 1;
    most = Math.max(most, running);
    await new Promise<void>((resolve) => waiting.push(resolve));
    running -= 1;
  };
  return { write, written, waiting, most: () => most };
}

const never = (error: unknown): never => {
  throw error;
};

describe("a grouped writer", () => {
  it("writes once for changes that come together, and never twice at once", async () => {
    const { write, written, waiting, most } = pausedWriter();
    const writer = new GroupedWriter(write, never);
    for (let n = 0; n < 10; n++) writer.changed(["change"]);
    await expect.poll(() => waiting.length).toBe(1);
    writer.changed(["change"]);
    writer.changed(["change"]);
    waiting[0]?.();
    await expect.poll(() => waiting.length).toBe(2);
    waiting[1]?.();
    await writer.close();
    expect(written).toEqual([10, 2]);
    expect(most()).toBe(1);
  });

  it("calls a change saved when a write that began after it has ended", async () => {
    const { write, waiting } = pausedWriter();
    const writer = new GroupedWriter(write, never);
    const saved: string[] = [];
    writer.changed(["change"]);
    void writer.saved().then(() => saved.push("first"));
    await expect.poll(() => waiting.length).toBe(1);
    writer.changed(["change"]);
    void writer.saved().then(() => saved.push("second"));
    waiting[0]?.();
    await expect.poll(() => waiting.length).toBe(2);
    expect(saved).toEqual(["first"]);
    waiting[1]?.();
    await expect.poll(() => saved).toEqual(["first", "second"]);
    await writer.saved();
  });

  it("writes nothing when nothing changed", async () => {
    const { write, waiting } = pausedWriter();
    const writer = new GroupedWriter(write, never);
    await writer.saved();
    await writer.close();
    expect(waiting).toEqual([]);
  });

  it("reports a failed write, and tries it again with the next change and at the end", async () => {
    const errors: unknown[] = [];
    let works = false;
    const sizes: number[] = [];
    const write = async (changes: readonly string[]): Promise<void> => {
      sizes.push(changes.length);
      if (!works) throw new Error("full");
    };
    const writer = new GroupedWriter(write, (error) => errors.push(error));
    writer.changed(["change"]);
    await expect(writer.saved()).rejects.toThrow("full");
    expect(errors).toHaveLength(1);
    // What reads only is not held up by it.
    await writer.saved();
    await expect(writer.confirmed()).rejects.toThrow("full");
    await expect(writer.close()).rejects.toThrow("full");
    works = true;
    await writer.close();
    expect(sizes).toEqual([1, 1, 1, 1]);
  });
});
