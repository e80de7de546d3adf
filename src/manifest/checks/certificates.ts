import type { KeyObject } from "node:crypto";
import type { DocumentPath } from "../../core/document-path.js";
import { X509Certificate, createPrivateKey } from "node:crypto";
import { certificateBlocks, keyTypes, maxChain } from "../../core/pem.js";
import { Secret } from "../../core/secret.js";
import type { FileTree } from "../file-tree.js";
import type { ManifestCheck, ManifestProblem, ParsedManifest, ReportProblem } from "../parsed-manifest.js";
import { namedFile } from "../resolve-spec.js";
import { specValueAt } from "../spec-fields.js";
import { certificateForm, holdsPem, pemHint, privateKeyForm, startOfPem } from "./pem-hints.js";
import { placeInText } from "./text-places.js";

const chainPath: DocumentPath = ["spec", "certificate_pem"];
const keyPath: DocumentPath = ["spec", "private_key_pem"];

/** Certificate chains can be read, are in order and belong to their keys. Only deep checks read the keys. */
export const certificates: ManifestCheck = (manifest, report, { deep, now, tree }) => {
  const { spec } = manifest;
  const pem = spec["certificate_pem"];
  if (typeof pem !== "string") return;
  const secret = spec["private_key_pem"];
  const key = deep && secret instanceof Secret && secret.missing === null ? secret : null;
  const text: ChainText = { pem, manifest, tree };
  if (holdsPem(pem, privateKeyForm)) {
    report(holdsKey(text, key));
    // The other half of a swap is no news.
    if (!holdsPem(pem, certificateForm)) return;
  }
  const chain = parseChain(text, report);
  if (chain === null) return;
  const wrong = chain.findIndex((each, index) => index > 0 && !signed(chain[index - 1], each));
  if (wrong !== -1) {
    const place = placeOf(text, startOfPem(pem, certificateForm, wrong));
    report({ code: "certificate-order", ...wrongOrder(chain, wrong), ...place });
  }
  if (now !== undefined)
    for (const [index, certificate] of chain.entries()) checkDates(certificate, index, now, report);
  if (key !== null) checkKey(chain, key, report);
};

/** The text of `certificate_pem`, and where it comes from. */
interface ChainText {
  readonly pem: string;
  readonly manifest: ParsedManifest;
  readonly tree: FileTree;
}

type Place = Pick<ManifestProblem, "path" | "elsewhere" | "improve" | "sensitive">;

/** The place of something in the chain's text. Only boundaries of blocks are shown: anything else may be a key. */
function placeOf({ manifest, pem, tree }: ChainText, index: number): Place {
  const written = writtenFile(manifest, "certificate_pem");
  const sensitive = isBoundary(pem, Math.max(0, index)) ? {} : { sensitive: true };
  return { path: chainPath, ...sensitive, ...placeInText(pem, Math.max(0, index), { written, manifest, tree }) };
}

function isBoundary(pem: string, index: number): boolean {
  const line = pem.slice(index, index + 80).split("\n", 1)[0] ?? "";
  return /^-{2,8} ?(?:BEGIN|END) [A-Z0-9 ]{1,40}-{2,8}\s*$/iu.test(line) && !holdsPem(pem, privateKeyForm);
}

function writtenFile({ value }: ParsedManifest, field: "certificate_pem" | "private_key_pem"): string | null {
  return namedFile(specValueAt(value["spec"], [field]));
}

/** A key where the certificates are: often the two fields are swapped. */
function holdsKey(text: ChainText, key: Secret | null): ManifestProblem {
  const { manifest, pem } = text;
  const alone = !holdsPem(pem, certificateForm);
  const isSwapped = alone && key !== null && holdsPem(key.reveal(), certificateForm);
  const file = writtenFile(manifest, "certificate_pem");
  const place = isSwapped ? { path: chainPath } : placeOf(text, startOfPem(pem, privateKeyForm));
  const problem = { code: "certificate-holds-key", ...place } as const;
  if (isSwapped) {
    const keyFile = writtenFile(manifest, "private_key_pem");
    const named = file !== null && keyFile !== null;
    return {
      ...problem,
      message: "certificate_pem and private_key_pem are swapped: this is the private key",
      remedy: named
        ? `Write certificate_pem: {file: ${keyFile}} and private_key_pem: {file: ${file}}.`
        : "Exchange the two values. Treat the key as leaked if the manifest was committed.",
    };
  }
  const message = alone
    ? "certificate_pem is a private key, which would be stored and returned in plain text"
    : "certificate_pem contains a private key, which would be stored and returned in plain text";
  if (file === null) return { ...problem, message };
  const remedy = alone
    ? "Name the file of the certificate in certificate_pem, and that of the key in private_key_pem."
    : "Put the certificates and the key into two files. Treat the key as leaked if the file was committed.";
  return { ...problem, message, remedy };
}

function parseChain(text: ChainText, report: ReportProblem): readonly X509Certificate[] | null {
  const { pem } = text;
  const blocks = certificateBlocks(pem);
  if (blocks.length > maxChain) {
    report({
      code: "certificate-invalid",
      message: `certificate_pem has ${blocks.length} certificates, more than the limit of ${maxChain}`,
      remedy: "Keep the leaf and the certificates that sign it.",
      path: chainPath,
    });
    return null;
  }
  const chain: X509Certificate[] = [];
  for (const block of blocks) {
    try {
      chain.push(new X509Certificate(block));
    } catch {
      break;
    }
  }
  if (chain.length === blocks.length && chain.length > 0) return chain;
  report(unreadable(text, chain.length, blocks.length));
  return null;
}

