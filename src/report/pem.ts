import { createHash, X509Certificate } from "node:crypto";
import { certificateBlocks } from "../pem.js";
import { visibleLine } from "./escape.js";

/** Whether a text is PEM, to be told in a line rather than dumped. */
export function isPem(text: string): boolean {
  return text.trimStart().startsWith("-----BEGIN ");
}

/**
 * A PEM text in one line: the leaf's subject, last day, the beginning of its SHA-256 fingerprint, and
 * how many certificates the chain has, with a hash that tells chains of one leaf apart. What can't be read is told by size and by a hash of the text; keys are never told at all.
 */
export function describePem(text: string): string {
  if (text.includes("PRIVATE KEY")) return "(secret)";
  const blocks = certificateBlocks(text);
  const leaf = blocks[0];
  const certificate = leaf === undefined ? null : parseCertificate(leaf);
  if (certificate === null) {
    return `(PEM that can't be read, ${text.length} characters, sha256 of the text ${shortHash(text.trim())}…)`;
  }
  const chain =
    blocks.length > 1 ? `, chain of ${blocks.length} (sha256 ${shortHash(blocks.join("").replace(/\s/g, ""))}…)` : "";
  const fingerprint = certificate.fingerprint256.replaceAll(":", "").toLowerCase().slice(0, 12);
  return `certificate ${subjectOf(certificate)}${chain}, until ${isoDay(certificate.validTo)}, sha256 ${fingerprint}…`;
}

function parseCertificate(pem: string): X509Certificate | null {
  try {
    return new X509Certificate(pem);
  } catch {
    return null;
  }
}

function shortHash(text: string): string {
  return createHash("sha256").update(text, "utf8").digest("hex").slice(0, 12);
}

function subjectOf(certificate: X509Certificate): string {
  const first =
    certificate.subject?.split("\n").find((part) => part.startsWith("CN=")) ?? certificate.subject?.split("\n")[0];
  return first === undefined || first === "" ? `serial ${certificate.serialNumber}` : visibleLine(first);
}

function isoDay(date: string): string {
  const time = Date.parse(date);
  return Number.isNaN(time) ? visibleLine(date) : new Date(time).toISOString().slice(0, 10);
}
