import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { overlaidTree } from "../../src/commands/support/manifest-files.ts";
import { diskTree } from "../../src/manifest/disk-tree.ts";
import { loadManifests } from "../../src/manifest/load-manifests.ts";
import { type KnownFileCalls, knownFileCalls } from "../../src/manifest/read-ahead.ts";
import { optionsFor, withFiles } from "./support/load-text.ts";

const backend = (name: string) =>
  `apiVersion: edgewise/v1\nkind: HTTPResponseBackend\nmetadata: {name: ${name}}\nspec: {status_code: 200}\n`;

/** A clock that makes every file look slow. */
function slowCalls(calls: KnownFileCalls = knownFileCalls): KnownFileCalls {
  let ms = 0;
  return { ...calls, clock: () => (ms += 50) };
}

describe("what changes between the listing of a directory and the reading of its files", () => {
  const outside = { "outside/a.yaml": backend("stolen"), "outside/b.yaml": backend("stolen-too") };
  const inside = { "root/edge/a.yaml": backend("a"), "root/edge/b.yaml": backend("b") };

  /** Changes the files after they were listed, and before the first is read. */
  async function loadAfter(change: (root: string) => void, make: (calls: KnownFileCalls) => KnownFileCalls) {
    return withFiles({ ...outside, ...inside }, async (above) => {
      const root = join(above, "root");
      const tree = diskTree(root, make(knownFileCalls));
      const late = {
        ...tree,
        list: async (directory: string) => {
          const list = await tree.list(directory);
          change(root);
          return list;
        },
      };
      return loadManifests(optionsFor(root, { tree: late, patterns: ["edge"] }));
    });
  }

  const changes: readonly (readonly [string, (root: string) => void, readonly string[]])[] = [
    [
      "a file becomes a link that leads out",
      (root) => {
        fs.rmSync(join(root, "edge/a.yaml"));
        fs.symlinkSync("../../outside/a.yaml", join(root, "edge/a.yaml"));
      },
      ["edge/a.yaml file-outside"],
    ],
    [
      "a directory becomes a link that leads out",
      (root) => {
        fs.renameSync(join(root, "edge"), join(root, "old"));
        fs.symlinkSync("../outside", join(root, "edge"));
      },
      ["edge/a.yaml file-outside", "edge/b.yaml file-outside"],
    ],
    [
      "a file becomes a pipe",
      (root) => {
        fs.rmSync(join(root, "edge/a.yaml"));
        execFileSync("mkfifo", [join(root, "edge/a.yaml")]);
      },
      ["edge/a.yaml file-missing"],
    ],
    [
      "a file becomes a directory",
      (root) => {
        fs.rmSync(join(root, "edge/a.yaml"));
        fs.mkdirSync(join(root, "edge/a.yaml"));
      },
      ["edge/a.yaml file-missing"],
    ],
    [
      "a file grows beyond the limit",
      (root) => fs.writeFileSync(join(root, "edge/b.yaml"), "x".repeat(9 * 1024 * 1024)),
      ["edge/b.yaml file-too-large"],
    ],
  ];

  it.each(changes)("%s", async (_what, change, expected) => {
    for (const make of [(calls: KnownFileCalls) => calls, slowCalls]) {
      const { diagnostics, manifests } = await loadAfter(change, make);
      expect(diagnostics.map(({ code, file }) => `${file} ${code}`)).toEqual(expected);
      expect(manifests.map(({ name }) => name)).not.toContain("stolen");
    }
  });
});

it("a file that is given with another content is read from disk when it is asked for there", async () => {
  const three = { "edge/0.yaml": backend("b-0"), "edge/1.yaml": backend("b-1"), "edge/2.yaml": backend("b-2") };
  await withFiles(three, async (root) => {
    const disk = diskTree(root);
    const texts = new Map([["edge/1.yaml", backend("other")]]);
    const load = loadManifests(optionsFor(root, { tree: overlaidTree(disk, texts), patterns: ["edge"] }));
    expect((await load).manifests.map(({ name }) => name)).toEqual(["b-0", "b-2", "other"]);
    fs.writeFileSync(join(root, "edge/1.yaml"), "changed meanwhile");
    expect(String(await disk.read("edge/1.yaml"))).toBe("changed meanwhile");
  });
});
