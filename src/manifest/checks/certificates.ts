import { type KeyObject, X509Certificate, createPrivateKey } from "node:crypto";
import type { DocumentPath } from "../../core/document-path.js";
import { certificateBlocks, keyTypes, maxChain } from "../../core/pem.js";
import { Secret } from "../../core/secret.js";
import type { ManifestCheck, ManifestProblem, ReportProblem } from "../parsed-manifest.js";

const chainPath: DocumentPath = ["spec", "certificate_pem"];
const keyPath: DocumentPath = ["spec", "private_key_pem"];

/** Certificate chains can be read, are in order and belong to their keys. Only deep checks read the keys. */
export const certificates: ManifestCheck = ({ spec }, report, { deep, now }) => {
  const { certificate_pem: pem, private_key_pem: secret } = spec;
  if (typeof pem !== "string") return;
  const key = deep && secret instanceof Secret && secret.missing === null ? secret.reveal() : null;
  if (privateKeyLine.test(pem)) {
    report(holdsKey(pem, key));
    // The other half of a swap is no news.
    if (!certificateLine.test(pem)) return;
  }
  const chain = parseChain(pem, report);
  if (chain === null) return;
  const wrong = chain.findIndex((each, index) => index > 0 && !signed(chain[index - 1], each));
  if (wrong !== -1) report({ code: "certificate-order", path: chainPath, ...wrongOrder(chain, wrong) });
  if (now !== undefined)
    for (const [index, certificate] of chain.entries()) checkDates(certificate, index, now, report);
  if (key !== null) checkKey(chain, key, report);
};

const certificateLine = /-{2,8} ?BEGIN CERTIFICATE-/iu;
const privateKeyLine = /-{2,8} ?BEGIN [A-Z0-9 ]{0,30}PRIVATE KEY-/iu;

/** A key where the certificates are: often the two fields are swapped. */
function holdsKey(pem: string, key: string | null): ManifestProblem {
  const problem = { code: "certificate-holds-key", path: chainPath, sensitive: true } as const;
  if (certificateLine.test(pem)) {
    const message = "certificate_pem contains a private key, which would be stored and returned in plain text";
    const remedy = "Put the certificates and the key into two files. Treat the key as leaked if it was committed.";
    return { ...problem, message, remedy };
  }
  if (key !== null && certificateLine.test(key)) {
    const remedy = "Exchange the two values. Treat the key as leaked if it was committed.";
    return { ...problem, message: "certificate_pem and private_key_pem are swapped: this is the private key", remedy };
  }
  const message = "certificate_pem is a private key, which would be stored and returned in plain text";
  return { ...problem, message, remedy: "Name the certificate here, and the key in private_key_pem." };
}

function parseChain(pem: string, report: ReportProblem): readonly X509Certificate[] | null {
  const invalid = (message: string, remedy?: string): null => {
    report({ code: "certificate-invalid", message, ...(remedy === undefined ? {} : { remedy }), path: chainPath });
    return null;
  };
  const blocks = certificateBlocks(pem);
  if (blocks.length === 0) {
    const remedy = pem.includes("BEGIN ")
      ? "Name the file of the certificate."
      : "Put the whole PEM into it, with its first and last line.";
    const message = "certificate_pem has no line -----BEGIN CERTIFICATE-----";
    // It may be anything, even a key.
    report({ code: "certificate-invalid", message, remedy, path: chainPath, sensitive: true });
    return null;
  }
  if (blocks.length > maxChain) {
    const message = `certificate_pem has ${blocks.length} certificates, more than the limit of ${maxChain}`;
    return invalid(message, "Keep the leaf and the certificates that sign it.");
  }
  const chain: X509Certificate[] = [];
  for (const [index, block] of blocks.entries()) {
    try {
      chain.push(new X509Certificate(block));
    } catch {
      return invalid(`certificate ${index + 1} of ${blocks.length} in certificate_pem can't be read`);
    }
  }
  return chain;
}

