import { commonName, isSigned, mistakeOfKey, readChain } from "../../core/pem.js";
import { Secret } from "../../core/secret.js";
import type { ManifestCheck } from "../manifest.js";

const privateKeyLine = /-{2,8} ?BEGIN [A-Z0-9 ]{0,30}PRIVATE KEY-/iu;

export const certificates: ManifestCheck = ({ spec }, report, { deep, now }) => {
  const { certificate_pem: pem, private_key_pem: secret } = spec;
  if (typeof pem !== "string") return;
  const path = ["spec", "certificate_pem"];
  if (privateKeyLine.test(pem)) {
    const message = "certificate_pem contains a private key";
    report({ code: "certificate-holds-key", message, path, sensitive: true });
    return;
  }
  const chain = readChain(pem);
  if (typeof chain === "string") {
    // It may be anything, even a key.
    report({ code: "certificate-invalid", message: `certificate_pem ${chain}`, path, sensitive: true });
    return;
  }
  const wrong = chain.findIndex((each, index) => index > 0 && !isSigned(chain[index - 1], each));
  if (wrong !== -1) {
    const [before, here] = [commonName(chain[wrong - 1]), commonName(chain[wrong])];
    const message = `certificate ${wrong} (${before}) is not signed by certificate ${wrong + 1} (${here})`;
    report({ code: "certificate-order", message, path });
  }
  for (const [index, certificate] of chain.entries()) {
    const name = commonName(certificate);
    const which = index === 0 ? `the certificate of ${name}` : `certificate ${index + 1} of the chain (${name})`;
    const [from, until] = [Date.parse(certificate.validFrom), Date.parse(certificate.validTo)];
    if (now !== undefined && until < now)
      report({ code: "certificate-expired", message: `${which} expired on ${day(until)}`, path });
    else if (now !== undefined && from > now)
      report({ code: "certificate-not-yet-valid", message: `${which} is not valid before ${day(from)}`, path });
  }
  if (!deep || !(secret instanceof Secret) || secret.missing !== null) return;
  const found = mistakeOfKey(secret.reveal(), chain[0]);
  if (found !== null) report({ ...found, path: ["spec", "private_key_pem"] });
};

function day(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}
