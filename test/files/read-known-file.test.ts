import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import { mkdir, mkdtemp, realpath, rename, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { openKnownDirectory, readKnownFile, readKnownFileSync } from "../../src/files/read-known-file.ts";

vi.mock("node:fs", { spy: true });

let top: string;
const at = (path: string): string => join(top, path);

beforeEach(async () => {
  top = await realpath(await mkdtemp(join(tmpdir(), "edgewise-known-file-")));
  await mkdir(at("edge/inner"), { recursive: true });
  await mkdir(at("outside"));
  await writeFile(at("edge/a.yaml"), "inside");
  await writeFile(at("edge/large.yaml"), Buffer.alloc(256 * 1024 + 1));
  await writeFile(at("outside/a.yaml"), "outside");
  await symlink("../outside/a.yaml", at("edge/link.yaml"));
  execFileSync("mkfifo", [at("edge/pipe.yaml")]);
});

afterEach(async () => rm(top, { recursive: true, force: true }));

/** Reads with a directory that was opened for it, and closes it. */
function readIn(directory: string, name: string): Buffer | null {
  const opened = openKnownDirectory(directory);
  if (opened === null) return null;
  try {
    return opened.read(name);
  } finally {
    opened.close();
  }
}

/** Runs `use` as on a system that doesn't say where an open file is. */
async function withoutPlaces<T>(use: () => T): Promise<T> {
  const { readlinkSync } = await vi.importActual<typeof fs>("node:fs");
  vi.mocked(fs.readlinkSync).mockImplementation(() => {
    throw new Error("there is no /proc");
  });
  try {
    return use();
  } finally {
    vi.mocked(fs.readlinkSync).mockImplementation(readlinkSync);
  }
}

const ways: readonly (readonly [string, (directory: string, name: string) => Promise<Buffer | null>])[] = [
  ["alone", async (directory, name) => readKnownFileSync(join(directory, name))],
  ["by another thread", async (directory, name) => readKnownFile(join(directory, name))],
  ["in an open directory", async (directory, name) => readIn(directory, name)],
  ["in an open directory without a place", async (directory, name) => withoutPlaces(() => readIn(directory, name))],
];

describe.each(ways)("a known file that is read %s", (_way, read) => {
  it("is a small regular file", async () => {
    expect(String(await read(at("edge"), "a.yaml"))).toBe("inside");
  });

  it.each(["gone.yaml", "inner", "large.yaml", "link.yaml", "pipe.yaml", "bad\0name"])("is not %j", async (name) => {
    expect(await read(at("edge"), name)).toBeNull();
  });

  it("is not in a directory that is a link, or below one", async () => {
    await rename(at("edge"), at("old"));
    await symlink("outside", at("edge"));
    expect(await read(at("edge"), "a.yaml")).toBeNull();
    await mkdir(at("outside/inner"));
    await writeFile(at("outside/inner/a.yaml"), "outside");
    expect(await read(at("edge/inner"), "a.yaml")).toBeNull();
  });
});

describe("an open directory", () => {
  it("stays the one that was opened when a link takes its place", async () => {
    const opened = openKnownDirectory(at("edge"));
    await rename(at("edge"), at("old"));
    await symlink("outside", at("edge"));
    // Where the system doesn't say where an open file is, the file has no place any more.
    const expected = process.platform === "linux" ? "inside" : "null";
    expect(String(opened?.read("a.yaml") ?? null)).toBe(expected);
    opened?.close();
  });

  it("is not one that is a link, or below one, or gone, or a file", async () => {
    await symlink("edge", at("linked"));
    for (const path of ["linked", "linked/inner", "gone", "edge/a.yaml"])
      expect(openKnownDirectory(at(path))).toBeNull();
  });
});
