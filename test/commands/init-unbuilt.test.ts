import { readdir } from "node:fs/promises";
import { expect, it, vi } from "vitest";
import { stage } from "./stage.ts";

vi.mock("../../src/own-files.ts", () => ({
  schemaText: async () => "{}",
  ownProgram: async () => {
    throw Object.assign(new Error("ENOENT: no such file"), { code: "ENOENT" });
  },
}));

it("init writes nothing when the program is not there as one file, and says what to do", async () => {
  const { run, dir } = await stage();
  const { exit, err } = await run("init", "repo");
  expect({ exit, err }).toEqual({ exit: 1, err: expect.stringContaining("dist/edgewise.mjs") });
  expect(err).toContain("npm run build");
  expect(err).toContain("--no-vendor");
  expect(await readdir(dir)).not.toContain("repo");
  expect(await run("init", "repo", "--no-vendor")).toMatchObject({ exit: 0 });
});