/** @param at the first certificate that did not sign the one before it, from 1 */
function wrongOrder(chain: readonly X509Certificate[], at: number): Pick<ManifestProblem, "message" | "remedy"> {
  const [before, here] = [chain[at - 1], chain[at]];
  const message = `certificate ${at} (${commonName(before)}) is not signed by certificate ${at + 1} (${commonName(here)})`;
  const issuer = chain.find((each) => each !== before && signed(before, each));
  if (issuer !== undefined || signed(here, before))
    return {
      message: `${message}: the order is wrong`,
      remedy: "Begin with the certificate of the server, and put after each one that of its issuer.",
    };
  const missing = /^CN=(.*)$/mu.exec(before?.issuer ?? "")?.[1] ?? "its issuer";
  return {
    message: `${message}: it was issued by ${missing}, which is not in the chain`,
    remedy: `Put the certificate of ${missing} after ${commonName(before)}, or remove what follows that one.`,
  };
}

function signed(certificate: X509Certificate | undefined, issuer: X509Certificate | undefined): boolean {
  if (certificate === undefined || issuer === undefined) return false;
  try {
    return certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey);
  } catch {
    return false;
  }
}

/** The common name of a certificate, for messages. */
function commonName(certificate: X509Certificate | undefined): string {
  return /^CN=(.*)$/mu.exec(certificate?.subject ?? "")?.[1] ?? certificate?.subject ?? "no subject";
}

function checkDates(certificate: X509Certificate, index: number, now: number, report: ReportProblem): void {
  const name = commonName(certificate);
  const which = index === 0 ? `the certificate of ${name}` : `certificate ${index + 1} of the chain (${name})`;
  const until = Date.parse(certificate.validTo);
  const from = Date.parse(certificate.validFrom);
  if (until < now)
    report({ code: "certificate-expired", message: `${which} expired on ${day(until)}`, path: chainPath });
  else if (from > now) {
    const message = `${which} is not valid before ${day(from)}`;
    report({ code: "certificate-not-yet-valid", message, path: chainPath });
  }
}

function day(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

/** Nothing of a key is ever shown. */
function checkKey(chain: readonly X509Certificate[], pem: string, report: ReportProblem): void {
  const [leaf] = chain;
  if (leaf === undefined) return;
  let key: KeyObject;
  try {
    key = createPrivateKey(pem);
  } catch {
    report({ code: "private-key-invalid", path: keyPath, ...unreadableKey(pem) });
    return;
  }
  if (keyTypes[key.asymmetricKeyType ?? ""] === undefined) {
    const message = `the private key is of the type ${key.asymmetricKeyType ?? "unknown"}; the service accepts only RSA, ECDSA and Ed25519`;
    report({ code: "private-key-invalid", message, path: keyPath });
    return;
  }
  if (leaf.checkPrivateKey(key)) return;
  const owner = chain.find((certificate) => certificate.checkPrivateKey(key));
  const message = `the private key does not belong to the certificate of ${commonName(leaf)}`;
  const better =
    owner === undefined
      ? { message }
      : {
          message: `${message}, but to that of ${commonName(owner)}`,
          remedy: `Put the certificate of ${commonName(owner)} first in certificate_pem.`,
        };
  report({ code: "private-key-mismatch", path: keyPath, ...better });
}

function unreadableKey(pem: string): Pick<ManifestProblem, "message" | "remedy"> {
  if (/BEGIN ENCRYPTED PRIVATE KEY|^Proc-Type:.{0,20}ENCRYPTED/mu.test(pem))
    return {
      message: "private_key_pem holds an encrypted private key, and the service accepts only unencrypted ones",
      remedy: "Decrypt it with `openssl pkey -in FILE -out FILE`.",
    };
  if (privateKeyLine.test(pem)) return { message: "the private key can't be read" };
  return certificateLine.test(pem)
    ? { message: "private_key_pem holds a certificate, not a private key", remedy: "Name the private key here." }
    : {
        message: "private_key_pem has no line -----BEGIN … PRIVATE KEY-----",
        remedy: "Put the whole PEM into it, with its first and last line.",
      };
}