/** @param index of the first certificate that can't be read, from 0 */
function unreadable(text: ChainText, index: number, count: number): ManifestProblem {
  const hint = pemHint(text.pem, certificateForm);
  const code = "certificate-invalid";
  if (hint !== null) {
    const { message, remedy } = hint;
    return { code, message: `certificate_pem ${message}`, remedy, ...placeOf(text, hint.index) };
  }
  const message = `certificate ${index + 1} of ${count} in certificate_pem can't be read`;
  return { code, message, ...placeOf(text, startOfPem(text.pem, certificateForm, index)) };
}

/** @param at the first certificate that did not sign the one before it, from 1 */
function wrongOrder(chain: readonly X509Certificate[], at: number): Pick<ManifestProblem, "message" | "remedy"> {
  const [before, here] = [chain[at - 1], chain[at]];
  const message = `certificate ${at} (${nameOf(before)}) is not signed by certificate ${at + 1} (${nameOf(here)})`;
  if (before?.fingerprint256 === here?.fingerprint256) return { message, remedy: "They are the same: remove one." };
  const issuer = chain.find((each) => each !== before && signed(before, each));
  if (issuer !== undefined || signed(here, before))
    return {
      message: `${message}: the order is wrong`,
      remedy: `Begin with the certificate of the server, and put ${nameOf(issuer ?? before)} right after ${nameOf(issuer === undefined ? here : before)}.`,
    };
  const missing = commonName(before?.issuer) ?? "its issuer";
  return {
    message: `${message}: it was issued by ${missing}, which is not in the chain`,
    remedy: `Put the certificate of ${missing} after ${nameOf(before)}, or remove what follows that one.`,
  };
}

function signed(certificate: X509Certificate | undefined, issuer: X509Certificate | undefined): boolean {
  if (certificate === undefined || issuer === undefined) return false;
  try {
    return certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey);
  } catch {
    return false;
  }
}

/** The common name of a certificate, for messages. */
function nameOf(certificate: X509Certificate | undefined): string {
  return commonName(certificate?.subject) ?? certificate?.subject ?? "no subject";
}

function commonName(name: string | undefined): string | null {
  return /^CN=(.*)$/mu.exec(name ?? "")?.[1] ?? null;
}

function checkDates(certificate: X509Certificate, index: number, now: number, report: ReportProblem): void {
  const which =
    index === 0
      ? `the certificate of ${nameOf(certificate)}`
      : `certificate ${index + 1} of the chain (${nameOf(certificate)})`;
  const until = Date.parse(certificate.validTo);
  const from = Date.parse(certificate.validFrom);
  if (until < now) {
    report({ code: "certificate-expired", message: `${which} expired on ${day(until)}`, path: chainPath });
  } else if (from > now) {
    report({
      code: "certificate-not-yet-valid",
      message: `${which} is not valid before ${day(from)}`,
      path: chainPath,
    });
  }
}

function checkKey(chain: readonly X509Certificate[], secret: Secret, report: ReportProblem): void {
  const pem = secret.reveal();
  const [leaf] = chain;
  if (leaf === undefined) return;
  let key: KeyObject;
  try {
    key = createPrivateKey(pem);
  } catch {
    report({ code: "private-key-invalid", path: keyPath, ...unreadableKey(pem, secret) });
    return;
  }
  if (keyTypes[key.asymmetricKeyType ?? ""] === undefined) {
    const message = `the private key is of the type ${key.asymmetricKeyType ?? "unknown"}; the service accepts only RSA, ECDSA and Ed25519`;
    report({ code: "private-key-invalid", message, path: keyPath });
    return;
  }
  if (leaf.checkPrivateKey(key)) return;
  const owner = chain.find((certificate) => certificate.checkPrivateKey(key));
  const message = `the private key does not belong to the certificate of ${nameOf(leaf)}`;
  if (owner === undefined) report({ code: "private-key-mismatch", message, path: keyPath });
  else
    report({
      code: "private-key-mismatch",
      message: `${message}, but to that of ${nameOf(owner)}`,
      remedy: `Put the certificate of ${nameOf(owner)} first in certificate_pem.`,
      path: keyPath,
    });
}

/** Nothing of a key is ever shown: its lines are counted instead. */
function unreadableKey(pem: string, { source }: Secret): Pick<ManifestProblem, "message" | "remedy"> {
  const hint = pemHint(pem, privateKeyForm);
  if (hint === null) return { message: "the private key can't be read" };
  const line = pem.slice(0, hint.index).split("\n").length;
  const file = /^file (.*)$/u.exec(source)?.[1];
  const where = pem.trim() === "" ? "" : ` (line ${line}${file === undefined ? "" : ` of ${JSON.stringify(file)}`})`;
  return { message: `private_key_pem ${hint.message}${where}`, remedy: hint.remedy };
}

function day(time: number): string {
  return Number.isFinite(time) ? new Date(time).toISOString().slice(0, 10) : "an unknown day";
}
