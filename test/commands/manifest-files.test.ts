import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { commandIo } from "../../src/commands/support/command-io.ts";
import { readManifestFiles, writeRewrites } from "../../src/commands/pull.ts";
import { diskTree } from "../../src/manifest/file-tree.ts";
import { memoryIo } from "./memory-io.ts";

it("says which files were written when one can't be, and exits with 3", async () => {
  const dir = await mkdtemp(join(tmpdir(), "edgewise-test-"));
  onTestFinished(() => rm(dir, { recursive: true }));
  for (const name of ["a", "b"]) {
    await mkdir(join(dir, name));
    await writeFile(join(dir, name, "m.yaml"), "old\n");
  }
  const tree = diskTree(dir);
  const files = await readManifestFiles(tree, ["a/m.yaml", "b/m.yaml"]);
  await rm(join(dir, "b"), { recursive: true });
  const rewrites = files.map((file) => ({ file, text: "new\n" }));
  const io = commandIo(memoryIo({ cwd: dir }), {});
  const written = writeRewrites(rewrites, io, tree);
  await expect(written).rejects.toMatchObject({
    exit: 3,
    message: expect.stringContaining("already written: a/m.yaml"),
  });
  expect(await readFile(join(dir, "a/m.yaml"), "utf8")).toBe("new\n");
  await expect(writeRewrites(rewrites.slice(1), io, tree)).rejects.toMatchObject({ exit: 1 });
});
