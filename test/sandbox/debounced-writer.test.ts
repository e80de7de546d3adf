import { describe, expect, it } from "vitest";
import { DebouncedWriter } from "../../src/sandbox/debounced-writer.ts";

/** Lets writes be finished one by one. */
function pausedWriter() {
  const waiting: (() => void)[] = [];
  let running = 0;
  let most = 0;
  let count = 0;
  const write = async (): Promise<void> => {
    count += 1;
    running += 1;
    most = Math.max(most, running);
    await new Promise<void>((resolve) => waiting.push(resolve));
    running -= 1;
  };
  return { write, waiting, count: () => count, most: () => most };
}

const never = (error: unknown): never => {
  throw error;
};

describe("a keeper", () => {
  it("shares one write among changes that come together, and never writes twice at once", async () => {
    const { write, waiting, count, most } = pausedWriter();
    const keeper = new DebouncedWriter(write, never, 1);
    for (let n = 0; n < 10; n++) keeper.changed();
    await expect.poll(() => waiting.length).toBe(1);
    keeper.changed();
    keeper.changed();
    waiting[0]?.();
    await expect.poll(() => waiting.length).toBe(2);
    waiting[1]?.();
    await keeper.close();
    expect(count()).toBe(2);
    expect(most()).toBe(1);
  });

  it("writes at the end what changed during the last write, and nothing afterwards", async () => {
    const { write, waiting, count, most } = pausedWriter();
    const keeper = new DebouncedWriter(write, never, 1);
    keeper.changed();
    await expect.poll(() => waiting.length).toBe(1);
    keeper.changed();
    const closed = keeper.close();
    waiting[0]?.();
    await expect.poll(() => waiting.length).toBe(2);
    waiting[1]?.();
    await closed;
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(count()).toBe(2);
    expect(most()).toBe(1);
  });

  it("writes nothing when nothing changed", async () => {
    const { write, count } = pausedWriter();
    await new DebouncedWriter(write, never).close();
    expect(count()).toBe(0);
  });

  it("tries again at the end what failed", async () => {
    const errors: unknown[] = [];
    let works = false;
    const write = async (): Promise<void> => {
      if (!works) throw new Error("full");
    };
    const keeper = new DebouncedWriter(write, (error) => errors.push(error), 1);
    keeper.changed();
    await expect.poll(() => errors.length).toBe(1);
    works = true;
    await keeper.close();
    const other = new DebouncedWriter(
      () => Promise.reject(new Error("full")),
      () => {},
      10_000,
    );
    other.changed();
    await expect(other.close()).rejects.toThrow("full");
  });
});
