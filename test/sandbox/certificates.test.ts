import { createPrivateKey } from "node:crypto";
import { describe, expect, it } from "vitest";
import { describeCertificate } from "../../src/sandbox/sandbox-environment.ts";
import type { Issued } from "./certificates.ts";
import { issue, selfSigned } from "./certificates.ts";
import * as x509 from "@peculiar/x509";

const message = (chain: string, key: string): string => {
  const described = describeCertificate(chain, key);
  return "error" in described ? described.error : "accepted";
};

async function chainOfThree(): Promise<readonly [Issued, Issued, Issued]> {
  const root = await issue({ name: "CN=Root" });
  const middle = await issue({ name: "CN=Middle", issuer: root });
  return [await issue({ name: "CN=a.example", issuer: middle }), middle, root];
}

describe("a certificate's description", () => {
  it("tells everything that the specification lists", async () => {
    const { pem, key } = await issue({
      name: "C=DE, ST=Bayern, L=München, O=Example AG, OU=Edge, CN=a.example",
      extensions: [
        new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature | x509.KeyUsageFlags.keyEncipherment, true),
        new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth, "1.2.3.4"]),
        new x509.SubjectAlternativeNameExtension([
          { type: "dns", value: "*.a.example" },
          { type: "ip", value: "192.0.2.1" },
          { type: "ip", value: "2001:db8::1" },
          { type: "email", value: "dns:not@this.example" },
        ]),
      ],
    });
    expect(describeCertificate(pem, key)).toEqual({
      facts: {
        subject_common_name: "a.example",
        subject_alternative_names: { dns_names: ["*.a.example"], ips: ["192.0.2.1", "2001:db8::1"] },
        not_before: "2020-01-02T03:04:05Z",
        not_after: "2040-01-02T03:04:05Z",
        key_usages: [],
        extended_key_usages: ["1.3.6.1.5.5.7.3.1", "1.2.3.4"],
        private_key_type: "ecdsa",
        issuer_common_name: "a.example",
        serial_number: "01ab",
        subject_organization: "Example AG",
        subject_organizational_unit: "Edge",
        subject_locality: "München",
        subject_province: "Bayern",
        subject_country: "DE",
      },
    });
  });
});

describe("a chain", () => {
  it("stands leaf first, each certificate signed by the next, the root optional", async () => {
    const [leaf, middle, root] = await chainOfThree();
    expect(message([leaf.pem, middle.pem, root.pem].join("\n"), leaf.key)).toBe("accepted");
    expect(message(`\n comment\n${leaf.pem}${middle.pem}  \n`, leaf.key)).toBe("accepted");
    expect(message([leaf.pem, root.pem].join("\n"), leaf.key)).toContain("certificate 1 is not signed");
    expect(message([leaf.pem, root.pem, middle.pem].join("\n"), leaf.key)).toContain("certificate 1 is not signed");
    expect(message([middle.pem, leaf.pem].join("\n"), leaf.key)).toContain("certificate 1 is not signed");
  });
});

describe("what is refused", () => {
  it("is said in words that hold nothing of the key", async () => {
    const [a, b] = await Promise.all([selfSigned("a.example"), selfSigned("b.example")]);
    const encrypted = createPrivateKey(a.key)
      .export({ type: "pkcs8", format: "pem", cipher: "aes-256-cbc", passphrase: "x" })
      .toString();
    const broken = a.pem.replace(/\n.{20}/, "\nAAAAAAAAAAAAAAAAAAAA");
    const cases: readonly (readonly [string, string, RegExp])[] = [
      [a.pem, b.key, /does not belong to/],
      [a.pem, "hush-hush", /private key can't be read/],
      [a.pem, encrypted, /private key can't be read/],
      [a.pem, a.pem, /private key can't be read/],
      ["nothing", a.key, /no line -----BEGIN/],
      [broken, a.key, /can't be read: certificate 1/],
    ];
    for (const [chain, key, wanted] of cases) {
      expect(message(chain, key)).toMatch(wanted);
      expect(message(chain, key)).not.toContain("hush");
    }
  });
});
