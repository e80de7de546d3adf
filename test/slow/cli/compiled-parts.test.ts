import { spawnSync } from "node:child_process";
import { cp, mkdir, readFile, readdir, rename, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { crc32 } from "node:zlib";
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

function run(dir: string, args: readonly string[], { node = [] as readonly string[], env = {} } = {}) {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [...node, join(dir, "dist/bin/edgewise.js"), ...args],
    {
      cwd: join(root, "examples/quickstart"),
      env: { PATH: process.env["PATH"], HOME: dir, ...env },
      encoding: "utf8",
    },
  );
  return { status, stdout, stderr };
}

describe("what the build compiled", () => {
  let expected: ReturnType<typeof run>;
  beforeAll(() => {
    expected = run(root, ["validate"]);
  });

  it("is used: V8 accepts it", async () => {
    const dir = await temporary();
    const hook = join(dir, "hook.cjs");
    await writeFile(
      hook,
      `const vm = require("node:vm"), { basename } = require("node:path");
      vm.Script = class extends vm.Script {
        constructor(code, options) {
          super(code, options);
          if (options.cachedData) console.error(basename(options.filename), this.cachedDataRejected);
        }
      };`,
    );
    const { stderr } = run(root, ["validate"], { node: ["--require", hook] });
    expect(expected).toMatchObject({ status: 0, stderr: "" });
    expect(stderr.trim().split("\n").toSorted()).toEqual([
      "client.js false",
      "first.js false",
      "names.js false",
      "shared.js false",
    ]);
  });

  it.each<[what: string, change: (part: string, kept: Buffer) => Promise<void>]>([
    ["missing", async (part) => rm(part)],
    ["empty", async (part) => writeFile(part, "")],
    ["cut short", async (part, kept) => writeFile(part, kept.subarray(0, kept.length / 2))],
    ["broken in one byte", async (part, kept) => writeFile(part, flipped(kept))],
    ["of something else", async (part) => writeFile(part, withChecksum(Buffer.alloc(5000, 7)))],
    [
      "a directory",
      async (part) => {
        await rm(part);
        await mkdir(part);
      },
    ],
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

  it("is left out when V8 has other flags", () => {
    expect(run(root, ["validate"], { node: ["--max-lazy"] })).toEqual(expected);
    expect(run(root, ["validate"], { env: { NODE_OPTIONS: "--max-old-space-size=200" } })).toEqual(expected);
  });
});

describe("the parts of the program", () => {
  it("load a package where they need one", async () => {
    const dir = await temporary();
    await writeFile(join(dir, "edgewise.yaml"), "apiVersion: edgewise/v1\nkind: Config\nstack: &name x\n");
    const { status, stderr } = run(root, ["validate", "-c", join(dir, "edgewise.yaml")]);
    expect({ status, stderr }).toMatchObject({ stderr: expect.not.stringContaining("bug") });
  });

  it("end with 13 when the program waits for what never comes, as modules do", async () => {
    const dir = await temporary();
    const hook = join(dir, "hook.cjs");
    await writeFile(hook, `require("node:fs/promises").readFile = () => new Promise(() => {});`);
    expect(run(root, ["schema", "TLSEdge"], { node: ["--require", hook] })).toEqual({
      status: 13,
      stdout: "",
      stderr: "",
    });
  });
});

function flipped(kept: Buffer): Buffer {
  const copy = Buffer.from(kept);
  const middle = Math.floor(copy.length / 2);
  copy[middle] = (copy[middle] ?? 0) ^ 0x55;
  return copy;
}

/** As the build writes it. */
function withChecksum(data: Buffer): Buffer {
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32LE(crc32(data));
  return Buffer.concat([checksum, data]);
}
