import { chmod, chown, mkdir, rm, symlink, writeFile } from "node:fs/promises";
import { userInfo } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { backend, beyondLists, stage, type Stage } from "../../../commands/stage.ts";

/** Only root can give a file to somebody else. */
const isRoot = userInfo().uid === 0;
const stranger = 54_321;

async function withKeyFile(mode: number): Promise<Stage> {
  const on = await stage();
  await on.write("edge/all.yaml", backend("x"));
  await on.write("key", `${on.sandbox.apiKey}\n`);
  await chmod(join(on.dir, "key"), mode);
  delete on.env["EDGEWISE_API_KEY"];
  return on;
}

const route = `apiVersion: edgewise/v1
kind: HTTPSEdgeRoute
metadata: {name: hooks, id: edghtsrt_1}
spec:
  edge: {id: edghts_1}
  webhook_verification: {provider: GITHUB, secret: {file: ../webhook}}
---
`;

async function withSecretFile(mode: number): Promise<Stage> {
  const on = await stage();
  await on.write("edge/all.yaml", route + route.replace("hooks", "more").replace("srt_1", "srt_2"));
  await on.write("webhook", "the webhook's secret");
  await chmod(join(on.dir, "webhook"), mode);
  return on;
}

const contacting: readonly (readonly string[])[] = [
  ["plan"],
  ["apply", "-y"],
  ["drift"],
  ["destroy", "-y"],
  ["export", "--all"],
  ["ping"],
];

describe("Another user exchanges the API key in a file that others can write → the command fails before it contacts the service", () => {
  it.each([
    ...contacting.map((args) => [args, 0o666] as const),
    [["plan"], 0o602],
    [["plan"], 0o622],
    [["plan"], 0o620],
    [["plan"], 0o664],
  ] as const)("%j, mode %o", async (args, mode) => {
    const on = await withKeyFile(mode);
    const { exit, err } = await on.run(...args, "--api-key-file", "key");
    expect(exit).toBe(1);
    expect(err).toContain("the API key's file key can be written by every");
    expect(err).toContain("chmod 600 key");
    expect(on.sandbox.requests().total).toBe(0);
  });

  it("behind a link", async () => {
    const on = await withKeyFile(0o666);
    await symlink("key", join(on.dir, "link"));
    expect((await on.run("plan", "--api-key-file", "link")).exit).toBe(1);
  });
});

describe("Another user reads the API key's file → a warning, once", () => {
  it.each([0o644, 0o640, 0o604, 0o444])("mode %o", async (mode) => {
    const on = await withKeyFile(mode);
    const { exit, err } = await on.run("plan", "--api-key-file", "key");
    expect(exit).toBe(0);
    expect(err.split("warning:")).toHaveLength(2);
    expect(err).toContain("the API key's file key can be read by every");
    expect((await on.run("plan", "--quiet", "--api-key-file", "key")).err).toBe("");
    const json = await on.run("plan", "--log-format", "json", "--api-key-file", "key");
    const lines = json.err.trim().split("\n");
    expect(lines.map((line): unknown => JSON.parse(line))).toContainEqual(
      expect.objectContaining({ level: "warning", message: expect.stringContaining("can be read by every") }),
    );
  });

  it.each([0o600, 0o400])("no warning where only its owner can: mode %o", async (mode) => {
    const on = await withKeyFile(mode);
    expect(await on.run("plan", "--api-key-file", "key")).toMatchObject({ exit: 0, err: "" });
  });

  it.runIf(isRoot)("a file that belongs to another user (needs root to set up)", async () => {
    const on = await withKeyFile(0o600);
    await chown(join(on.dir, "key"), stranger, stranger);
    const { exit, err } = await on.run("plan", "--api-key-file", "key");
    expect(exit).toBe(0);
    expect(err).toContain(`belongs to another user (uid ${stranger}); \`chown\` makes it yours`);
  });
});

