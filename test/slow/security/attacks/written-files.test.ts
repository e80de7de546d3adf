import {
  chmod,
  chown,
  link,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { existsSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { holdDirectory } from "../../../../src/files/hold-directory.ts";
import { fileTarget } from "../../../../src/files/write-target.ts";
import { backend, stage, type Ran, type Stage } from "../../../commands/stage.ts";

const before = "what was there before\n";
/** Only root can give a file to somebody else. */
const isRoot = userInfo().uid === 0;
const stranger = 54_321;

/** A directory that is gone after the test. */
async function temporary(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), "edgewise-outside-"));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  return dir;
}

/** A stage with one change to plan, as the checkout of a pull request. */
async function checkout(): Promise<Stage> {
  const on = await stage();
  await on.write("edge/all.yaml", backend("x"));
  await on.write("fleet.yaml", fleet(on));
  await on.write("key", on.sandbox.apiKey);
  await chmod(join(on.dir, "key"), 0o600);
  await on.write("saved.json", await (savedPlan ??= planned()));
  return on;
}

function fleet({ dir, sandbox }: Stage): string {
  return JSON.stringify({
    apiVersion: "edgewise/v1",
    kind: "Fleet",
    sources: { edge: { git: join(dir, "no-repository") } },
    accounts: { main: { baseUrl: sandbox.baseUrl, key: { file: "key" } } },
    stacks: { prod: { source: "edge", account: "main", stack: "demo" } },
  });
}

let savedPlan: Promise<string> | undefined;

/** A saved plan, to be shown. */
async function planned(): Promise<string> {
  const on = await stage();
  await on.write("edge/all.yaml", backend("x"));
  return (await on.run("plan", "-o", "json")).out;
}

/** Every command line that writes to a file of the operator's choice. */
const writers: readonly (readonly [string, (file: string) => readonly string[]])[] = [
  ["plan --out", (file) => ["plan", "--out", file]],
  ["plan --output-file", (file) => ["plan", "-o", "markdown", "--output-file", file]],
  ["validate --output-file", (file) => ["validate", "-o", "json", "--output-file", file]],
  ["drift --output-file", (file) => ["drift", "-o", "junit", "--output-file", file]],
  ["graph --output-file", (file) => ["graph", "--output-file", file]],
  ["schema --output-file", (file) => ["schema", "TLSEdge", "--output-file", file]],
  ["explain --output-file", (file) => ["explain", "TLSEdge", "--output-file", file]],
  ["export --output-file", (file) => ["export", "--all", "--output-file", file]],
  ["ping --output-file", (file) => ["ping", "--output-file", file]],
  ["pull --output-file", (file) => ["pull", "-y", "--output-file", file]],
  ["list --output-file", (file) => ["list", "--output-file", file]],
  ["stacks --output-file", (file) => ["stacks", "--output-file", file]],
  ["unlock --output-file", (file) => ["unlock", "-y", "--output-file", file]],
  ["show --output-file", (file) => ["show", "saved.json", "--output-file", file]],
  ["destroy --output-file", (file) => ["destroy", "-y", "--output-file", file]],
  ["serve --once --output-file", (file) => ["serve", "fleet.yaml", "--once", "--output-file", file]],
  ["apply --journal", (file) => ["apply", "-y", "--journal", file]],
  ["apply --out", (file) => ["apply", "-y", "--out", file]],
  ["sandbox --data", (file) => ["sandbox", "--data", file]],
];

function expectRefused({ exit, err }: Ran, because: string): void {
  expect({ exit, err }).toEqual({ exit: 1, err: expect.stringContaining(because) });
  expect(err).toContain("can't be written");
  expect(err).not.toContain("bug in edgewise");
}

describe("A pull request commits a symbolic link where the pipeline writes a file → the command fails and nothing behind the link changes", () => {
  it.each(writers)("%s", async (_, args) => {
    const on = await checkout();
    const outside = join(await temporary(), "bashrc");
    await writeFile(outside, before);
    await symlink(outside, join(on.dir, "result"));
    expectRefused(await on.run(...args("result")), "symbolic link");
    expect(await readFile(outside, "utf8")).toBe(before);
    expect(on.writes()).toBe(0);
  });

  it.each(writers)("%s, with nothing behind the link yet", async (_, args) => {
    const on = await checkout();
    const outside = await temporary();
    await symlink(join(outside, "new"), join(on.dir, "result"));
    expectRefused(await on.run(...args("result")), "symbolic link");
    expect(await readdir(outside)).toEqual([]);
  });
});

