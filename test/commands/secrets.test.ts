import { beforeAll, describe, expect, it } from "vitest";
import { makeCertificate } from "../../scripts/certificate.mjs";
import { backend, stage, type Stage } from "./stage.ts";

let certificate = "";
let key = "";
const webhookSecret = "webhook-secret-0123456789";

beforeAll(async () => {
  ({ certificate, key } = await makeCertificate(["a.example.com"]));
});

const manifests = `apiVersion: edgewise/v1
kind: TLSCertificate
metadata: {name: a}
spec:
  certificate_pem: {file: a.pem}
  private_key_pem: {env: A_KEY}
---
apiVersion: edgewise/v1
kind: HTTPSEdgeRoute
metadata: {name: hooks, id: edghtsrt_1}
spec:
  edge: {id: edghts_1}
  webhook_verification: {provider: GITHUB, secret: {env: HOOK}}
`;

async function secretive(faults: readonly string[] = []): Promise<Stage> {
  const on = await stage({ faults });
  await on.write("edge/a.pem", certificate);
  await on.write("edge/all.yaml", manifests);
  return on;
}

function secrets(): readonly string[] {
  return [webhookSecret, ...key.split("\n").filter((line) => line.length > 20 && !line.startsWith("-----"))];
}

function expectNoSecret(text: string): void {
  for (const secret of secrets()) expect(text).not.toContain(secret);
}

describe("secrets", () => {
  it("planning needs none; applying sends them; nothing shows them", async () => {
    const { run, read, env, sandbox } = await secretive();
    const planned = await run("plan", "--out", "plan.json", "-v");
    expect(planned.exit).toBe(0);
    Object.assign(env, { A_KEY: key, HOOK: webhookSecret });
    const applied = await run("apply", "plan.json", "-y", "-v", "-o", "json", "--journal", "journal.jsonl");
    expect(applied.exit).toBe(0);
    expect(JSON.parse(applied.out)).toMatchObject({ outcome: "applied", verified: true });
    const { modules } = sandbox.world();
    expect(JSON.stringify(modules)).toContain(webhookSecret);
    expectNoSecret(
      planned.out + planned.err + applied.out + applied.err + (await read("plan.json")) + (await read("journal.jsonl")),
    );
  });

  it("a rotated webhook secret is one change, shown as such and not in clear", async () => {
    const { run, env } = await secretive();
    Object.assign(env, { A_KEY: key, HOOK: webhookSecret });
    await run("apply", "-y");
    expect((await run("plan", "--detailed-exitcode")).exit).toBe(0);
    env["HOOK"] = "another-secret-9876543210";
    const { exit, out } = await run("plan", "--detailed-exitcode");
    expect(exit).toBe(2);
    expect(out).toContain("webhook_verification.secret");
    expect(out).not.toContain("another-secret-9876543210");
    expectNoSecret(out);
  });

  it.each([
    ["was changed", (text: string) => text.replace("env: A_KEY", "env: OTHER_KEY")],
    ["is gone", (text: string) => text.slice(text.indexOf("---"))],
  ])("a saved plan is refused when the manifest that a secret comes from %s", async (_, edit) => {
    const { run, env, write, writes } = await secretive();
    await run("plan", "--out", "plan.json");
    await write("edge/all.yaml", edit(manifests));
    Object.assign(env, { A_KEY: key, OTHER_KEY: key, HOOK: webhookSecret });
    const { exit, out } = await run("apply", "plan.json", "-y", "-o", "json");
    expect(exit).toBe(4);
    expect(JSON.parse(out)).toMatchObject({ outcome: "refused" });
    expect(out).toContain("stale-plan");
    expect(writes()).toBe(0);
  });

  it("a saved plan holds although something that it needs no secret of has changed", async () => {
    const { run, env, write } = await secretive();
    await run("plan", "--out", "plan.json", "--only", "TLSCertificate/a");
    await write("edge/all.yaml", manifests.replace("GITHUB", "GITLAB"));
    Object.assign(env, { A_KEY: key, HOOK: webhookSecret });
    expect((await run("apply", "plan.json", "-y")).exit).toBe(0);
  });

  it("an exported certificate says what to provide, and is adopted without its key", async () => {
    const { run, behind } = await stage();
    behind("POST", "/tls_certificates", { certificate_pem: certificate, private_key_pem: key, description: "Web" });
    const { exit, err } = await run("export", "--out-dir", "edge");
    expect(exit).toBe(0);
    expect(err).toContain("WEB_PRIVATE_KEY  private_key_pem of TLSCertificate/web");
    expect(JSON.parse((await run("plan", "-o", "json")).out).summary).toMatchObject({
      adopt: 1,
      create: 0,
      replace: 0,
    });
    expect((await run("apply", "-y")).exit).toBe(0);
  });

  it("certificates that expire soon are drift when asked for", async () => {
    const { run, env } = await secretive();
    Object.assign(env, { A_KEY: key, HOOK: webhookSecret });
    await run("apply", "-y");
    expect((await run("drift")).exit).toBe(0);
    // The clock of tests stands in 2023, years before the certificate ends.
    const { exit, out } = await run("drift", "--expires-within", "999999d", "-o", "json");
    expect(exit).toBe(2);
    expect(JSON.parse(out).findings).toMatchObject([{ type: "expiring", address: "TLSCertificate/a" }]);
  });
});

describe("the API key in a live text", () => {
  it("is never shown, and nothing is sent instead of it", async () => {
    const { behind, read, run, sandbox, write, writes } = await stage();
    const described = { description: `note ${sandbox.apiKey}`, metadata: `keep ${sandbox.apiKey}` };
    const { id } = behind("POST", "/backends/http_response", { status_code: 503, ...described });
    await write("edge/a.yaml", backend("a", 'status_code: 504, body: "(secret)"', `, id: ${String(id)}`));
    await write("edge/b.yaml", backend("b", 'status_code: 504, body: "(secret)"'));
    const ignored = `lifecycle: {ignore: [spec.description, spec.metadata]}\n${await read("edge/a.yaml")}`;
    await write("edge/a.yaml", ignored.replace(/\n---\s*$/u, "\n"));
    const planned = await run("plan", "-o", "json");
    const applied = await run("apply", "-y");
    expect(applied.exit).toBe(3);
    expect(applied.out + applied.err).toContain("the live resource holds the API key");
    expect(JSON.stringify([planned, applied])).not.toContain(sandbox.apiKey);
    expect(writes()).toBe(1);
    const bodies = sandbox.world().lists.HTTPResponseBackend;
    expect(bodies).toMatchObject([{ body: "(secret)" }, { status_code: 503, ...described }]);
  });
});
