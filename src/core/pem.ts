/** The longest chain that is read: the signature of each certificate is verified, which takes time. */
export const maxChain = 100;

/** The API's name of a private key's type, by Node's; it accepts no other. */
export const keyTypes: { readonly [type: string]: "rsa" | "ecdsa" | "ed25519" | undefined } = {
  rsa: "rsa",
  "rsa-pss": "rsa",
  ec: "ecdsa",
  ed25519: "ed25519",
};

/** A block that is not closed ends early, and can't be read as a certificate. */
export function certificateBlocks(pem: string): readonly string[] {
  return pem.match(/-----BEGIN CERTIFICATE-----[^-]*(?:-----END CERTIFICATE-----)?/gu) ?? [];
}

/** The Base64 text of a block, without its two lines and without white space. */
export function certificateBody(block: string): string {
  return block.replaceAll(/-----[A-Z ]+-----|\s/gu, "");
}
