import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { KnownDirectory } from "../../src/files/read-known-file.ts";
import { type KnownFileCalls, ReadAhead } from "../../src/manifest/read-ahead.ts";
import { runs } from "../support/runs.ts";

/** A disk that counts. While `slow`, a file that is waited for takes 5 ms of its own clock. */
class CountingDisk implements KnownFileCalls {
  slow = false;
  /** The bytes of each file beside its path. */
  more = 0;
  readonly waited: string[] = [];
  /** How often a directory was opened, and how many are open. */
  opened = 0;
  open = 0;
  readonly ahead: string[] = [];
  #inFlight = 0;
  mostInFlight = 0;
  #ms = 0;

  readonly clock = (): number => this.#ms;

  readonly directory = (path: string): KnownDirectory => {
    this.opened += 1;
    this.open += 1;
    return {
      read: (name) => {
        this.#ms += this.slow ? 5 : 0.01;
        this.waited.push(`${path}/${name}`);
        return Buffer.from(`${path}/${name}`.padEnd(this.more));
      },
      close: () => {
        this.open -= 1;
      },
    };
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
  for (const path of paths) ahead.know(path, "/real");
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
    expect(disk.open).toBe(0);
  });

  it("are read together with those that follow in the same directory", async () => {
    const disk = new CountingDisk();
    const ahead = new ReadAhead(disk);
    const paths = ["a", "b", "c"].flatMap((name) => Array.from({ length: 50 }, (_, index) => `${name}/${index}.yaml`));
    for (const path of paths) ahead.know(path, `/real/${path.slice(0, 1)}`);
    ahead.announce(paths);
    for (const path of paths) expect(String(await ahead.read(path))).toBe(`/real/${path}`);
    expect(disk.waited).toEqual(paths.map((path) => `/real/${path}`));
    expect(disk.opened).toBe(3);
  });

  it("are held up to a number of files and bytes", async () => {
    const disk = new CountingDisk();
    const { ahead, paths } = announced(disk, 1000);
    await ahead.read(paths[0] ?? "");
    expect(disk.waited).toHaveLength(1 + 64);
    disk.more = 100 * 1024;
    await ahead.read(paths[65] ?? "");
    expect(disk.waited).toHaveLength(65 + 1 + 3);
  });

  it("are read alone when they are asked for before their turn, and not again in their turn", async () => {
    const disk = new CountingDisk();
    const { ahead, paths } = announced(disk, 1000);
    const early = paths.filter((_, index) => index % 100 === 99).toReversed();
    for (const path of early) expect(String(await ahead.read(path))).toBe(`/real/${path}`);
    expect(disk.waited).toEqual(early.map((path) => `/real/${path}`));
    for (const path of paths) if (!early.includes(path)) expect(String(await ahead.read(path))).toBe(`/real/${path}`);
    expect(disk.waited).toHaveLength(1000);
    expect(new Set(disk.waited).size).toBe(1000);
  });

  it("are read again when they are asked for again", async () => {
    const disk = new CountingDisk();
    const { ahead, paths } = announced(disk, 3);
    for (const path of [...paths, ...paths]) await ahead.read(path);
    expect(disk.waited).toHaveLength(6);
  });

  it("are not held any longer when others are announced", async () => {
    const disk = new CountingDisk();
    const { ahead, paths } = announced(disk, 3);
    await ahead.read(paths[0] ?? "");
    disk.more = 100;
    ahead.announce([]);
    expect((await ahead.read(paths[1] ?? ""))?.length).toBe(100);
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
