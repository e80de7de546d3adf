import { type KeyObject, X509Certificate, createPrivateKey } from "node:crypto";
import type { CertificateFacts } from "../model/model-options.js";
import { certificateBlocks, keyTypes, maxChain } from "../pem.js";

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
    // Without the reason: messages of the cryptography library may quote their input.
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

/** The first value of a name's attribute; empty when there is none. Certificates may have no subject at all. */
function text(value: string | readonly string[] | undefined): string {
  return (typeof value === "string" ? value : value?.[0]) ?? "";
}

function timestamp(date: string): string {
  return new Date(date).toISOString().replace(".000Z", "Z");
}

/** The extensions that the API shows (RFC 5280, section 4.2.1). */
interface CertificateExtensions {
  readonly keyUsages: readonly string[];
  readonly dnsNames: readonly string[];
  readonly ips: readonly string[];
}

const keyUsageNames = [
  "digitalSignature",
  "nonRepudiation",
  "keyEncipherment",
  "dataEncipherment",
  "keyAgreement",
  "keyCertSign",
  "cRLSign",
  "encipherOnly",
  "decipherOnly",
];
const keyUsageOid = "551d0f";
const alternativeNamesOid = "551d11";

/**
 * Reads key usage, which Node does not expose, and alternative names, which Node only gives as text that can't be parsed
 * safely.
 * @param certificate DER of a certificate that Node has parsed
 */
function readExtensions(certificate: Uint8Array): CertificateExtensions {
  const [whole] = derElements(certificate);
  const [body] = derElements(whole?.content ?? new Uint8Array());
  const wrapped = derElements(body?.content ?? new Uint8Array()).find(({ tag }) => tag === derTag.extensions);
  const [list] = derElements(wrapped?.content ?? new Uint8Array());
  const byOid = new Map<string, Uint8Array>();
  for (const extension of derElements(list?.content ?? new Uint8Array())) {
    const parts = derElements(extension.content);
    const oid = parts.find(({ tag }) => tag === derTag.oid);
    const value = parts.find(({ tag }) => tag === derTag.octetString);
    if (oid !== undefined && value !== undefined) byOid.set(Buffer.from(oid.content).toString("hex"), value.content);
  }
  return { keyUsages: readKeyUsages(byOid.get(keyUsageOid)), ...readAlternativeNames(byOid.get(alternativeNamesOid)) };
}

function readKeyUsages(der: Uint8Array | undefined): readonly string[] {
  const bits = der === undefined ? undefined : derElements(der)[0];
  if (bits === undefined || bits.tag !== derTag.bitString) return [];
  // The first byte counts unused bits; bit 0 is the highest of the next one.
  return keyUsageNames.filter((_, bit) => ((bits.content[1 + (bit >> 3)] ?? 0) & (0x80 >> (bit & 7))) !== 0);
}

function readAlternativeNames(der: Uint8Array | undefined): Pick<CertificateExtensions, "dnsNames" | "ips"> {
  const dnsNames: string[] = [];
  const ips: string[] = [];
  const [names] = der === undefined ? [] : derElements(der);
  for (const { tag, content } of derElements(names?.content ?? new Uint8Array())) {
    if (tag === 0x82) dnsNames.push(Buffer.from(content).toString("latin1"));
    if (tag === 0x87) ips.push(ipText(content));
  }
  return { dnsNames, ips };
}

function ipText(bytes: Uint8Array): string {
  if (bytes.length !== 16) return bytes.join(".");
  const groups: string[] = [];
  for (let at = 0; at < 16; at += 2) groups.push((((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0)).toString(16));
  return new URL(`http://[${groups.join(":")}]`).hostname.slice(1, -1);
}

/** One element of DER (ITU-T X.690): its tag byte and its content. */
interface DerElement {
  readonly tag: number;
  readonly content: Uint8Array;
}

const derTag = { boolean: 0x01, oid: 0x06, bitString: 0x03, octetString: 0x04, extensions: 0xa3 } as const;

/**
 * Splits DER into its consecutive elements.
 * @throws RangeError when a length reaches past the end; never for certificates that Node has parsed
 */
function derElements(bytes: Uint8Array): readonly DerElement[] {
  const elements: DerElement[] = [];
  for (let at = 0; at < bytes.length;) {
    const tag = byteAt(bytes, at);
    let length = byteAt(bytes, at + 1);
    at += 2;
    if (length >= 0x80) {
      const size = length & 0x7f;
      length = 0;
      for (const end = at + size; at < end; at++) length = length * 256 + byteAt(bytes, at);
    }
    if (at + length > bytes.length) throw new RangeError("DER ends early");
    elements.push({ tag, content: bytes.subarray(at, at + length) });
    at += length;
  }
  return elements;
}

function byteAt(bytes: Uint8Array, at: number): number {
  const byte = bytes[at];
  if (byte === undefined) throw new RangeError("DER ends early");
  return byte;
}