describe("A pull request commits a link to a directory on the way to a written file → the command fails and nothing is written there", () => {
  it.each(writers)("%s", async (_, args) => {
    const on = await checkout();
    const outside = await temporary();
    await symlink(outside, join(on.dir, "out"));
    expectRefused(await on.run(...args("out/result")), "symbolic link");
    expect(await readdir(outside)).toEqual([]);
  });

  it.each([
    [
      "a chain of links",
      "a",
      [
        ["a", "b"],
        ["b", "OUTSIDE"],
      ],
    ],
    ["a relative link upward", "a", [["a", "../../../../../../../../../OUTSIDE"]]],
    [
      "a link below a link that stays inside",
      "a/b",
      [
        ["a", "sub"],
        ["sub/b", "OUTSIDE"],
      ],
    ],
    ["a path that goes through the link and back", "edge/../a", [["a", "OUTSIDE"]]],
  ] as const)("%s", async (_, directory, links) => {
    const on = await checkout();
    const outside = await temporary();
    await mkdir(join(on.dir, "sub"));
    for (const [name, to] of links) await symlink(to.replace(/\/?OUTSIDE/, outside), join(on.dir, name));
    expectRefused(await on.run("plan", "--out", `${directory}/plan.json`), "symbolic link");
    // By its absolute name, too.
    expectRefused(await on.run("plan", "--out", join(on.dir, directory, "plan.json")), "symbolic link");
    expect(await readdir(outside)).toEqual([]);
  });

  it("export --out-dir", async () => {
    const on = await checkout();
    const outside = await temporary();
    on.behind("POST", "/backends/http_response", { status_code: 200 });
    await symlink(outside, join(on.dir, "exported"));
    expectRefused(await on.run("export", "--out-dir", "exported"), "symbolic link");
    expectRefused(await on.run("export", "--out-dir", "exported/below"), "symbolic link");
    await rm(join(on.dir, "exported"));
    await mkdir(join(on.dir, "exported"));
    await symlink(outside, join(on.dir, "exported", "http-response-backend"));
    expectRefused(await on.run("export", "--out-dir", "exported", "--split", "resource"), "symbolic link");
    expect(await readdir(outside)).toEqual([]);
  });

  it.each([
    ["edgewise.yaml", "a file"],
    ["edge", "a directory"],
    [".github", "a directory"],
    [".edgewise", "a directory"],
    [".gitignore", "a file"],
    [".gitattributes", "a file"],
  ])("init where %s is a link to %s", async (name, what) => {
    const on = await checkout();
    const outside = await temporary();
    await mkdir(join(on.dir, "new"));
    const to = join(outside, "target");
    if (what === "a directory") await mkdir(to);
    await symlink(to, join(on.dir, "new", name));
    expectRefused(await on.run("init", "new"), "symbolic link");
    expect(await readdir(outside, { recursive: true })).toEqual(what === "a directory" ? ["target"] : []);
  });
});

describe("A pull request commits a link in the repository, outside of the configuration's directory → a write through it is refused", () => {
  it.each(["reports", "edge-config/../reports"])("%s", async (directory) => {
    const on = await checkout();
    const outside = await temporary();
    await mkdir(join(on.dir, ".git"));
    await on.write("edge-config/edgewise.yaml", await on.read("edgewise.yaml"));
    await on.write("edge-config/edge/all.yaml", backend("x"));
    await symlink(outside, join(on.dir, "reports"));
    const { ran } = on.runWith({ cwd: join(on.dir, "edge-config") }, "plan", "--out", `../${directory}/plan.json`);
    expectRefused(await ran, "symbolic link");
    expect(await readdir(outside)).toEqual([]);
  });
});

describe("A pull request commits a link into a hidden directory such as .git → the command fails and Git's settings stay", () => {
  it.each([
    [".git/config", ".git/config"],
    [".git", ".git"],
    [".github/workflows/apply.yml", ".github/workflows/apply.yml"],
    [".edgewise/edgewise.mjs", ".edgewise/edgewise.mjs"],
  ])("%s", async (to, shown) => {
    const on = await checkout();
    await on.write(to === ".git" ? ".git/config" : to, before);
    await symlink(to, join(on.dir, "result"));
    expectRefused(await on.run("plan", "--output-file", to === ".git" ? "result/config" : "result"), shown);
    expect(await on.read(to === ".git" ? ".git/config" : to)).toBe(before);
  });
});

