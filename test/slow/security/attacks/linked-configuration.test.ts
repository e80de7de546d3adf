import { mkdir, mkdtemp, rename, rm, symlink, unlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { backend, stage, type Stage } from "../../../commands/stage.ts";

/** Lines that no YAML is made of, and one that is a member that no configuration has. */
const secret = "AWS_SECRET=hunter2-from-the-runner\nhunter2-member: {x\n";
const member = "hunter2-member: 1\n";

async function outside(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), "edgewise-runner-"));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  await writeFile(join(dir, "netrc"), secret);
  await writeFile(join(dir, "members"), member);
  return dir;
}

/** A checkout whose configuration lies at a path; with a work tree or without. */
async function checkout(git: boolean): Promise<Stage> {
  const on = await stage();
  if (git) await mkdir(join(on.dir, ".git"));
  await on.write("edge/all.yaml", backend("x"));
  return on;
}

const files = ["OUTSIDE/netrc", "OUTSIDE/members", "/proc/self/environ", "/proc/self/root/etc/passwd"];

describe("A pull request commits the configuration as a link to a file of the runner → the file is not opened, and no word of it is printed", () => {
  it.each(
    files.flatMap((to) =>
      [true, false].flatMap((git) =>
        [["edgewise.yaml"], ["edgewise.yaml", "-c", "edgewise.yaml"], ["envs/prod.yaml", "-c", "envs/prod.yaml"]].map(
          ([link = "", ...flags]) => [to, git ? "in a work tree" : "without one", link, flags] as const,
        ),
      ),
    ),
  )("%s, %s, as %s %j", async (to, where, link, flags) => {
    const on = await checkout(where === "in a work tree");
    const dir = await outside();
    await rm(join(on.dir, link), { force: true });
    await mkdir(dirname(join(on.dir, link)), { recursive: true });
    await symlink(to.replace("OUTSIDE", dir), join(on.dir, link));
    for (const args of [["validate"], ["validate", "-o", "json"], ["plan"]]) {
      const { exit, out, err } = await on.run(...args, ...flags);
      expect({ exit, err }).toEqual({ exit: 1, err: expect.stringContaining("can't be used as the configuration") });
      expect(out + err).not.toMatch(/hunter2|root:x|PATH=/);
    }
  });

  it.each(["a directory on the way", "a chain", "upward", "found from a directory below"])("%s", async (how) => {
    const on = await checkout(true);
    const dir = await outside();
    await rename(join(dir, "netrc"), join(dir, "edgewise.yaml"));
    await unlink(join(on.dir, "edgewise.yaml"));
    await mkdir(join(on.dir, "sub"));
    if (how === "a chain") await symlink(join(dir, "edgewise.yaml"), join(on.dir, "sub", "x"));
    const to = how === "a chain" ? "sub/x" : join(dir, "edgewise.yaml");
    if (how === "a directory on the way") await symlink(dir, join(on.dir, "envs"));
    else await symlink(how === "upward" ? `../../../..${to}` : to, join(on.dir, "edgewise.yaml"));
    const flags = how === "a directory on the way" ? ["-c", "envs/edgewise.yaml"] : [];
    const cwd = how.startsWith("found") ? join(on.dir, "sub") : on.dir;
    const { exit, out, err } = await on.runWith({ cwd }, "validate", ...flags).ran;
    expect({ exit, err }).toEqual({ exit: 1, err: expect.stringContaining("can't be used as the configuration") });
    expect(out + err).not.toContain("hunter2");
  });

  it("named from outside of the checkout", async () => {
    const on = await checkout(true);
    const dir = await outside();
    await unlink(join(on.dir, "edgewise.yaml"));
    await symlink(join(dir, "netrc"), join(on.dir, "edgewise.yaml"));
    const { exit, out, err } = await on.runWith({ cwd: dir }, "validate", "-c", join(on.dir, "edgewise.yaml")).ran;
    expect({ exit, err }).toEqual({ exit: 1, err: expect.stringContaining("which is outside of") });
    expect(out + err).not.toContain("hunter2");
  });
});

describe("A pipeline names what the system makes up as the configuration → it is refused, and no word of it is printed", () => {
  it.each(["/proc/self/environ", "/proc/self/task/../environ", "/proc/self/status", "/proc/cmdline"])(
    "%s",
    async (name) => {
      const on = await checkout(true);
      const { exit, out, err } = await on.run("validate", "-c", name);
      expect({ exit, out, err }).toEqual({ exit: 1, out: "", err: expect.stringContaining("/proc, /sys and /dev") });
    },
  );
});

describe("A pull request commits the configuration as a link to another file of the checkout → nothing hidden is opened, and nothing else is quoted", () => {
  it.each([".git/config", ".env", "sub/.netrc"])("hidden: %s", async (to) => {
    const on = await checkout(true);
    await on.write(to, secret);
    await unlink(join(on.dir, "edgewise.yaml"));
    await symlink(to, join(on.dir, "edgewise.yaml"));
    const { exit, out, err } = await on.run("validate");
    expect({ exit, err }).toEqual({ exit: 1, err: expect.stringContaining("leads to the hidden file") });
    expect(out + err).not.toContain("hunter2");
  });

  it.each([
    ["text", secret],
    ["members", member],
    ["an alias", "a: *hunter2\n"],
    ["a value", "apiVersion: hunter2\nkind: hunter2\n"],
  ])("a key that an earlier step wrote: %s", async (_, text) => {
    const on = await checkout(true);
    await on.write("key", text);
    await unlink(join(on.dir, "edgewise.yaml"));
    await symlink("key", join(on.dir, "edgewise.yaml"));
    for (const format of ["text", "json", "github", "sarif"]) {
      const { exit, out, err } = await on.run("validate", "-o", format);
      expect(exit).toBe(1);
      expect(out + err).toContain("edgewise.yaml");
      expect(out + err).not.toContain("hunter2");
    }
  });
});

describe("what operators link themselves", () => {
  it.each(["there", "elsewhere", "below"])("a ConfigMap of Kubernetes, from %s", async (from) => {
    const on = await checkout(false);
    const mount = join(on.dir, "config");
    const text = (await on.read("edgewise.yaml")).replace("edge/", "all.yaml");
    await unlink(join(on.dir, "edgewise.yaml"));
    await on.write("config/..2026_11_21/edgewise.yaml", text);
    await symlink("..2026_11_21", join(mount, "..data"));
    await symlink("..data/edgewise.yaml", join(mount, "edgewise.yaml"));
    await on.write("config/all.yaml", backend("x"));
    await mkdir(join(mount, "below"));
    const cwd = { there: mount, below: join(mount, "below") }[from] ?? tmpdir();
    const flags = from === "elsewhere" ? ["-c", join(mount, "edgewise.yaml")] : [];
    const { exit, out, err } = await on.runWith({ cwd }, "validate", ...flags).ran;
    expect({ exit, out, err }).toMatchObject({ exit: 0, out: expect.stringContaining("1 manifest") });
  });

  it("a configuration elsewhere that a link outside of any work tree leads to", async () => {
    const on = await checkout(true);
    const dir = await outside();
    await symlink(join(on.dir, "edgewise.yaml"), join(dir, "prod.yaml"));
    await mkdir(join(dir, "edge"));
    await writeFile(join(dir, "edge", "all.yaml"), backend("x"));
    const { ran } = on.runWith({ cwd: on.dir }, "validate", "-c", join(dir, "prod.yaml"));
    expect(await ran).toMatchObject({ exit: 0, err: "" });
  });
});
