import { type KeyObject, X509Certificate, createPrivateKey } from "node:crypto";
import type { JsonObject } from "../core/json.js";
import type { ModelEnv } from "../model/model-options.js";
import { certificateBlocks, keyTypes, maxChain } from "../core/pem.js";

const extendedUsages: { readonly [oid: string]: string | undefined } = {
  "1.3.6.1.5.5.7.3.1": "serverAuth",
  "1.3.6.1.5.5.7.3.2": "clientAuth",
  "1.3.6.1.5.5.7.3.3": "codeSigning",
  "1.3.6.1.5.5.7.3.4": "emailProtection",
  "1.3.6.1.5.5.7.3.8": "timeStamping",
  "1.3.6.1.5.5.7.3.9": "OCSPSigning",
};

/**
 * The properties that the API shows of a certificate, or why chain and key are refused: the leaf must come first, each
 * certificate must be signed by the next, and the key must be unencrypted and belong to the leaf. Expired certificates
 * are accepted. Messages never contain any part of the key.
 */
export function describeCertificate(chainPem: string, privateKeyPem: string): ReturnType<ModelEnv["certificate"]> {
  const chain = readChain(chainPem);
  if ("error" in chain) return chain;
  const [leaf] = chain;
  const key = readKey(privateKeyPem);
  if ("error" in key) return key;
  const type = keyTypes[key.asymmetricKeyType ?? ""];
  if (type === undefined) return { error: "private_key_pem must be an RSA, ECDSA or Ed25519 key." };
  if (!leaf.checkPrivateKey(key)) return { error: "private_key_pem is not the key of the first certificate." };
  return { facts: facts(leaf, type) };
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
    // Without the reason: messages of the cryptography library may quote their input.
    return { error: "private_key_pem is not an unencrypted PEM-encoded private key." };
  }
}

function facts(leaf: X509Certificate, type: string): JsonObject {
  const { subject, issuer } = leaf.toLegacyObject();
  const names = alternativeNames(leaf);
  return {
    subject_common_name: text(subject.CN),
    subject_alternative_names: { dns_names: names("DNS"), ips: names("IP Address").map(ipText) },
    not_before: timestamp(leaf.validFrom),
    not_after: timestamp(leaf.validTo),
    // Node reads no other usages.
    key_usages: [],
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

/** The first value of a name's attribute; empty when there is none. Certificates may have no subject at all. */
function text(value: string | readonly string[] | undefined): string {
  return (typeof value === "string" ? value : value?.[0]) ?? "";
}

function timestamp(date: string): string {
  return new Date(date).toISOString().replace(".000Z", "Z");
}

/** The alternative names of a certificate by their sort, as Node writes it: `DNS:a.example, IP Address:192.0.2.1`. */
function alternativeNames({ subjectAltName = "" }: X509Certificate): (sort: "DNS" | "IP Address") => readonly string[] {
  // Node quotes a name that holds more than one takes for granted.
  const names = [...subjectAltName.matchAll(/(?:^|, )([^:,"]+):(?:"((?:[^"\\]|\\.)*)"|([^,]*))/gy)];
  return (sort) => names.flatMap(([, of, quoted, bare]) => (of === sort ? [quoted ?? bare ?? ""] : []));
}

/** An address in its shortest form: Node writes all groups of IPv6. */
function ipText(ip: string): string {
  return ip.includes(":") ? new URL(`http://[${ip}]`).hostname.slice(1, -1) : ip;
}
