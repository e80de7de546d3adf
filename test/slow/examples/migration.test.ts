import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cli, plainEnvironment, startSandbox } from "../../../scripts/sandbox.mjs";

// Follows docs/migration.md: an existing account is adopted and orphaned again, and is then identical.
describe("the migration of an existing account", () => {
  let sandbox: Awaited<ReturnType<typeof startSandbox>>;
  let directory: string;
  let before: unknown;

  const collections = ["/ip_restrictions", "/edges/tls", "/backends/http_response", "/reserved_addrs"];
  const account = () => Promise.all(collections.map((path) => sandbox.request("GET", path)));

  function edgewise(...args: readonly string[]) {
    const { status, stdout, stderr } = spawnSync(process.execPath, [cli, ...args], {
      cwd: directory,
      encoding: "utf8",
      env: { ...plainEnvironment(), ...sandbox.env, NO_COLOR: "1" },
    });
    expect(status, stdout + stderr).toBe(0);
    return stdout;
  }

  beforeAll(async () => {
    sandbox = await startSandbox();
    directory = mkdtempSync(join(tmpdir(), "edgewise-migration-"));
    const page = { status_code: 503, body: "x", description: "My page" };
    const { id } = await sandbox.request("POST", "/backends/http_response", page);
    const edge = { hostports: ["a.example.com:443"], backend: { backend_id: id }, metadata: "hello" };
    await sandbox.request("POST", "/edges/tls", edge);
    await sandbox.request("POST", "/reserved_addrs", { region: "eu" });
    const restriction = { type: "dashboard", enforced: false, ip_policy_ids: ["ipp_1"], metadata: '{"owner":"me"}' };
    await sandbox.request("POST", "/ip_restrictions", restriction);
    before = await account();
  });
  afterAll(() => {
    sandbox.stop();
    rmSync(directory, { recursive: true, force: true });
  });

  it("exports manifests whose plan only adopts", async () => {
    edgewise("init");
    rmSync(join(directory, "edge/example.yaml"));
    edgewise("export", "--out-dir", "edge");
    const { summary }: { summary: unknown } = JSON.parse(edgewise("plan", "-o", "json"));
    expect(summary).toEqual({ create: 0, update: 0, replace: 0, delete: 0, adopt: 4, orphan: 0, unchanged: 0 });
    expect(await account()).toEqual(before);
  });

  it("adopts them, and then has an empty plan, even without the ids", () => {
    edgewise("apply", "--auto-approve");
    for (const file of manifests()) rewrite(file, /^ +id: .+\n/m, "");
    edgewise("plan", "--detailed-exitcode");
  });

  it("orphans them unchanged", async () => {
    for (const file of manifests()) rewrite(file, /^spec:/m, "lifecycle: { deletion: orphan }\nspec:");
    edgewise("apply", "--auto-approve");
    edgewise("destroy", "--auto-approve");
    expect(await account()).toEqual(before);
  });

  function manifests(): readonly string[] {
    return readdirSync(join(directory, "edge")).map((name) => join(directory, "edge", name));
  }

  function rewrite(file: string, from: RegExp, to: string): void {
    const text = readFileSync(file, "utf8");
    expect(text).toMatch(from);
    writeFileSync(file, text.replace(from, to));
  }
});
