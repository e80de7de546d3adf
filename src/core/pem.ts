import { type KeyObject, X509Certificate, createPrivateKey } from "node:crypto";

/** Signatures take time. */
const maxChain = 100;

export const keyTypes: { readonly [type: string]: "rsa" | "ecdsa" | "ed25519" | undefined } = {
  rsa: "rsa",
  "rsa-pss": "rsa",
  ec: "ecdsa",
  ed25519: "ed25519",
};

export function certificateBlocks(pem: string): readonly string[] {
  return pem.match(/-----BEGIN CERTIFICATE-----[^-]*(?:-----END CERTIFICATE-----)?/gu) ?? [];
}

export function certificateBody(block: string): string {
  return block.replaceAll(/-----[A-Z ]+-----|\s/gu, "");
}

/** A text says why it can't be read. */
export function readChain(pem: string): readonly X509Certificate[] | string {
  const blocks = certificateBlocks(pem);
  if (blocks.length === 0) return "has no line -----BEGIN CERTIFICATE-----";
  if (blocks.length > maxChain) return `has ${blocks.length} certificates, more than the limit of ${maxChain}`;
  const chain: X509Certificate[] = [];
  for (const block of blocks) {
    try {
      chain.push(new X509Certificate(block));
    } catch {
      return `can't be read: certificate ${chain.length + 1} of ${blocks.length}`;
    }
  }
  return chain;
}

export function isSigned(certificate: X509Certificate | undefined, issuer: X509Certificate): boolean {
  try {
    return certificate?.checkIssued(issuer) === true && certificate.verify(issuer.publicKey);
  } catch {
    return false;
  }
}

export function commonName(certificate: X509Certificate | undefined): string {
  return /^CN=(.*)$/mu.exec(certificate?.subject ?? "")?.[1] ?? certificate?.subject ?? "no subject";
}

export function mistakeOfKey(
  pem: string,
  leaf: X509Certificate | undefined,
): Readonly<{ code: "private-key-invalid" | "private-key-mismatch"; message: string }> | null {
  let key: KeyObject;
  try {
    key = createPrivateKey(pem);
  } catch {
    return { code: "private-key-invalid", message: "the private key can't be read" };
  }
  const type = key.asymmetricKeyType ?? "unknown";
  if (keyTypes[type] === undefined) {
    const message = `the private key is of the type ${type}; the service accepts only RSA, ECDSA and Ed25519`;
    return { code: "private-key-invalid", message };
  }
  if (leaf === undefined || leaf.checkPrivateKey(key)) return null;
  const message = `the private key does not belong to the certificate of ${commonName(leaf)}`;
  return { code: "private-key-mismatch", message };
}
