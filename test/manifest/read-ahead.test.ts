import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type KnownFileCalls, ReadAhead } from "../../src/manifest/read-ahead.ts";
import { runs } from "../support/runs.ts";

/** A disk that counts. While `slow`, a file that is waited for takes 5 ms of its own clock. */
class CountingDisk implements KnownFileCalls {
  slow = false;
  readonly waited: string[] = [];
  readonly ahead: string[] = [];
  #inFlight = 0;
  mostInFlight = 0;
  #ms = 0;

  readonly clock = (): number => this.#ms;

  readonly now = (path: string): Buffer => {
    this.#ms += this.slow ? 5 : 0.01;
    this.waited.push(path);
    return Buffer.from(path);
  };

  readonly later = async (path: string): Promise<Buffer> => {
    this.ahead.push(path);
    this.#inFlight += 1;
    this.mostInFlight = Math.max(this.mostInFlight, this.#inFlight);
    await Promise.resolve();
    this.#inFlight -= 1;
    return Buffer.from(path);
  };
}

function announced(disk: CountingDisk, count: number) {
  const ahead = new ReadAhead(disk);
  const paths = Array.from({ length: count }, (_, index) => `${index}.yaml`);
  for (const path of paths) ahead.know(path, `/real/${path}`);
  ahead.announce(paths);
  return { ahead, paths };
}

describe("files whose real paths are known", () => {
  it("are read when they are asked for, each once, while the disk is quick", async () => {
    const disk = new CountingDisk();
    const { ahead, paths } = announced(disk, 500);
    for (const path of paths) expect(String(await ahead.read(path))).toBe(`/real/${path}`);
    expect(disk.waited).toEqual(paths.map((path) => `/real/${path}`));
    expect(disk.ahead).toEqual([]);
  });

  it("are read ahead in their order, each once and a few at a time, while the disk is slow", async () => {
    const disk = new CountingDisk();
    disk.slow = true;
    const { ahead, paths } = announced(disk, 500);
    for (const path of paths) expect(String(await ahead.read(path))).toBe(`/real/${path}`);
    expect(disk.ahead.length).toBeGreaterThan(450);
    expect(disk.ahead).toEqual(disk.ahead.toSorted((a, b) => paths.indexOf(a.slice(6)) - paths.indexOf(b.slice(6))));
    expect(new Set([...disk.waited, ...disk.ahead]).size).toBe(500);
    expect(disk.waited.length + disk.ahead.length).toBe(500);
    expect(disk.mostInFlight).toBeGreaterThan(4);
    expect(disk.mostInFlight).toBeLessThanOrEqual(17);
  });

  it("are not read far beyond the last one that was asked for", async () => {
    const disk = new CountingDisk();
    disk.slow = true;
    const { ahead, paths } = announced(disk, 10_000);
    for (const path of paths.slice(0, 100)) await ahead.read(path);
    expect(disk.waited.length + disk.ahead.length).toBeLessThanOrEqual(100 + 16);
  });

  it("are waited for again when the disk is quick again", async () => {
    const disk = new CountingDisk();
    disk.slow = true;
    const { ahead, paths } = announced(disk, 1000);
    for (const path of paths.slice(0, 200)) await ahead.read(path);
    const before = disk.ahead.length;
    disk.slow = false;
    for (const path of paths.slice(200)) await ahead.read(path);
    expect(disk.ahead.length - before).toBeLessThan(300);
  });

  it("give up their place when nobody asks for them", async () => {
    const disk = new CountingDisk();
    disk.slow = true;
    const { ahead, paths } = announced(disk, 2000);
    for (const path of paths.slice(0, 20)) await ahead.read(path);
    // Every second file is refused by its name, without being read.
    for (const path of paths.slice(20).filter((_, index) => index % 2 === 0)) await ahead.read(path);
    expect(disk.ahead.length).toBeGreaterThan(1000);
  });

  it("are given to whoever asks for them, in any order and more than once", async () => {
    const asked = fc.array(fc.tuple(fc.nat(60), fc.boolean()), { maxLength: 200 });
    await fc.assert(
      fc.asyncProperty(asked, async (requests) => {
        const disk = new CountingDisk();
        const { ahead } = announced(disk, 50);
        for (const [index, slow] of requests) {
          disk.slow = slow;
          const found = await ahead.read(`${index}.yaml`);
          expect(found === null ? null : String(found)).toBe(index < 50 ? `/real/${index}.yaml` : null);
        }
      }),
      runs(200),
    );
  });
});
