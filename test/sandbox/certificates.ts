import { reflectMetadata } from "./reflect-metadata.ts";
import { createPrivateKey, webcrypto } from "node:crypto";
import * as x509 from "@peculiar/x509";

if (!("getMetadata" in Reflect)) reflectMetadata();
x509.cryptoProvider.set(webcrypto as never);

const algorithms = {
  ecdsa: { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" },
  rsa: {
    name: "RSASSA-PKCS1-v1_5",
    hash: "SHA-256",
    publicExponent: new Uint8Array([1, 0, 1]),
    modulusLength: 2048,
  },
  ed25519: { name: "Ed25519" },
} as const;

export interface Issued {
  readonly pem: string;
  readonly key: string;
  readonly certificate: x509.X509Certificate;
  readonly keys: webcrypto.CryptoKeyPair;
}

export interface IssueOptions {
  readonly name: string;
  readonly issuer?: Issued;
  readonly keysOf?: Issued;
  readonly algorithm?: keyof typeof algorithms;
  readonly extensions?: readonly x509.Extension[];
  readonly notBefore?: Date;
  readonly notAfter?: Date;
}

export async function issue(options: IssueOptions): Promise<Issued> {
  const algorithm = algorithms[options.algorithm ?? "ecdsa"];
  const keys =
    options.keysOf?.keys ??
    ((await webcrypto.subtle.generateKey(algorithm, true, ["sign", "verify"])) as webcrypto.CryptoKeyPair);
  const { issuer } = options;
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: "01ab",
    subject: options.name,
    issuer: issuer?.certificate.subject ?? options.name,
    notBefore: options.notBefore ?? new Date("2020-01-02T03:04:05Z"),
    notAfter: options.notAfter ?? new Date("2040-01-02T03:04:05Z"),
    signingAlgorithm: {
      hash: "SHA-256",
      ...(issuer === undefined ? algorithm : issuer.keys.publicKey.algorithm),
    } as never,
    publicKey: keys.publicKey as never,
    signingKey: issuer?.keys.privateKey ?? keys.privateKey,
    extensions: [...(options.extensions ?? [])],
  });
  const exported = Buffer.from(await webcrypto.subtle.exportKey("pkcs8", keys.privateKey));
  const key = createPrivateKey({ key: exported, format: "der", type: "pkcs8" });
  return {
    pem: certificate.toString("pem"),
    key: key.export({ format: "pem", type: "pkcs8" }).toString(),
    certificate,
    keys,
  };
}

export function selfSigned(name: string): Promise<Issued> {
  return issue({ name: `CN=${name}` });
}
