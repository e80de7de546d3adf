import { generateKeyPairSync } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import type { LoadOptions } from "../../src/manifest/load-run.ts";
import { issue as issueCertificate, type Issued } from "../sandbox/certificates.ts";
import { load } from "./support/load-text.ts";

const manifest = `apiVersion: edgewise/v1
kind: TLSCertificate
metadata: {name: www}
spec:
  certificate_pem: {file: chain.pem}
  private_key_pem: {file: key.pem}
`;
async function issue(name: string, issuer?: Issued, from = "2025-01-01", to = "2035-01-01"): Promise<Issued> {
  const issued = await issueCertificate({
    name: `CN=${name}`,
    ...(issuer === undefined ? {} : { issuer }),
    notBefore: new Date(from),
    notAfter: new Date(to),
  });
  return { ...issued, pem: `${issued.pem}\n` };
}

const now = Date.parse("2026-01-01T00:00:00Z");

let root: Issued;
let middle: Issued;
let leaf: Issued;

beforeAll(async () => {
  root = await issue("Root");
  middle = await issue("Middle", root);
  leaf = await issue("www.example.com", middle);
});

async function found(chain: string, key: string, options: Partial<LoadOptions> = {}): Promise<readonly string[]> {
  const { diagnostics } = await load({ "c.yaml": manifest, "chain.pem": chain, "key.pem": key }, { now, ...options });
  return diagnostics.map(({ code, message }) => `${code}: ${message}`);
}

describe("certificates", () => {
  it("are fine with root, without it, and alone", async () => {
    expect(await found(leaf.pem + middle.pem + root.pem, leaf.key)).toEqual([]);
    expect(await found(leaf.pem + middle.pem, leaf.key)).toEqual([]);
    expect(await found(leaf.pem, leaf.key)).toEqual([]);
  });

  it("must be in order", async () => {
    expect(await found(middle.pem + leaf.pem, middle.key)).toEqual([
      "certificate-order: certificate 1 (Middle) is not signed by certificate 2 (www.example.com)",
    ]);
  });

  it("are told apart by their dates, as warnings", async () => {
    const old = await issue("old", undefined, "2020-01-01", "2021-01-01");
    const early = await issue("early", undefined, "2030-01-01", "2031-01-01");
    expect(await found(old.pem, old.key)).toEqual([
      "certificate-expired: the certificate of old expired on 2021-01-01",
    ]);
    expect(await found(early.pem, early.key)).toEqual([
      "certificate-not-yet-valid: the certificate of early is not valid before 2030-01-01",
    ]);
  });

  it("hold no private key", async () => {
    expect(await found(leaf.pem + leaf.key, leaf.key)).toEqual([
      "certificate-holds-key: certificate_pem contains a private key",
    ]);
  });

  it("must be certificates", async () => {
    expect(await found("hello", leaf.key)).toEqual([
      expect.stringContaining("certificate-invalid: certificate_pem has no"),
    ]);
    const broken = leaf.pem + middle.pem.replace(/\n[^-]{20}/, "\nAAAAAAAAAAAAAAAAAAAA");
    expect(await found(broken, leaf.key)).toEqual([
      "certificate-invalid: certificate_pem can't be read: certificate 2 of 2",
    ]);
  });
});

describe("private keys", () => {
  it("belong to the leaf", async () => {
    expect(await found(leaf.pem, middle.key)).toEqual([
      "private-key-mismatch: the private key does not belong to the certificate of www.example.com",
    ]);
  });

  it("are plain PEM", async () => {
    const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const encrypted = privateKey.export({ type: "pkcs8", format: "pem", cipher: "aes-256-cbc", passphrase: "hunter2" });
    for (const key of [String(encrypted), middle.pem, "hunter2-hunter2"])
      expect(await found(leaf.pem, key)).toEqual(["private-key-invalid: the private key can't be read"]);
  });

  it("are checked when they are at hand, and left to the plan when not", async () => {
    expect(await found(leaf.pem, middle.key, { plansUnavailable: true })).toEqual([
      expect.stringContaining("private-key-mismatch"),
    ]);
    expect(await found(leaf.pem, "", { plansUnavailable: true })).toEqual([]);
    expect(await found(leaf.pem, "")).toEqual(['secret-unavailable: "key.pem": it is empty']);
  });

  it("are not read unless the check is deep", async () => {
    expect(await found(leaf.pem, middle.key, { deep: false })).toEqual([]);
  });
});
