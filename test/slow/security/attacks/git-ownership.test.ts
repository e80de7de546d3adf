import { chown, lchown, mkdir, rename, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { git, proposal, type Proposal } from "../support/proposal.ts";

// Only root can give files away. Everything here is tried where the tests run as root, as they do in containers.
const asRoot = process.getuid?.() === 0;
const other = 12_345;
const path = process.env["PATH"] ?? "";

type Environment = { readonly [name: string]: string };

async function expectRefused(p: Proposal, env: Environment = {}): Promise<void> {
  const { exit, out, err } = await p.run(["plan", "--base", "main"], { env: { HOME: p.outside, PATH: path, ...env } });
  expect({ exit, out }).toEqual({ exit: 1, out: "" });
  expect(err).toContain("may belong to another user and was not used");
  expect(err).toContain(`git config --global --add safe.directory ${p.top}`);
}

const give = (p: Proposal, part: string) => lchown(join(p.top, part), other, other);

/** `safe.directory` of the user: the lines of a configuration. */
async function userSays(p: Proposal, ...values: readonly string[]): Promise<void> {
  const lines = values.map((value) => `\tdirectory = ${value}\n`).join("");
  await writeFile(join(p.outside, ".gitconfig"), `[safe]\n${lines}`);
}

describe.skipIf(!asRoot)(
  "A repository belongs to another user → it is refused unless safe.directory names it, as git does",
  () => {
    it.each(["", ".git"])("the owner of %j is somebody else", async (part) => {
      const p = await proposal();
      await give(p, part);
      await expectRefused(p);
    });

    it("a .git file that leads to somebody else's repository", async () => {
      const p = await proposal();
      await rename(join(p.top, ".git"), join(p.outside, "theirs"));
      await lchown(join(p.outside, "theirs"), other, other);
      await writeFile(join(p.top, ".git"), `gitdir: ${p.outside}/theirs\n`);
      await expectRefused(p);
    });

    it("a link that leads to somebody else's repository", async () => {
      const p = await proposal();
      await rename(join(p.top, ".git"), join(p.outside, "theirs"));
      await lchown(join(p.outside, "theirs"), other, other);
      await symlink(join(p.outside, "theirs"), join(p.top, ".git"));
      await expectRefused(p);
    });

    it("somebody else's link, or file, to a repository of one's own", async () => {
      for (const make of ["link", "file"]) {
        const p = await proposal();
        await rename(join(p.top, ".git"), join(p.outside, "own"));
        if (make === "link") await symlink(join(p.outside, "own"), join(p.top, ".git"));
        else await writeFile(join(p.top, ".git"), `gitdir: ${p.outside}/own\n`);
        await give(p, ".git");
        await expectRefused(p);
      }
    });

    it("a linked work tree of somebody else's repository", async () => {
      const p = await proposal();
      const linked = join(p.outside, "linked");
      p.git("worktree", "add", "-q", linked, "-b", "linked");
      await give(p, ".git");
      const { exit, err } = await p.run(["plan", "--base", "main"], {
        cwd: join(linked, "infra"),
        env: { PATH: path },
      });
      expect(exit).toBe(1);
      expect(err).toContain(`${p.top}/.git belongs to the user id ${other}, and edgewise runs as 0`);
    });

    it.each<readonly [string, (p: Proposal) => Promise<Environment | undefined>]>([
      ["the repository's own settings", async (p) => void p.git("config", "safe.directory", "*")],
      ["another directory", (p) => userSays(p, `${p.top}x`, p.infra, `${p.infra}/*`).then(() => undefined)],
      ["what lies below, not itself", (p) => userSays(p, `${p.top}/*`).then(() => undefined)],
      [
        "a beginning of its name",
        (p) => userSays(p, p.top.slice(0, -2), `${p.top.slice(0, -2)}/*`).then(() => undefined),
      ],
      ["a relative path", (p) => userSays(p, ".", "..", "infra").then(() => undefined)],
      ["all, and then nothing", (p) => userSays(p, "*", p.top, "").then(() => undefined)],
      [
        "settings committed to a HOME in the work tree",
        (p) => p.write(".gitconfig", "[safe]\n\tdirectory = *\n").then(() => ({ HOME: p.top })),
      ],
      [
        "settings committed to an XDG_CONFIG_HOME in the work tree",
        (p) => p.write("git/config", "[safe]\n\tdirectory = *\n").then(() => ({ XDG_CONFIG_HOME: p.top })),
      ],
      [
        "committed settings that GIT_CONFIG_GLOBAL names",
        (p) => p.write("infra/config", "[safe]\n\tdirectory = *\n").then(() => ({ GIT_CONFIG_GLOBAL: "config" })),
      ],
      [
        "an environment whose count does not reach it",
        async (p) => ({ GIT_CONFIG_COUNT: "1", GIT_CONFIG_KEY_1: "safe.directory", GIT_CONFIG_VALUE_1: p.top }),
      ],
      [
        "an environment without a count",
        async (p) => ({ GIT_CONFIG_KEY_0: "safe.directory", GIT_CONFIG_VALUE_0: p.top }),
      ],
      ["another caller of sudo", async () => ({ SUDO_UID: "54321" })],
      ["a caller of sudo that is no number", async () => ({ SUDO_UID: "12345x" })],
    ])("is not trusted by %s", async (_, say) => {
      const p = await proposal();
      const env = await say(p);
      await give(p, "");
      await give(p, ".git");
      await expectRefused(p, env);
    });

    it.each<readonly [string, (p: Proposal) => Promise<Environment | undefined>]>([
      ["its path", (p) => userSays(p, p.top).then(() => undefined)],
      ["its path with a slash", (p) => userSays(p, `${p.top}/`).then(() => undefined)],
      ["all", (p) => userSays(p, "*").then(() => undefined)],
      ["all below a directory", (p) => userSays(p, `${join(p.top, "..")}/*`).then(() => undefined)],
      ["all below the root", (p) => userSays(p, "/*").then(() => undefined)],
      ["nothing, and then its path", (p) => userSays(p, "", p.top).then(() => undefined)],
      [
        "a link to it",
        (p) =>
          symlink(p.top, join(p.outside, "link"))
            .then(() => userSays(p, "~/link"))
            .then(() => undefined),
      ],
      [
        "settings that are included",
        async (p) => {
          await writeFile(join(p.outside, "more"), `[safe]\n\tdirectory = ${p.top}\n`);
          await writeFile(join(p.outside, ".gitconfig"), "[include]\n\tpath = more\n");
          return undefined;
        },
      ],
      [
        "the environment",
        async (p) => ({
          GIT_CONFIG_COUNT: "2",
          GIT_CONFIG_KEY_0: "http.extraHeader",
          GIT_CONFIG_VALUE_0: "x",
          GIT_CONFIG_KEY_1: "Safe.Directory",
          GIT_CONFIG_VALUE_1: p.top,
        }),
      ],
      [
        "GIT_CONFIG_GLOBAL",
        async (p) => {
          await writeFile(join(p.outside, "global"), `[safe]\n\tdirectory = ${p.top}\n`);
          return { GIT_CONFIG_GLOBAL: join(p.outside, "global") };
        },
      ],
      [
        "GIT_CONFIG_SYSTEM",
        async (p) => {
          await writeFile(join(p.outside, "system"), `[safe]\n\tdirectory = ${p.top}\n`);
          return { GIT_CONFIG_SYSTEM: join(p.outside, "system") };
        },
      ],
      [
        "XDG_CONFIG_HOME",
        async (p) => {
          await mkdir(join(p.outside, "xdg", "git"), { recursive: true });
          await writeFile(join(p.outside, "xdg", "git", "config"), `[safe]\n\tdirectory = ${p.top}\n`);
          return { XDG_CONFIG_HOME: join(p.outside, "xdg") };
        },
      ],
      ["the caller of sudo", async () => ({ SUDO_UID: String(other) })],
    ])("is trusted by %s", async (_, say) => {
      const p = await proposal();
      const env = await say(p);
      await give(p, "");
      await give(p, ".git");
      await p.expectOrdinary({ env: { HOME: p.outside, PATH: path, ...env } });
    });

    it("a repository that is trusted still runs nothing", async () => {
      const p = await proposal();
      await userSays(p, "*");
      p.git("config", "core.fsmonitor", p.canary);
      p.git("config", "core.pager", p.canary);
      await chown(join(p.top, ".git"), other, other);
      await p.expectOrdinary({ env: { HOME: p.outside, PATH: path } });
    });
  },
);

describe("The .git that edgewise finds is not what it seems → an ordinary error, or the repository above", () => {
  it.each<readonly [string, string]>([
    ["empty", ""],
    ["no path", "gitdir: \n"],
    ["another word", "gitdirectory: /x\n"],
    ["what does not exist", "gitdir: ../none\n"],
    ["a directory that is no repository", "gitdir: edge\n"],
    ["itself", "gitdir: .git\n"],
    ["a NUL", "gitdir: a\0b\n"],
    ["a megabyte", `gitdir: ${"x/".repeat(500_000)}\n`],
  ])("a file that says: %s", async (_, text) => {
    const p = await proposal();
    await p.write("infra/.git", text);
    const { exit, out, err } = await p.run(["plan", "--base", "main"]);
    expect({ exit, out }).toEqual({ exit: 1, out: "" });
    expect(err).toContain(`${p.infra}/.git does not lead to a git repository`);
  });

  it("a file without a path, in a directory that is laid out like a bare repository", async () => {
    const p = await proposal();
    git(p.top, "init", "-q", "--bare", p.infra);
    await p.write("infra/.git", "gitdir: \n");
    const { exit, err } = await p.run(["plan", "--base", "main"]);
    expect(exit).toBe(1);
    expect(err).toContain("expected `gitdir: PATH`");
  });

  it.each(["dangling", "loop"])("a link: %s", async (kind) => {
    const p = await proposal();
    await symlink(kind === "loop" ? ".git" : "nowhere", join(p.infra, ".git"));
    await p.expectOrdinary();
  });

  it("a repository whose main one is gone", async () => {
    const p = await proposal();
    const linked = join(p.outside, "linked");
    p.git("worktree", "add", "-q", linked, "-b", "linked");
    await rm(join(p.top, ".git", "objects"), { recursive: true });
    const { exit, err } = await p.run(["plan", "--base", "main"], { cwd: join(linked, "infra") });
    expect(exit).toBe(1);
    expect(err).toContain("which is not a repository");
  });
});
