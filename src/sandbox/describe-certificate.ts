import { type KeyObject, X509Certificate, createPrivateKey } from "node:crypto";
import type { CertificateFacts } from "../model/model-options.js";
import { certificateBlocks, maxChain } from "../pem.js";
import { readExtensions } from "./certificate-extensions.js";

const keyTypes: { readonly [type: string]: CertificateFacts["private_key_type"] | undefined } = {
  rsa: "rsa",
  "rsa-pss": "rsa",
  ec: "ecdsa",
  ed25519: "ed25519",
};

const extendedUsages: { readonly [oid: string]: string | undefined } = {
  "1.3.6.1.5.5.7.3.1": "serverAuth",
  "1.3.6.1.5.5.7.3.2": "clientAuth",
  "1.3.6.1.5.5.7.3.3": "codeSigning",
  "1.3.6.1.5.5.7.3.4": "emailProtection",
  "1.3.6.1.5.5.7.3.8": "timeStamping",
  "1.3.6.1.5.5.7.3.9": "OCSPSigning",
};

/**
 * What a chain says of its leaf (specification, "TLS certificate"), or why chain and key can't be taken:
 * the leaf comes first, each certificate is signed by the next, the key is unencrypted and the leaf's own.
 * Certificates that have expired are fine. No message holds any part of the key.
 */
export function describeCertificate(chainPem: string, privateKeyPem: string): CertificateFacts | { error: string } {
  const chain = readChain(chainPem);
  if ("error" in chain) return chain;
  const [leaf] = chain;
  const key = readKey(privateKeyPem);
  if ("error" in key) return key;
  const type = keyTypes[key.asymmetricKeyType ?? ""];
  if (type === undefined) return { error: "private_key_pem must be an RSA, ECDSA or Ed25519 key." };
  if (!leaf.checkPrivateKey(key)) return { error: "private_key_pem is not the key of the first certificate." };
  return facts(leaf, type);
}

function readChain(pem: string): readonly [X509Certificate, ...X509Certificate[]] | { error: string } {
  const blocks = certificateBlocks(pem);
  if (blocks.length > maxChain) return { error: `certificate_pem holds more than ${maxChain} certificates.` };
  const chain: X509Certificate[] = [];
  for (const [index, block] of blocks.entries()) {
    try {
      chain.push(new X509Certificate(block));
    } catch {
      return { error: `certificate_pem: certificate ${index + 1} can't be read.` };
    }
  }
  const [leaf, ...rest] = chain;
  if (leaf === undefined) return { error: "certificate_pem holds no PEM-encoded certificate." };
  let signed = leaf;
  for (const [index, issuer] of rest.entries()) {
    if (!signed.checkIssued(issuer) || !signed.verify(issuer.publicKey)) {
      return {
        error: `certificate_pem: certificate ${index + 1} is not signed by the one after it; the leaf comes first.`,
      };
    }
    signed = issuer;
  }
  return [leaf, ...rest];
}

function readKey(pem: string): KeyObject | { error: string } {
  try {
    return createPrivateKey(pem);
  } catch {
    // The reason is left out: messages of the cryptography library may quote what they read.
    return { error: "private_key_pem is not an unencrypted PEM-encoded private key." };
  }
}

function facts(leaf: X509Certificate, type: CertificateFacts["private_key_type"]): CertificateFacts {
  const { subject, issuer } = leaf.toLegacyObject();
  const extensions = readExtensions(leaf.raw);
  return {
    subject_common_name: text(subject.CN),
    subject_alternative_names: { dns_names: extensions.dnsNames, ips: extensions.ips },
    not_before: timestamp(leaf.validFrom),
    not_after: timestamp(leaf.validTo),
    key_usages: extensions.keyUsages,
    // Despite its name, Node's keyUsage holds the extended usages; it is undefined when there are none.
    extended_key_usages: ((leaf.keyUsage as readonly string[] | undefined) ?? []).map(
      (oid) => extendedUsages[oid] ?? oid,
    ),
    private_key_type: type,
    issuer_common_name: text(issuer.CN),
    serial_number: leaf.serialNumber.toLowerCase(),
    subject_organization: text(subject.O),
    subject_organizational_unit: text(subject.OU),
    subject_locality: text(subject.L),
    subject_province: text(subject.ST),
    subject_country: text(subject.C),
  };
}

/** The first value of a name's part; empty when there is none. Certificates may leave the subject out altogether. */
function text(value: string | readonly string[] | undefined): string {
  return (typeof value === "string" ? value : value?.[0]) ?? "";
}

function timestamp(date: string): string {
  return new Date(date).toISOString().replace(".000Z", "Z");
}
