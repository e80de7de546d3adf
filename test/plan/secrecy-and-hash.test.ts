import { describe, expect, it } from "vitest";
import { hashPlan } from "../../src/plan/plan-format.ts";
import { plan } from "../../src/plan/make-plan.ts";
import { Secret } from "../../src/core/secret.ts";
import { Account, defaults } from "./support/account.ts";
import { backend, certificate, edge, route } from "./support/manifests.ts";

describe("a plan holds no secret", () => {
  it("nor a hash of one, whatever it does with it", () => {
    const account = new Account();
    account.watch("HTTPSEdgeRoute", "edghtr_1", "/edges/https/edghts_1/routes/edghtr_1");
    account.call("PUT", "/edges/https/edghts_1/routes/edghtr_1/webhook_verification", {
      provider: "GITHUB",
      secret: "LIVE-SECRET",
    });
    account.secrets["TLSCertificate/replaced#private_key_pem"] = "KEY-OF-replaced";
    account.apply([certificate("replaced", "AAAA")]);
    const planWith = (secret: string): string =>
      JSON.stringify(
        account.plan([
          certificate("created", "CCCC", {}, { private_key_pem: Secret.of(`${secret}-CREATED`, "env KEY") }),
          certificate("replaced", "BBBB", {}, { private_key_pem: Secret.of(`${secret}-REPLACED`, "env KEY") }),
          route("r", { webhook_verification: { provider: "GITHUB", secret: Secret.of(`${secret}-HOOK`, "env HOOK") } }),
        ]),
      );
    const text = planWith("SECRET-A");
    expect(text).not.toMatch(/SECRET-A|LIVE-SECRET|KEY-OF/u);
    expect(text).toContain("TLSCertificate/created#private_key_pem");
    // Nothing in the plan depends on the secret: no hash of it can be in there.
    expect(planWith("SECRET-B")).toBe(text);
  });
});

describe("the hash of a plan", () => {
  const account = new Account();
  account.apply([backend("b"), edge("e")]);
  const desired = [backend("b", { status_code: 200 }), edge("e")];
  const base = account.plan(desired);

  it("is a checksum of everything but itself and the tool's version", () => {
    expect(base.hash).toMatch(/^sha256:[0-9a-f]{64}$/u);
    expect(hashPlan(base)).toBe(base.hash);
    expect(hashPlan({ ...base, hash: "sha256:other" } as typeof base)).toBe(base.hash);
    expect(plan(desired, account.live(), { ...defaults, toolVersion: "9.9.9" }).hash).toBe(base.hash);
  });

  it("survives being saved and read, with members in any order", () => {
    const saved = JSON.parse(JSON.stringify(base)) as typeof base;
    expect(hashPlan(saved)).toBe(base.hash);
    const reversed = Object.fromEntries(Object.entries(saved).toReversed()) as typeof saved;
    expect(hashPlan(reversed)).toBe(base.hash);
  });

  it.each([
    ["the stack", { stack: "other" }],
    ["an operation", { operations: [] }],
    ["what is no longer served", { unserved: ["hostport:a.example:443"] }],
  ])("changes with %s", (_what, part) => {
    expect(hashPlan({ ...base, ...part })).not.toBe(base.hash);
  });
});
