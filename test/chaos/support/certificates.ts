import { makeCertificate } from "../../../scripts/certificate.mjs";
import { pem } from "../../plan/support/manifests.ts";
import { Secret } from "../../../src/secret.ts";

/** A certificate that a service takes, with its key; `variable` is where a process finds the key. */
interface Pair {
  readonly certificate: string;
  readonly key: string;
  readonly secret: Secret;
  readonly variable: string;
}

/** By the stand-in that random manifests have for it. */
export type Pairs = ReadonlyMap<string, Pair>;

let made: Promise<Pairs> | null = null;

/** Real certificates for the stand-ins of random manifests, made once. */
export function realCertificates(): Promise<Pairs> {
  made ??= Promise.all(
    ["AAAA", "BBBB", "CCCC"].map(async (name): Promise<readonly [string, Pair]> => {
      const { certificate, key } = await makeCertificate([`${name.toLowerCase()}.example.com`]);
      const variable = `KEY_${name}`;
      return [pem(name), { certificate, key, variable, secret: Secret.of(key, `env ${variable}`) }];
    }),
  ).then((pairs) => new Map(pairs));
  return made;
}
