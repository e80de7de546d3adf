import {
  chmod,
  chown,
  lchown,
  link,
  mkdir,
  mkdtemp,
  readFile,
  readdir,
  rm,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { backend, stage, type Ran, type Stage } from "../../../commands/stage.ts";

const before = "what was there before\n";
const stranger = 54_321;

async function temporary(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), "edgewise-outside-"));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  return dir;
}

async function checkout(): Promise<Stage> {
  const on = await stage();
  await on.write("edge/all.yaml", backend("x"));
  return on;
}

const writers: readonly (readonly [string, (file: string) => readonly string[]])[] = [
  ["plan --out", (file) => ["plan", "--out", file]],
  ["plan --output-file", (file) => ["plan", "-o", "markdown", "--output-file", file]],
  ["apply --journal", (file) => ["apply", "-y", "--journal", file]],
  ["sandbox --data", (file) => ["sandbox", "--data", file]],
];

function expectRefused({ exit, err }: Ran, because: string): void {
  expect({ exit, err }).toEqual({ exit: 1, err: expect.stringContaining(because) });
  expect(err).toContain("can't be written");
  expect(err).not.toContain("bug in edgewise");
}

describe("a pull request commits a symbolic link where the pipeline writes: nothing behind it changes", () => {
  it.each(writers)("%s", async (_, args) => {
    const on = await checkout();
    const outside = await temporary();
    await writeFile(join(outside, "bashrc"), before);
    await symlink(join(outside, "bashrc"), join(on.dir, "result"));
    await symlink(join(outside, "new"), join(on.dir, "dangling"));
    await symlink(outside, join(on.dir, "out"));
    for (const file of ["result", "dangling", "out/result"])
      expectRefused(await on.run(...args(file)), "symbolic link");
    expect(await readFile(join(outside, "bashrc"), "utf8")).toBe(before);
    expect(await readdir(outside)).toEqual(["bashrc"]);
    expect(on.writes()).toBe(0);
  });

  it("for export --out-dir and init", async () => {
    const on = await checkout();
    const outside = await temporary();
    on.behind("POST", "/backends/http_response", { status_code: 200 });
    await symlink(outside, join(on.dir, "exported"));
    for (const directory of ["exported", "exported/below"])
      expectRefused(await on.run("export", "--out-dir", directory), "symbolic link");
    for (const name of ["edgewise.yaml", "edge", ".github", ".edgewise", ".gitignore"]) {
      await mkdir(join(on.dir, "new", name, ".."), { recursive: true });
      await symlink(join(outside, name), join(on.dir, "new", name));
      expectRefused(await on.run("init", "new"), "symbolic link");
      await rm(join(on.dir, "new"), { recursive: true });
    }
    expect(await readdir(outside)).toEqual([]);
  });

  it("into what is hidden", async () => {
    const to = ".git/config";
    const on = await checkout();
    await on.write(to, before);
    await symlink(to, join(on.dir, "result"));
    expectRefused(await on.run("plan", "--output-file", "result"), to);
    expect(await on.read(to)).toBe(before);
  });
});

// Only root can give a file to somebody else.
describe.runIf(userInfo().uid === 0)(
  "another user places something in a directory: it is neither followed nor written",
  () => {
    it("a link in a sticky directory like /tmp", async () => {
      const on = await checkout();
      const dir = await temporary();
      await chmod(dir, 0o1777);
      const mine = join(await temporary(), "mine");
      await writeFile(mine, before);
      await symlink(mine, join(dir, "plan.json"));
      await lchown(join(dir, "plan.json"), stranger, stranger);
      for (const [, args] of writers)
        expectRefused(await on.run(...args(join(dir, "plan.json"))), "belongs to another user");
      expect(await readFile(mine, "utf8")).toBe(before);
    });

    it("a file that they own and can read, and a hard link to one's own", async () => {
      const on = await checkout();
      const dir = await temporary();
      await chmod(dir, 0o1777);
      await writeFile(join(dir, "theirs"), before);
      await chown(join(dir, "theirs"), stranger, stranger);
      const mine = join(await temporary(), "mine");
      await writeFile(mine, before);
      await link(mine, join(dir, "hard"));
      expectRefused(await on.run("plan", "--out", join(dir, "theirs")), "belongs to another user");
      expectRefused(await on.run("apply", "-y", "--journal", join(dir, "hard")), "hard link");
      expect(await readFile(join(dir, "theirs"), "utf8")).toBe(before);
      expect(await readFile(mine, "utf8")).toBe(before);
      expect(on.writes()).toBe(0);
    });
  },
);

it.each(writers.filter(([name]) => name !== "sandbox --data"))(
  "what %s writes is its owner's alone",
  async (_, args) => {
    const on = await checkout();
    on.behind("POST", "/backends/http_response", { status_code: 200 });
    await on.write("old", "");
    await chmod(join(on.dir, "old"), 0o644);
    for (const file of ["new", "old"]) {
      await on.run(...args(file));
      const { mode, size } = await stat(join(on.dir, file));
      expect([file, mode & 0o777]).toEqual([file, 0o600]);
      if (!args(file).includes("--journal")) expect(size).toBeGreaterThan(0);
    }
  },
);