describe("Another user exchanges the configuration, which every user can write → the command fails before it contacts the service", () => {
  it.each([
    ...[...contacting, ["validate"], ["graph"]].map((args) => [args, 0o666] as const),
    [["plan"], 0o646],
    [["plan"], 0o602],
  ] as const)("%j, mode %o", async (args, mode) => {
    const on = await stage();
    await on.write("edge/all.yaml", backend("x"));
    await chmod(join(on.dir, "edgewise.yaml"), mode);
    const { exit, out, err } = await on.run(...args);
    expect(exit).toBe(1);
    expect(out + err).toContain("edgewise.yaml:1:1: error edgewise.yaml can be written by every user of this computer");
    expect(out + err).toContain("chmod o-w");
    expect(on.sandbox.requests().total).toBe(0);
  });

  it("named by the environment, behind a link", async () => {
    const on = await stage();
    await on.write("edge/all.yaml", backend("x"));
    await mkdir(join(on.dir, "other"));
    await symlink("../edgewise.yaml", join(on.dir, "other", "config.yaml"));
    await chmod(join(on.dir, "edgewise.yaml"), 0o666);
    on.env["EDGEWISE_CONFIG"] = "other/config.yaml";
    expect((await on.run("plan", "-f", "edge")).exit).toBe(1);
  });

  it.each([0o644, 0o600, 0o664, 0o444])("not where only its owner or group can: mode %o, no warning", async (mode) => {
    const on = await stage();
    await on.write("edge/all.yaml", backend("x"));
    await chmod(join(on.dir, "edgewise.yaml"), mode);
    expect(await on.run("plan")).toMatchObject({ exit: 0, err: "" });
  });
});

describe.skipIf(!isRoot)(
  "The configuration belongs to another user (needs root to set up) → a warning, as in a container that works on its host's checkout",
  () => {
    it.each([["validate"], ["plan"], ["graph"], ["drift"]])("%s", async (command) => {
      const on = await stage();
      await on.write("edge/all.yaml", backend("x"));
      if (command === "drift") await on.run("apply", "-y");
      await chown(join(on.dir, "edgewise.yaml"), stranger, stranger);
      const { exit, out, err } = await on.run(command);
      expect(exit).toBe(0);
      expect((command === "validate" ? out : err).match(/\[config-foreign\]/gu)).toHaveLength(1);
      if (command === "validate") return;
      expect((await on.run(command, "--quiet")).err).toBe("");
    });

    it("once, although --base reads another commit's too", async () => {
      const { execFileSync } = await import("node:child_process");
      const on = await stage();
      await on.write("edge/all.yaml", backend("x"));
      const git = (...args: readonly string[]) => execFileSync("git", args, { cwd: on.dir, stdio: "pipe" });
      git("init", "-q", "-b", "main");
      git("add", ".");
      git("-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-qm", "first");
      await chown(join(on.dir, "edgewise.yaml"), stranger, stranger);
      const { exit, err } = await on.run("plan", "--base", "main");
      expect({ exit, err }).toMatchObject({ exit: 0 });
      expect(err.match(/\[config-foreign\]/gu)).toHaveLength(1);
    });
  },
);

describe("Another user exchanges a secret in a file that others can write → the command fails and sends nothing", () => {
  it.each([
    [["validate"], 0o666],
    [["plan"], 0o666],
    [["apply", "-y"], 0o666],
    [["drift"], 0o666],
    [["validate"], 0o620],
    [["validate"], 0o602],
    [["validate"], 0o664],
  ] as const)("%j, mode %o", async (args, mode) => {
    const on = await withSecretFile(mode);
    const { exit, out, err } = await on.run(...args);
    expect(exit).toBe(1);
    expect(out + err).toMatch(
      /edge\/all\.yaml:6:\d+: error .*"\.\.\/webhook" can be written by every.*\[secret-file-writable\]/u,
    );
    expect(beyondLists(on)).toEqual([]);
  });
});

describe("Another user reads a file with a secret → a warning, once for each file", () => {
  it.each([0o644, 0o640])("mode %o", async (mode) => {
    const on = await withSecretFile(mode);
    const { exit, out } = await on.run("validate");
    expect(exit).toBe(0);
    expect(out.match(/\[secret-file-exposed\]/gu)).toHaveLength(1);
    expect(out).toContain('"../webhook" can be read by every');
  });

  it("mounted as Kubernetes does, behind links", async () => {
    const on = await withSecretFile(0o600);
    await rm(join(on.dir, "webhook"));
    await mkdir(join(on.dir, "..2026"));
    await writeFile(join(on.dir, "..2026", "webhook"), "4yGbF0qXw2");
    await chmod(join(on.dir, "..2026", "webhook"), 0o644);
    await symlink("..2026", join(on.dir, "..data"));
    await symlink("..data/webhook", join(on.dir, "webhook"));
    const { exit, out } = await on.run("validate");
    expect(exit).toBe(0);
    expect(out).toContain("secret-file-exposed");
  });

  it("no warning where only its owner can", async () => {
    const on = await withSecretFile(0o600);
    expect((await on.run("validate")).out).not.toContain("secret-file");
  });
});

describe("A key file never ends → the command stops reading and fails", () => {
  it.each(["/dev/zero", "/dev/urandom"])("%s", async (file) => {
    const on = await withKeyFile(0o600);
    const { exit, err } = await on.run("ping", "--api-key-file", file);
    expect(exit).toBe(1);
    expect(err).toMatch(/it is a device/u);
  });
});
