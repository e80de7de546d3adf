import type { X509Certificate } from "node:crypto";

/** Longer chains are not put in order: each certificate is compared with each. */
const longest = 12;

/** What is wrong with the order of a chain. */
export interface ChainMistake {
  /** The certificate that it shows at, from 0. */
  readonly at: number;
  readonly message: string;
  readonly remedy: string;
}

/** The first certificate that is not signed by the next, and what to move, add or remove. Null = the chain is in order. */
export function findChainMistake(chain: readonly X509Certificate[]): ChainMistake | null {
  for (const [index, certificate] of chain.entries()) {
    const issuer = chain[index + 1];
    if (issuer === undefined || signed(certificate, issuer)) continue;
    return explain(chain, index, certificate, issuer);
  }
  return null;
}

function explain(
  chain: readonly X509Certificate[],
  index: number,
  certificate: X509Certificate,
  next: X509Certificate,
): ChainMistake {
  const named = `certificate ${index + 1} (${nameOf(certificate)})`;
  const other = `certificate ${index + 2} (${nameOf(next)})`;
  const twin = chain.findIndex((each, at) => at > index && each.fingerprint256 === certificate.fingerprint256);
  if (twin !== -1)
    return {
      at: twin,
      message: `certificate ${twin + 1} (${nameOf(certificate)}) is the same as certificate ${index + 1}`,
      remedy: "Remove one of them.",
    };
  const message = `${named} is not signed by ${other}`;
  const sorted = inOrder(chain);
  if (sorted !== null) {
    const names = sorted.map((each) => nameOf(each)).join(", ");
    return { at: index + 1, message: `${message}: the order is wrong`, remedy: `Put them in this order: ${names}.` };
  }
  const issuer = commonName(certificate.issuer) ?? "its issuer";
  if (certificate.issuer === next.subject) {
    return {
      at: index + 1,
      message: `${message}: that one has the name of its issuer, but another key`,
      remedy: `Use the certificate of ${issuer} that came with ${nameOf(certificate)}.`,
    };
  }
  return {
    at: index + 1,
    message: `${message}: it was issued by ${issuer}, which is not in the chain`,
    remedy: `Put the certificate of ${issuer} after ${nameOf(certificate)}, or remove what follows that one.`,
  };
}

/** All certificates, each signed by the next; null when there is no such order. */
function inOrder(chain: readonly X509Certificate[]): readonly X509Certificate[] | null {
  if (chain.length > longest) return null;
  const leaf = chain.find((each) => !chain.some((other) => other !== each && signed(other, each)));
  if (leaf === undefined) return null;
  const sorted = [leaf];
  while (sorted.length < chain.length) {
    const last = sorted.at(-1) ?? leaf;
    const issuer = chain.find((each) => !sorted.includes(each) && signed(last, each));
    if (issuer === undefined) return null;
    sorted.push(issuer);
  }
  return sorted;
}

function signed(certificate: X509Certificate, issuer: X509Certificate): boolean {
  try {
    return certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey);
  } catch {
    return false;
  }
}

/** The common name of a certificate, for messages. */
export function nameOf(certificate: X509Certificate): string {
  return commonName(certificate.subject) ?? certificate.subject ?? "no subject";
}

function commonName(name: string | undefined): string | null {
  return /^CN=(.*)$/mu.exec(name ?? "")?.[1] ?? null;
}
