import { spawnSync } from "node:child_process";
import { copyFile, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { useDatabases } from "../../support/postgres.ts";
import { root } from "../../../repository/source-files.ts";
import { claimOne, openStore } from "./support.ts";

const databases = useDatabases();

describe("the program as one file, with nothing beside it", () => {
  it("connects to a database, with a password, and names what is wrong", async () => {
    const directory = await mkdtemp(join(tmpdir(), "edgewise-one-file-"));
    onTestFinished(() => rm(directory, { recursive: true, force: true }));
    await copyFile(join(root, "dist/edgewise.mjs"), join(directory, "edgewise.mjs"));
    await writeFile(
      join(directory, "fleet.yaml"),
      `apiVersion: edgewise/v1
kind: Fleet
sources: {edge: {git: ./repository, ref: main}}
accounts: {main: {baseUrl: "http://127.0.0.1:1", versionHeader: Service-Version, key: {env: EDGE_KEY}}}
stacks: {prod: {source: edge, account: main, stack: edge-prod}}
`,
    );
    const url = new URL(await databases.create());
    const { password } = url;
    url.password = "";
    const status = (PGPASSWORD: string) => {
      const args = [join(directory, "edgewise.mjs"), "serve", "fleet.yaml", "--status", "--database", url.href];
      const env = { PATH: process.env["PATH"], HOME: directory, EDGE_KEY: "key-of-nobody-1234", PGPASSWORD };
      return spawnSync(process.execPath, args, { cwd: directory, encoding: "utf8", env });
    };
    expect(status(password).stderr).toContain("it holds nothing of edgewise");
    expect(status("not-this-one").stderr).toContain("password authentication failed");
    url.password = password;
    await claimOne(await openStore(url.href));
    url.password = "";
    const { status: exit, stderr, stdout } = status(password);
    expect({ exit, stderr, stdout }).toMatchObject({ stderr: "", stdout: expect.stringContaining("prod") });
  });
});
