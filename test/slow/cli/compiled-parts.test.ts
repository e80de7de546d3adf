import { spawnSync } from "node:child_process";
import { cp, readFile, readdir, rename, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { root } from "../../repository/source-files.ts";
import { temporary } from "../../support/cli.ts";

/** The built program, with packages and schemas beside it, in a directory that may be changed. */
async function copied() {
  const dir = await temporary();
  await cp(join(root, "dist"), join(dir, "dist"), { recursive: true });
  for (const name of ["node_modules", "schemas", "package.json"]) await symlink(join(root, name), join(dir, name));
  const compiled = join(dir, "dist/bin/compiled");
  const [version = ""] = await readdir(compiled);
  return { dir, compiled, version, parts: join(compiled, version) };
}

function run(dir: string, args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(dir, "dist/bin/edgewise.js"), ...args], {
    cwd: join(root, "examples/quickstart"),
    env: { PATH: process.env["PATH"], HOME: dir },
    encoding: "utf8",
  });
  return { status, stdout, stderr };
}

describe("what the build compiled", () => {
  let expected: ReturnType<typeof run>;
  beforeAll(() => {
    expected = run(root, ["validate"]);
  });

  it.each<[what: string, change: (part: string, kept: Buffer) => Promise<void>]>([
    ["missing", async (part) => rm(part)],
    ["broken in one byte", async (part, kept) => writeFile(part, flipped(kept))],
  ])("is left out when it is %s", async (_, change) => {
    const { dir, parts } = await copied();
    for (const name of await readdir(parts)) await change(join(parts, name), await readFile(join(parts, name)));
    expect(run(dir, ["validate"])).toEqual(expected);
  });

  it("is left out by another version of V8, which then keeps nothing outside of the user's cache", async () => {
    const { dir, compiled, version } = await copied();
    await rename(join(compiled, version), join(compiled, `0.${version}`));
    const before = await readdir(dir, { recursive: true });
    expect(run(dir, ["validate"])).toEqual(expected);
    expect(await readdir(dir, { recursive: true })).toEqual(before);
  });
});

function flipped(kept: Buffer): Buffer {
  const copy = Buffer.from(kept);
  const middle = Math.floor(copy.length / 2);
  copy[middle] = (copy[middle] ?? 0) ^ 0x55;
  return copy;
}
