import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { makeCertificate } from "../../../scripts/certificate.mjs";
import { startSandbox } from "../../../scripts/sandbox.mjs";
import { run } from "../../../src/commands/run.ts";
import type { Plan } from "../../../src/plan/plan-format.ts";
import { memoryIo } from "../../commands/memory-io.ts";
import { violations } from "../../schemas/all-schemas.ts";
import { root } from "../../repository/source-files.ts";

const example = join(root, "examples/production");

async function edgewise(cwd: string, args: readonly string[], env: { readonly [name: string]: string } = {}) {
  const io = memoryIo({ cwd, env });
  const status = await run(args, io);
  return { status, stdout: io.out(), stderr: io.err() };
}

function kept(plan: Plan): string {
  const ids = new Map<string, string>();
  for (const { address, id } of plan.changes) if (id !== null) ids.set(id, `id-of-${address.split("/")[1]}`);
  const steady = {
    ...plan,
    baseUrl: "https://api.example.com",
    toolVersion: "0.0.0",
    hash: `sha256:${"0".repeat(64)}`,
    commit: null,
    preconditions: [],
    operations: plan.operations.map((operation) => ({ ...operation, expects: undefined })),
    unavailableSecrets: [],
    // What the policies themselves said.
    refusals: [],
    warnings: [],
  };
  let text = JSON.stringify(steady, null, 2);
  for (const [id, name] of ids) text = text.replaceAll(id, name);
  return `${text}\n`;
}

describe("the policies of examples/production", () => {
  let sandbox: Awaited<ReturnType<typeof startSandbox>>;
  let directory: string;
  let env: { readonly [name: string]: string };

  beforeAll(async () => {
    sandbox = await startSandbox();
    directory = mkdtempSync(join(tmpdir(), "edgewise-policies-"));
    cpSync(example, directory, { recursive: true });
    const pair = await makeCertificate(["example.com", "*.example.com"]);
    writeFileSync(join(directory, "certificates/wildcard.pem"), pair.certificate);
    const file = join(directory, "edgewise.yaml");
    writeFileSync(file, readFileSync(file, "utf8").replaceAll(/^ +(?:api: \{ baseUrl|requestsPerMinute): .+\n/gm, ""));
    env = { ...sandbox.env, WILDCARD_TLS_KEY: pair.key, GITHUB_WEBHOOK_SECRET: "not-a-real-secret" };
  });
  afterAll(() => {
    sandbox.stop();
    rmSync(directory, { recursive: true, force: true });
  });

  async function planned(...flags: readonly string[]): Promise<Plan> {
    const { stderr, stdout } = await edgewise(directory, ["plan", "-o", "json", ...flags], env);
    expect(stdout, stderr).toMatch(/^\{/);
    return JSON.parse(stdout);
  }

  function expectKept(name: string, plan: Plan): void {
    const file = join(example, "tests", name);
    if (process.env["UPDATE_GOLDEN"] === "1") writeFileSync(file, kept(plan));
    const text = readFileSync(file, "utf8");
    // Compared as data: the formatter writes short lists on one line.
    expect(JSON.parse(text), `${name}: UPDATE_GOLDEN=1 writes it`).toEqual(JSON.parse(kept(plan)));
    expect(violations("plan", JSON.parse(text))).toEqual([]);
  }

  const edges = ["--only", "TLSEdge/api", "--only", "TLSEdge/api-v1"];

  it.each([
    ["usual.json", ["-e", "staging", ...edges]],
    ["old-tls.json", ["-e", "staging", "--var", "minTls=1.0", ...edges]],
    ["prod.json", ["-e", "prod", ...edges]],
    ["elsewhere.json", ["-e", "prod", "--var", "domain=elsewhere.test", ...edges]],
  ])("have the plan that edgewise makes today: %s", async (name, flags) => {
    expectKept(name, await planned(...flags));
  });

  it("refuse many deletes, which no address lifts", async () => {
    const backend = (name: string): string =>
      `apiVersion: edgewise/v1\nkind: HTTPResponseBackend\nmetadata: {name: ${name}}\nspec: {status_code: 410}\n---\n`;
    const file = join(directory, "edge/old.yaml");
    writeFileSync(file, ["old-a", "old-b", "old-c"].map(backend).join(""));
    const applied = await edgewise(directory, ["apply", "-y", "-e", "staging"], env);
    expect(applied.status, applied.stdout + applied.stderr).toBe(0);
    rmSync(file);
    const flags = ["-e", "staging", "--max-deletes", "3", "--allow", "HTTPResponseBackend/old-a"];
    const plan = await planned(...flags);
    expectKept("many-deletes.json", await planned("-e", "staging", "--max-deletes", "3"));
    expect(plan.refusals).toMatchObject([{ code: "policy", policy: "small-steps" }]);
    expect(plan.refusals[0]).not.toHaveProperty("address");
    expect((await edgewise(directory, ["apply", "-y", ...flags], env)).status).toBe(4);
  });

  it("are all satisfied in prod, which is applied, converges, and shows no secret on the way", async () => {
    const other = await startSandbox();
    onTestFinished(() => other.stop());
    const own = { ...env, ...other.env };
    const applied = await edgewise(directory, ["apply", "-e", "prod", "--auto-approve", "--verbose"], own);
    expect(applied.status, applied.stdout + applied.stderr).toBe(0);
    for (const secret of ["not-a-real-secret", "PRIVATE KEY", other.apiKey])
      expect(applied.stdout + applied.stderr).not.toContain(secret);
    expect(await edgewise(directory, ["plan", "-e", "prod", "--detailed-exitcode"], own)).toMatchObject({ status: 0 });
    expect(await edgewise(directory, ["drift", "-e", "prod"], own)).toMatchObject({ status: 0 });
  });

  it("pass their tests", async () => {
    const { status, stdout, stderr } = await edgewise(example, ["policy", "test", "-o", "json", "-e", "prod"]);
    expect(status, stdout + stderr).toBe(0);
    const report = JSON.parse(stdout);
    expect(violations("policy-test", report)).toEqual([]);
    expect(report.policies.flatMap((policy: { tests: unknown[] }) => policy.tests)).toHaveLength(9);
  });
});
