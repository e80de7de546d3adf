import { derElements, derTag } from "./der.js";

/** What the extensions of a certificate say (RFC 5280, section 4.2.1). */
export interface CertificateExtensions {
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
 * Reads key usage and alternative names, which Node gives not at all or as text that can't be taken apart safely.
 * @param certificate DER of a certificate that Node has parsed
 */
export function readExtensions(certificate: Uint8Array): CertificateExtensions {
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
