import { execFileSync } from "node:child_process";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { backend, stage, type Stage } from "../../../commands/stage.ts";
import { cliPath } from "../../../support/cli.ts";

async function withDevices(): Promise<Stage> {
  const on = await stage();
  execFileSync("mkfifo", [join(on.dir, "fifo")]);
  await mkdir(join(on.dir, "folder"));
  await writeFile(join(on.dir, "large"), "x".repeat(9 * 1024 * 1024), { mode: 0o600 });
  await symlink("/dev/zero", join(on.dir, "link"));
  return on;
}

describe("a file that is read is a device, a pipe that nobody writes to, a folder or endless: it is refused in words", () => {
  it.each<readonly [string, string, readonly string[], RegExp]>([
    ["the API key", "/dev/zero", ["ping", "--api-key-file", "FILE"], /it is a device/u],
    ["the API key", "fifo", ["ping", "--api-key-file", "FILE"], /it is a pipe/u],
    ["a saved plan", "link", ["show", "FILE"], /can't be used: it is a/u],
    ["a Terraform state", "link", ["export", "--from-tfstate", "FILE"], /it is a device/u],
  ])("as %s: %s", async (_, file, args, words) => {
    const on = await withDevices();
    const env = { ...on.env };
    if (args[0] === "ping") delete env["EDGEWISE_API_KEY"];
    const { exit, out, err } = await on.runWith({ env }, ...args.map((arg) => arg.replace("FILE", file))).ran;
    expect({ exit, out }).toEqual({ exit: 1, out: "" });
    expect(err).toMatch(words);
    expect(err).not.toContain("bug in edgewise");
    expect(on.sandbox.requests().total).toBe(0);
  });

  it.each(["fifo", "large"])("as the content of a field: %s", async (file) => {
    const on = await withDevices();
    await on.write("edge/all.yaml", backend("a", `status_code: 200, body: {file: "../${file}"}`));
    const { exit, out } = await on.run("validate");
    expect({ exit, out }).toEqual({ exit: 1, out: expect.stringMatching(/it is a pipe|more than/u) });
  });

  it("but a pipe that ends is read: what a password manager writes, however late", () => {
    const ping = `node ${JSON.stringify(cliPath)} ping --base-url http://127.0.0.1:9 --api-key-file`;
    const line = `exec ${ping} <(sleep 0.3; printf key_0123456789)`;
    expect(() => execFileSync("bash", ["-c", line], { cwd: "/", stdio: "pipe", encoding: "utf8" })).toThrow(
      "the connection was refused",
    );
  });
});
