import { chmod, symlink } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { backend, beyondLists, stage, type Stage } from "../../../commands/stage.ts";

const contacting = [["plan"], ["apply", "-y"], ["drift"], ["destroy", "-y"], ["export", "--all"], ["ping"]];

async function withKeyFile(mode: number): Promise<Stage> {
  const on = await stage();
  await on.write("edge/all.yaml", backend("x"));
  await on.write("key", `${on.sandbox.apiKey}\n`);
  await chmod(join(on.dir, "key"), mode);
  delete on.env["EDGEWISE_API_KEY"];
  return on;
}

const route = (name: string): string => `apiVersion: edgewise/v1
kind: HTTPSEdgeRoute
metadata: {name: ${name}, id: edghtsrt_${name}}
spec:
  edge: {id: edghts_1}
  webhook_verification: {provider: GITHUB, secret: {file: ../webhook}}
---
`;

async function withSecretFile(mode: number): Promise<Stage> {
  const on = await stage();
  await on.write("edge/all.yaml", route("a") + route("b"));
  await on.write("webhook", "the webhook's secret");
  await chmod(join(on.dir, "webhook"), mode);
  return on;
}

describe("the API key's file", () => {
  it("that others can write is refused by every command, before the service is contacted", async () => {
    const on = await withKeyFile(0o666);
    await symlink("key", join(on.dir, "link"));
    for (const args of [
      ...contacting.map((each) => [...each, "--api-key-file", "key"]),
      ["ping", "--api-key-file", "link"],
    ]) {
      const { exit, err } = await on.run(...args);
      expect({ exit, err }).toEqual({ exit: 1, err: expect.stringMatching(/key file|API key's file/u) });
      expect(err).toContain("can be written by every");
    }
    expect(on.sandbox.requests().total).toBe(0);
  });

  it("that others can read is a warning, once", async () => {
    const on = await withKeyFile(0o640);
    const { exit, err } = await on.run("plan", "--api-key-file", "key");
    expect(exit).toBe(0);
    expect(err.split("warning:")).toHaveLength(2);
    expect(err).toContain("the API key's file key can be read by every");
    await chmod(join(on.dir, "key"), 0o600);
    expect(await on.run("plan", "--api-key-file", "key")).toMatchObject({ exit: 0, err: "" });
  });
});

describe("the configuration", () => {
  it("that every user can write is refused, also behind a link", async () => {
    const on = await stage();
    await on.write("edge/all.yaml", backend("x"));
    await chmod(join(on.dir, "edgewise.yaml"), 0o646);
    await symlink("edgewise.yaml", join(on.dir, "config.yaml"));
    for (const args of [...contacting.slice(0, 4), ["validate"], ["graph"], ["plan", "-c", "config.yaml"]]) {
      const { exit, out, err } = await on.run(...args);
      expect({ exit, text: out + err }).toEqual({
        exit: 1,
        text: expect.stringContaining("can be written by every user of this computer"),
      });
    }
    expect(on.sandbox.requests().total).toBe(0);
    await chmod(join(on.dir, "edgewise.yaml"), 0o664);
    expect(await on.run("plan")).toMatchObject({ exit: 0, err: "" });
  });
});

describe("the file of a secret", () => {
  it("that others can write is an error, and nothing is sent", async () => {
    const on = await withSecretFile(0o620);
    for (const args of [["validate"], ["plan"], ["apply", "-y"], ["drift"]]) {
      const { exit, out, err } = await on.run(...args);
      expect(exit).toBe(1);
      expect(out + err).toMatch(/edge\/all\.yaml:6:\d+: error .*can be written by every.*\[secret-file-writable\]/u);
    }
    expect(beyondLists(on)).toEqual([]);
  });

  it("that others can read is warned of once, however often it is named", async () => {
    const on = await withSecretFile(0o640);
    const { exit, out } = await on.run("validate");
    expect({ exit, told: out.match(/\[secret-file-exposed\]/gu)?.length }).toEqual({ exit: 0, told: 1 });
  });
});
