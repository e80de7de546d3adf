import { makeCertificate } from "../../../../scripts/certificate.mjs";
import { pem } from "../../../plan/support/manifests.ts";
import { Secret } from "../../../../src/core/secret.ts";

interface Pair {
  readonly certificate: string;
  readonly key: string;
  readonly secret: Secret;
  readonly variable: string;
}

/** By the placeholder that random manifests use for it. */
export type Pairs = ReadonlyMap<string, Pair>;

let made: Promise<Pairs> | null = null;

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
