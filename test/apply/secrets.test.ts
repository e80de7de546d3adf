import { expect, it } from "vitest";
import { Secret } from "../../src/core/secret.ts";
import { Bench } from "./support/bench.ts";
import { create, patch } from "./support/operations.ts";

const canary = "canary-7d1f0c";
const reference = "TLSCertificate/x#private_key_pem";
const bind = { "/private_key_pem": { secret: reference } };
const upload = create("op-2", "TLSCertificate/x", { certificate_pem: "PEM", private_key_pem: null }, { bind });

it("a secret is sent and told nowhere", async () => {
  const bench = new Bench();
  bench.deps = { ...bench.deps, resolveSecret: (asked) => Secret.of(canary, `env ${asked}`) };
  bench.service.fault = () => ({ answer: { id: "cert_1", certificate_pem: "other", private_key_pem: canary } });
  const report = await bench.apply([upload]);
  expect(bench.service.seen[0]?.text).toContain(`"private_key_pem":"${canary}"`);
  expect(report.outcome).toBe("applied");
  expect(report.warnings).toMatchObject([{ code: "response-differs", address: "TLSCertificate/x" }]);
  expect(report.warnings[0]?.message).toMatch(/differs from the request in certificate_pem$/u);
  expect(JSON.stringify([report, bench.events])).not.toContain(canary);
});

it("a secret that is missing stops everything before the first write, and all are named", async () => {
  const bench = new Bench();
  bench.deps = {
    ...bench.deps,
    resolveSecret: (asked) =>
      asked.includes("good") ? Secret.of(canary, "env G") : Secret.unavailable(`env ${asked}`, "it is not set"),
  };
  const good = create(
    "op-3",
    "TLSCertificate/g",
    { private_key_pem: null },
    { bind: { "/private_key_pem": { secret: "good" } } },
  );
  const other = create("op-4", "TLSCertificate/y", { k: null }, { bind: { "/k": { secret: "other" } } });
  const applying = bench.apply([patch("op-1", "a", { description: "1" }), upload, good, other]);
  await expect(applying).rejects.toMatchObject({ code: "secret-unavailable", exit: 1 });
  await expect(applying).rejects.toThrow(/TLSCertificate\/x#private_key_pem.*it is not set.*other/u);
  await expect(applying).rejects.not.toThrow(canary);
  expect(bench.service.log).toEqual([]);
});
