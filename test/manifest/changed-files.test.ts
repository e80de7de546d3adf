import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { diskTree } from "../../src/manifest/disk-tree.ts";
import { loadManifests } from "../../src/manifest/load-manifests.ts";
import { optionsFor, withFiles } from "./support/load-text.ts";

const backend = (name: string) =>
  `apiVersion: edgewise/v1\nkind: HTTPResponseBackend\nmetadata: {name: ${name}}\nspec: {status_code: 200}\n`;

it.each<readonly [what: string, change: (file: string) => void, code: string]>([
  ["a link that leads out", (file) => fs.symlinkSync("../../outside/a.yaml", file), "file-unreadable"],
  ["a pipe", (file) => execFileSync("mkfifo", [file]), "file-missing"],
  ["a directory", (file) => fs.mkdirSync(file), "file-missing"],
  ["a file beyond the limit", (file) => fs.writeFileSync(file, "x".repeat(9 * 1024 * 1024)), "file-too-large"],
])("a listed file that has become %s is not read", async (_what, change, code) => {
  const files = {
    "outside/a.yaml": backend("stolen"),
    "root/edge/a.yaml": backend("a"),
    "root/edge/b.yaml": backend("b"),
  };
  await withFiles(files, async (above) => {
    const root = join(above, "root");
    const tree = diskTree(root);
    const changed = {
      ...tree,
      list: async (directory: string) => {
        const list = await tree.list(directory);
        fs.rmSync(join(root, "edge/a.yaml"));
        change(join(root, "edge/a.yaml"));
        return list;
      },
    };
    const { diagnostics, manifests } = await loadManifests(optionsFor(root, { tree: changed, patterns: ["edge"] }));
    expect(diagnostics.map(({ code: found, file }) => `${file} ${found}`)).toEqual([`edge/a.yaml ${code}`]);
    expect(manifests.map(({ name }) => name)).toEqual(["b"]);
  });
});
