import { symlink } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { diskTree } from "../../src/manifest/file-tree.ts";
import { findFiles } from "../../src/manifest/find-files.ts";
import { withFiles, type Files } from "./support/load-text.ts";

const tree: Files = {
  "edge/a.yaml": "",
  "edge/b.yml": "",
  "edge/README.md": "",
  "edge/eu/c.yaml": "",
  "edge/eu/deep/d.yaml": "",
  "edge/us/e.yaml": "",
  "edge/.hidden/f.yaml": "",
  "edge/.g.yaml": "",
  "other/h.json": "",
  "odd[1]{x}.yaml": "",
  "empty/": "",
};

async function found(patterns: readonly string[], base = ""): Promise<readonly string[]> {
  return withFiles(tree, async (root) => {
    const { files, problems } = await findFiles(diskTree(root), patterns, join(root, base));
    return [...files, ...problems.map(({ code, pattern }) => `${code} ${pattern}`)];
  });
}

describe("patterns", () => {
  it.each([
    [["edge"], ["edge/a.yaml", "edge/b.yml", "edge/eu/c.yaml", "edge/eu/deep/d.yaml", "edge/us/e.yaml"]],
    [
      ["edge/", "./edge/a.yaml", "edge/*.yaml"],
      ["edge/a.yaml", "edge/b.yml", "edge/eu/c.yaml", "edge/eu/deep/d.yaml", "edge/us/e.yaml"],
    ],
    [["edge/*.yaml"], ["edge/a.yaml"]],
    [["edge/**/*.yaml"], ["edge/a.yaml", "edge/eu/c.yaml", "edge/eu/deep/d.yaml", "edge/us/e.yaml"]],
    [["edge/{eu/{c,x},us/e}.yaml"], ["edge/eu/c.yaml", "edge/us/e.yaml"]],
    [["edge/e*"], ["edge/eu/c.yaml", "edge/eu/deep/d.yaml"]],
    [["**/deep"], ["edge/eu/deep/d.yaml"]],
    [["other/*.json"], ["other/h.json"]],
    [["odd[1]{x}.yaml"], ["odd[1]{x}.yaml"]],
    [
      ["empty", "nowhere", "no/*.yaml"],
      ["pattern-no-match empty", "pattern-no-match nowhere", "pattern-no-match no/*.yaml"],
    ],
    [["edge/.hidden"], ["file-hidden edge/.hidden"]],
    [
      ["../x", "edge/../../x", "/etc/passwd"],
      ["file-outside ../x", "file-outside edge/../../x", "file-outside /etc/passwd"],
    ],
  ])("%j", async (patterns, expected) => {
    expect(await found(patterns)).toEqual(expected);
  });

  it("are relative to their base, and may go up as long as they stay inside", async () => {
    expect(await found(["*.yaml", "../us"], "edge/eu")).toEqual(["edge/eu/c.yaml", "edge/us/e.yaml"]);
  });

  it("give a file once, whichever links lead to it, and survive loops", async () => {
    await withFiles({ "edge/a.yaml": "", "edge/sub/b.yaml": "" }, async (root) => {
      await symlink("a.yaml", join(root, "edge/z.yaml"));
      await symlink("..", join(root, "edge/sub/loop"));
      await symlink("sub", join(root, "edge/again"));
      const { files, problems } = await findFiles(diskTree(root), ["edge"], root);
      expect(files).toEqual(["edge/a.yaml", "edge/sub/b.yaml"]);
      expect(problems).toEqual([]);
    });
  });
});
