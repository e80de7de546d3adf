/** The longest chain that is read: the signature of each certificate is verified, which takes time. */
export const maxChain = 100;

/** How the API names the type of a private key, by Node's name; it accepts no other. */
export const keyTypes: { readonly [type: string]: "rsa" | "ecdsa" | "ed25519" | undefined } = {
  rsa: "rsa",
  "rsa-pss": "rsa",
  ec: "ecdsa",
  ed25519: "ed25519",
};

const begin = "-----BEGIN CERTIFICATE-----";
const end = "-----END CERTIFICATE-----";
const dashes = "-----";

/**
 * The certificates of a PEM text in order, each with its lines `-----BEGIN …` and `-----END …`. A block that is not
 * closed ends at the next line of dashes or at the end of the text, and can't be read as a certificate.
 * Looks at each character a fixed number of times, for any text.
 */
export function certificateBlocks(pem: string): readonly string[] {
  const blocks: string[] = [];
  let start = pem.indexOf(begin);
  while (start !== -1) {
    const body = start + begin.length;
    const mark = pem.indexOf(dashes, body);
    const closed = mark !== -1 && pem.startsWith(end, mark);
    const stop = mark === -1 ? pem.length : closed ? mark + end.length : mark;
    blocks.push(pem.slice(start, stop));
    start = pem.indexOf(begin, stop);
  }
  return blocks;
}

/** The content of a block of {@link certificateBlocks}, without its two lines and without white space. */
export function certificateBody(block: string): string {
  const inner = block.slice(begin.length, block.endsWith(end) ? -end.length : undefined);
  return inner.replaceAll(/\s/gu, "");
}