describe.skipIf(!isRoot)(
  "Another user of the machine places a link or a file in a shared directory (needs root to set up) → it is neither followed nor written",
  () => {
    async function shared(mode: number): Promise<string> {
      const dir = await temporary();
      await chmod(dir, mode);
      return dir;
    }

    it.each([
      ["a sticky directory like /tmp", 0o1777, "belongs to another user"],
      ["a directory that is not sticky", 0o777, "every user can replace files"],
    ])("a link in %s", async (_, mode, because) => {
      const on = await checkout();
      const dir = await shared(mode);
      const mine = join(await temporary(), "mine");
      await writeFile(mine, before);
      await symlink(mine, join(dir, "plan.json"));
      await lchownTo(join(dir, "plan.json"));
      for (const flag of ["--out", "--output-file"]) {
        expectRefused(await on.run("plan", flag, join(dir, "plan.json")), because);
      }
      expectRefused(await on.run("apply", "-y", "--journal", join(dir, "plan.json")), because);
      expect(await readFile(mine, "utf8")).toBe(before);
    });

    it("a link to a directory", async () => {
      const on = await checkout();
      const dir = await shared(0o1777);
      const mine = await temporary();
      await symlink(mine, join(dir, "out"));
      await lchownTo(join(dir, "out"));
      expectRefused(await on.run("plan", "--out", join(dir, "out", "plan.json")), "belongs to another user");
      expect(await readdir(mine)).toEqual([]);
    });

    it("a link in a private directory of theirs", async () => {
      const on = await checkout();
      const dir = await temporary();
      await symlink(await temporary(), join(dir, "out"));
      await lchownTo(join(dir, "out"));
      expectRefused(await on.run("plan", "--out", join(dir, "out", "plan.json")), "belongs to another user");
    });

    it.each(["/", "the directory above"])("a link in a private directory of theirs, from %s", async (from) => {
      const on = await checkout();
      const dir = await temporary();
      const mine = await temporary();
      await mkdir(join(dir, "theirs"));
      await chown(join(dir, "theirs"), stranger, stranger);
      await symlink(mine, join(dir, "theirs", "out"));
      await lchownTo(join(dir, "theirs", "out"));
      const options = { cwd: from === "/" ? "/" : dir };
      const file = join(dir, "theirs", "out", "plan.json");
      const { ran } = on.runWith(options, "schema", "TLSEdge", "--output-file", file);
      expectRefused(await ran, "belongs to another user");
      expect(await readdir(mine)).toEqual([]);
    });

    it.each(["--out", "--output-file", "--journal"])("a file that they own and can read: %s", async (flag) => {
      const on = await checkout();
      const dir = await shared(0o1777);
      await writeFile(join(dir, "plan.json"), before);
      await chown(join(dir, "plan.json"), stranger, stranger);
      const command = flag === "--journal" ? ["apply", "-y"] : ["plan"];
      expectRefused(await on.run(...command, flag, join(dir, "plan.json")), "belongs to another user");
      expect(await readFile(join(dir, "plan.json"), "utf8")).toBe(before);
      expect(on.writes()).toBe(0);
    });

    it("a hard link to a file of one's own", async () => {
      const on = await checkout();
      const dir = await shared(0o1777);
      const mine = join(await temporary(), "mine");
      await writeFile(mine, before);
      await link(mine, join(dir, "journal"));
      expectRefused(await on.run("apply", "-y", "--journal", join(dir, "journal")), "hard link");
      expect(await readFile(mine, "utf8")).toBe(before);
    });
  },
);

