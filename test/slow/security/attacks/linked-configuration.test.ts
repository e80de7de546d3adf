import { mkdir, mkdtemp, rm, symlink, unlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { backend, stage, type Stage } from "../../../commands/stage.ts";

/** Lines that no YAML is made of. */
const secret = "AWS_SECRET=hunter2-from-the-runner\nhunter2-member: {x\n";

async function checkout(): Promise<Stage & { readonly outside: string }> {
  const on = await stage();
  const outside = await mkdtemp(join(tmpdir(), "edgewise-runner-"));
  onTestFinished(() => rm(outside, { recursive: true, force: true }));
  await writeFile(join(outside, "edgewise.yaml"), secret);
  await mkdir(join(on.dir, ".git"));
  await on.write("edge/all.yaml", backend("x"));
  return { ...on, outside };
}

async function expectUnread(on: Stage, words: string, ...flags: readonly string[]): Promise<void> {
  for (const args of [["validate"], ["validate", "-o", "json"], ["plan"]]) {
    const { exit, out, err } = await on.run(...args, ...flags);
    expect({ exit, out, err }).toEqual({ exit: 1, out: "", err: expect.stringContaining(words) });
    expect(err).not.toMatch(/hunter2|root:x|PATH=/);
  }
}

describe("a pull request commits the configuration as a link: no word of what is behind it is printed", () => {
  it.each([
    ["edgewise.yaml", "OUTSIDE/edgewise.yaml", []],
    ["envs/prod.yaml", "/proc/self/environ", ["-c", "envs/prod.yaml"]],
    ["edgewise.yaml", ".git/config", []],
  ])("%s to %s, %j", async (link, to, flags) => {
    const on = await checkout();
    await on.write(".git/config", secret);
    await rm(join(on.dir, link), { force: true });
    await mkdir(dirname(join(on.dir, link)), { recursive: true });
    await symlink(to.replace("OUTSIDE", on.outside), join(on.dir, link));
    await expectUnread(on, "can't be used as the configuration", ...flags);
  });

  it("to a key that an earlier step wrote into the checkout", async () => {
    for (const text of [secret, "hunter2: 1\n", "a: *hunter2\n", "apiVersion: hunter2\nkind: hunter2\n"]) {
      const on = await checkout();
      await on.write("key", text);
      await unlink(join(on.dir, "edgewise.yaml"));
      await symlink("key", join(on.dir, "edgewise.yaml"));
      for (const format of ["text", "json", "github", "sarif"]) {
        const { exit, out, err } = await on.run("validate", "-o", format);
        expect({ exit, text: out + err }).toEqual({ exit: 1, text: expect.stringContaining("edgewise.yaml") });
        expect(out + err).not.toContain("hunter2");
      }
    }
  });

  it("but a ConfigMap of Kubernetes, which is made of links, is read", async () => {
    const on = await stage();
    const text = (await on.read("edgewise.yaml")).replace("edge/", "all.yaml");
    await unlink(join(on.dir, "edgewise.yaml"));
    await on.write("config/..2026_11_21/edgewise.yaml", text);
    await symlink("..2026_11_21", join(on.dir, "config/..data"));
    await symlink("..data/edgewise.yaml", join(on.dir, "config/edgewise.yaml"));
    await on.write("config/all.yaml", backend("x"));
    const { exit, out } = await on.runWith({ cwd: join(on.dir, "config") }, "validate").ran;
    expect({ exit, out }).toEqual({ exit: 0, out: expect.stringContaining("1 manifest") });
  });
});
