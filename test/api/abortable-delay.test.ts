import { describe, expect, it } from "vitest";
import { abortableDelay } from "../../src/api/system-clock.ts";

const forEver = 1e9;

describe("a delay", () => {
  it("ends by itself", async () => {
    await expect(abortableDelay(1)).resolves.toBeUndefined();
    await expect(abortableDelay(1, new AbortController().signal)).resolves.toBeUndefined();
  });

  it("ends at once when it is aborted, before or while it lasts", async () => {
    const stop = new AbortController();
    const delay = abortableDelay(forEver, stop.signal);
    stop.abort();
    await expect(delay).resolves.toBeUndefined();
    await expect(abortableDelay(forEver, stop.signal)).resolves.toBeUndefined();
  });
});