describe.skipIf(!isRoot)(
  "Another user exchanges a directory of theirs for a link while a file is written into it (needs root to set up) → nothing is written into a directory that somebody else can exchange",
  () => {
    it.each(writers)("%s", async (_, args) => {
      const on = await checkout();
      const dir = await temporary();
      await mkdir(join(dir, "theirs", "sub"), { recursive: true });
      for (const name of ["theirs", "theirs/sub"]) await chown(join(dir, name), stranger, stranger);
      expectRefused(await on.run(...args(join(dir, "theirs", "sub", "file"))), "belongs to another user");
      expect(await readdir(join(dir, "theirs", "sub"))).toEqual([]);
      expect(on.writes()).toBe(0);
    });

    it("a directory of one's own below theirs", async () => {
      const on = await checkout();
      const dir = await temporary();
      await mkdir(join(dir, "theirs", "mine"), { recursive: true });
      await chown(join(dir, "theirs"), stranger, stranger);
      expectRefused(await on.run("plan", "--out", join(dir, "theirs", "mine", "plan")), "belongs to another user");
      expectRefused(await on.run("export", "--all", "--out-dir", join(dir, "theirs", "mine", "new")), "another user");
      expect(await readdir(join(dir, "theirs", "mine"))).toEqual([]);
    });

    it("a directory below one that every user can write", async () => {
      const on = await checkout();
      const dir = await temporary();
      await mkdir(join(dir, "mine"));
      await chmod(dir, 0o777);
      expectRefused(await on.run("plan", "--out", join(dir, "mine", "plan")), "every user can replace files");
      await chmod(dir, 0o1777);
      expect((await on.run("plan", "--out", join(dir, "mine", "plan"))).exit).not.toBe(1);
    });
  },
);

describe("A directory is exchanged for a link after it was checked → the file is written where the check found it, or not at all", () => {
  async function places(): Promise<{ readonly at: (name: string) => string; readonly exchange: () => Promise<void> }> {
    const dir = await realpath(await temporary());
    await mkdir(join(dir, "above", "out"), { recursive: true });
    await mkdir(join(dir, "secret", "out"), { recursive: true });
    return {
      at: (name) => join(dir, name),
      exchange: async () => {
        await rename(join(dir, "above"), join(dir, "moved"));
        await symlink("secret", join(dir, "above"));
      },
    };
  }

  it("before it is opened, and with it what the check saw of the file", async () => {
    const { at, exchange } = await places();
    const target = fileTarget(at("above/out/plan"), { cwd: at("") });
    await exchange();
    expect(() => holdDirectory("plan", target)).toThrow("was replaced meanwhile");
  });

  it.each(["a new file", "a file that was there"])("the directory itself, before it is opened: %s", async (name) => {
    const { at } = await places();
    if (name !== "a new file") await writeFile(at("above/out/plan"), before);
    const target = fileTarget(at("above/out/plan"), { cwd: at("") });
    await rename(at("above/out"), at("moved"));
    await symlink("../secret/out", at("above/out"));
    expect(() => holdDirectory("plan", target)).toThrow("can't be written");
  });

  it("the file, before the directory is opened", async () => {
    const { at } = await places();
    const target = fileTarget(at("above/out/plan"), { cwd: at("") });
    await symlink(at("secret/out/plan"), at("above/out/plan"));
    expect(() => holdDirectory("plan", target)).toThrow("was replaced meanwhile");
  });

  it.runIf(existsSync("/proc/self/fd"))("after it was opened", async () => {
    const { at, exchange } = await places();
    const held = holdDirectory("plan", fileTarget(at("above/out/plan"), { cwd: at("") }));
    onTestFinished(held.close);
    await exchange();
    await writeFile(held.file, before);
    expect(await readdir(at("secret/out"))).toEqual([]);
    expect(await readFile(at("moved/out/plan"), "utf8")).toBe(before);
  });
});

describe("A plan, journal or report is read by other users of the machine → the file is its owner's alone, also where it was readable before", () => {
  it.each(writers.filter(([name]) => name !== "sandbox --data"))("%s", async (_, args) => {
    const on = await checkout();
    on.behind("POST", "/backends/http_response", { status_code: 200 });
    await on.run(...args("new"));
    expect((await stat(join(on.dir, "new"))).mode & 0o777).toBe(0o600);
    await on.write("old", "");
    await chmod(join(on.dir, "old"), 0o644);
    await on.run(...args("old"));
    expect((await stat(join(on.dir, "old"))).mode & 0o777).toBe(0o600);
    expect((await stat(join(on.dir, "old"))).size).toBeGreaterThan(0);
  });
});

async function lchownTo(path: string): Promise<void> {
  const { lchown } = await import("node:fs/promises");
  await lchown(path, stranger, stranger);
  expect((await lstat(path)).uid).toBe(stranger);
}
