import type { KeyObject, X509Certificate } from "node:crypto";
import type { DocumentPath } from "../../document-path.js";
import { nodeCrypto } from "../../node-crypto.js";
import { certificateBlocks, keyTypes, maxChain } from "../../pem.js";
import { Secret } from "../../secret.js";
import type { ManifestCheck, ReportProblem } from "../parsed-manifest.js";

const chainPath: DocumentPath = ["spec", "certificate_pem"];
const keyPath: DocumentPath = ["spec", "private_key_pem"];

/** Certificate chains can be read, are in order and belong to their keys. Only deep checks read the keys. */
export const certificates: ManifestCheck = ({ spec }, report, { deep, now }) => {
  const pem = spec["certificate_pem"];
  if (typeof pem !== "string") return;
  if (/-----BEGIN [A-Z ]*PRIVATE KEY/u.test(pem)) {
    report({
      code: "certificate-holds-key",
      message: "certificate_pem contains a private key, which would be stored and returned in plain text",
      path: chainPath,
    });
  }
  const chain = parseChain(pem, report);
  if (chain === null) return;
  checkOrder(chain, report);
  if (now !== undefined)
    for (const [index, certificate] of chain.entries()) checkDates(certificate, index, now, report);
  const key = spec["private_key_pem"];
  const [leaf] = chain;
  if (deep && leaf !== undefined && key instanceof Secret && key.missing === null) checkKey(leaf, key.reveal(), report);
};

function parseChain(pem: string, report: ReportProblem): readonly X509Certificate[] | null {
  const blocks = certificateBlocks(pem);
  if (blocks.length > maxChain) {
    report({
      code: "certificate-invalid",
      message: `certificate_pem has ${blocks.length} certificates, more than the limit of ${maxChain}`,
      remedy: "Keep the leaf and the certificates that sign it.",
      path: chainPath,
    });
    return null;
  }
  if (blocks.length === 0) {
    const message = "certificate_pem has no PEM certificate (-----BEGIN CERTIFICATE-----)";
    report({ code: "certificate-invalid", message, path: chainPath });
    return null;
  }
  const { X509Certificate } = nodeCrypto();
  const chain: X509Certificate[] = [];
  for (const [index, block] of blocks.entries()) {
    try {
      chain.push(new X509Certificate(block));
    } catch {
      report({
        code: "certificate-invalid",
        message: `certificate ${index + 1} of ${blocks.length} in certificate_pem can't be read`,
        path: chainPath,
      });
      return null;
    }
  }
  return chain;
}

function checkOrder(chain: readonly X509Certificate[], report: ReportProblem): void {
  for (const [index, certificate] of chain.entries()) {
    const issuer = chain[index + 1];
    if (issuer === undefined || signed(certificate, issuer)) continue;
    const swapped = signed(issuer, certificate) ? "they are in reverse order" : "they don't belong together";
    const message = `certificate ${index + 1} (${nameOf(certificate)}) is not signed by certificate ${index + 2} (${nameOf(issuer)}): ${swapped}`;
    report({ code: "certificate-order", message, path: chainPath });
    return;
  }
}

function signed(certificate: X509Certificate, issuer: X509Certificate): boolean {
  try {
    return certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey);
  } catch {
    return false;
  }
}

function checkDates(certificate: X509Certificate, index: number, now: number, report: ReportProblem): void {
  const which =
    index === 0
      ? `the certificate of ${nameOf(certificate)}`
      : `certificate ${index + 1} of the chain (${nameOf(certificate)})`;
  const until = Date.parse(certificate.validTo);
  const from = Date.parse(certificate.validFrom);
  if (until < now) {
    report({ code: "certificate-expired", message: `${which} expired on ${day(until)}`, path: chainPath });
  } else if (from > now) {
    report({
      code: "certificate-not-yet-valid",
      message: `${which} is not valid before ${day(from)}`,
      path: chainPath,
    });
  }
}

function checkKey(leaf: X509Certificate, pem: string, report: ReportProblem): void {
  let key: KeyObject;
  try {
    key = nodeCrypto().createPrivateKey(pem);
  } catch {
    const encrypted = /ENCRYPTED/u.test(pem);
    const message = encrypted
      ? "the private key is encrypted; the service accepts only unencrypted ones"
      : "the private key can't be read: it is not a PEM private key";
    report({ code: "private-key-invalid", message, path: keyPath });
    return;
  }
  if (keyTypes[key.asymmetricKeyType ?? ""] === undefined) {
    const message = `the private key is of the type ${key.asymmetricKeyType ?? "unknown"}; the service accepts only RSA, ECDSA and Ed25519`;
    report({ code: "private-key-invalid", message, path: keyPath });
    return;
  }
  if (!leaf.checkPrivateKey(key)) {
    report({
      code: "private-key-mismatch",
      message: `the private key does not belong to the certificate of ${nameOf(leaf)}`,
      path: keyPath,
    });
  }
}

function nameOf(certificate: X509Certificate): string {
  const common = /^CN=(.*)$/mu.exec(certificate.subject ?? "")?.[1];
  return common ?? certificate.subject ?? "no subject";
}

function day(time: number): string {
  return Number.isFinite(time) ? new Date(time).toISOString().slice(0, 10) : "an unknown day";
}
