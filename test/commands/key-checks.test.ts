import { generateKeyPairSync } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { makeCertificate } from "../../scripts/certificate.mjs";
import { type Stage, backend, stage } from "./stage.ts";

let certificate = "";
let key = "";
let otherKey = "";

beforeAll(async () => {
  ({ certificate, key } = await makeCertificate(["a.example.com"]));
  ({ key: otherKey } = await makeCertificate(["b.example.com"]));
});

const manifest = `apiVersion: edgewise/v1
kind: TLSCertificate
metadata: {name: a}
spec:
  certificate_pem: {file: a.pem}
  private_key_pem: {env: A_KEY}
---
`;

async function withKey(text: string | null, faults: readonly string[] = []): Promise<Stage> {
  const on = await stage({ faults });
  await on.write("edge/a.pem", certificate);
  await on.write("edge/all.yaml", manifest + backend("down"));
  if (text !== null) on.env["A_KEY"] = text;
  return on;
}

const encrypted = (): string => {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  return privateKey.export({ type: "pkcs8", format: "pem", cipher: "aes-256-cbc", passphrase: "hunter2" }).toString();
};
const ed448 = (): string => generateKeyPairSync("ed448").privateKey.export({ type: "pkcs8", format: "pem" }).toString();

describe("a private key", () => {
  it("that is missing is an error before the account's lock is taken", async () => {
    const on = await withKey(null);
    const { exit, err } = await on.run("apply", "-y", "--lock");
    expect(exit, err).toBe(1);
    expect(err).toContain("A_KEY");
    expect(on.writes()).toBe(0);
  });

  it.each([
    ["of another certificate", "private-key-mismatch", () => otherKey],
    ["that can't be parsed", "private-key-invalid", () => key.replace(/\n[^-]{20}/u, "\nAAAAAAAAAAAAAAAAAAAA")],
    ["that is encrypted", "private-key-invalid", encrypted],
    ["of a type that the API does not know", "private-key-invalid", ed448],
  ])("%s is the same error in validate, plan and apply, and nothing is written", async (_, code, wrong) => {
    const { run, writes } = await withKey(wrong());
    const validated = await run("validate", "-o", "json");
    expect(validated.exit).toBe(1);
    expect(JSON.parse(validated.out).diagnostics).toContainEqual(expect.objectContaining({ code, severity: "error" }));
    for (const command of [["plan"], ["plan", "--out", "plan.json"], ["apply", "-y"]]) {
      const { exit, err } = await run(...command);
      expect([command, exit]).toEqual([command, 1]);
      expect(err).toContain(`[${code}]`);
    }
    expect(writes()).toBe(0);
  });

  it("that is not available is a warning, no obstacle to a plan, and an error before the first write", async () => {
    const { run, writes } = await withKey(null);
    const validated = await run("validate", "-o", "json");
    expect(validated.exit).toBe(0);
    expect(JSON.parse(validated.out).diagnostics).toContainEqual(
      expect.objectContaining({ code: "secret-unavailable", severity: "warning" }),
    );
    const planned = await run("plan", "-o", "json");
    expect(planned.exit).toBe(0);
    expect(planned.err).not.toContain("A_KEY");
    expect(JSON.parse(planned.out)).toMatchObject({
      summary: { create: 2 },
      refusals: [],
      warnings: [{ code: "secret-unavailable", address: "TLSCertificate/a" }],
    });
    const applied = await run("apply", "-y");
    expect(applied.exit).toBe(1);
    expect(applied.err).toContain("A_KEY");
    expect(writes()).toBe(0);
  });

  it("is not needed, nor missed, once its certificate is live", async () => {
    const { run, env, write } = await withKey(key);
    expect((await run("apply", "-y")).exit).toBe(0);
    delete env["A_KEY"];
    await write("edge/all.yaml", manifest + backend("down", "status_code: 502"));
    const planned = await run("plan", "-o", "json");
    expect(JSON.parse(planned.out)).toMatchObject({ summary: { update: 1, unchanged: 1 }, warnings: [] });
    expect((await run("apply", "-y")).exit).toBe(0);
  });
});

it("plan and apply warn of a certificate's dates as validate does", async () => {
  // The clock of tests stands before the certificate begins.
  const { run } = await withKey(key);
  for (const command of [["validate"], ["plan"], ["apply", "-y"]]) {
    const { exit, out, err } = await run(...command);
    expect(exit).toBe(0);
    expect(out + err).toContain("[certificate-not-yet-valid]");
  }
});
