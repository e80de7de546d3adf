// Makes self-signed certificates for the examples, the demo and tests. Keys are returned, never written here.
//   node scripts/certificate.mjs HOST… > examples/quickstart/edge/www.pem
import { webcrypto } from "node:crypto";
import { fileURLToPath } from "node:url";

const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };

/**
 * A self-signed certificate for `hosts` (the first is the common name), and its private key (PKCS#8), both in PEM.
 * @param {readonly string[]} hosts
 * @param {Date} notBefore
 * @param {number} years
 * @returns {Promise<{certificate: string, key: string}>}
 */
export async function makeCertificate(hosts, notBefore = yesterday(), years = 1) {
  // x509's container requires decorator metadata when it is loaded, but it registers instances and never uses any.
  if (!("getMetadata" in Reflect)) {
    Object.assign(Reflect, {
      getMetadata: () => undefined,
      getOwnMetadata: () => undefined,
      defineMetadata: () => undefined,
    });
  }
  const x509 = await import("@peculiar/x509");
  x509.cryptoProvider.set(webcrypto);
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  const notAfter = new Date(notBefore);
  notAfter.setUTCFullYear(notAfter.getUTCFullYear() + years);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: `CN=${hosts[0]}`,
    keys,
    signingAlgorithm: algorithm,
    notBefore,
    notAfter,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension(hosts.map((value) => ({ type: "dns", value }))),
    ],
  });
  const key = Buffer.from(await webcrypto.subtle.exportKey("pkcs8", keys.privateKey)).toString("base64");
  return {
    certificate: `${certificate.toString("pem")}\n`,
    key: `-----BEGIN PRIVATE KEY-----\n${key.match(/.{1,64}/g)?.join("\n")}\n-----END PRIVATE KEY-----\n`,
  };
}

function yesterday() {
  const date = new Date();
  date.setUTCDate(date.getUTCDate() - 1);
  date.setUTCHours(0, 0, 0, 0);
  return date;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const hosts = process.argv.slice(2);
  if (hosts.length === 0) {
    console.error("usage: node scripts/certificate.mjs HOST…");
    process.exit(1);
  }
  // The key is discarded: the committed certificate is an example, and no key belongs in a repository.
  process.stdout.write((await makeCertificate(hosts, new Date("2024-01-01T00:00:00Z"), 100)).certificate);
}
