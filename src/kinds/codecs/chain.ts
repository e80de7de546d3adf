import type { Value } from "../../json.js";
import { certificateBlocks, certificateBody } from "../../pem.js";
import type { Codec } from "../kind.js";
import { asJson } from "./plain.js";

/** A chain of PEM certificates, leaf first. Compared as DER: white space and line lengths mean nothing. */
export const certificateChain: Codec = {
  fromManifest: (value) => value,
  fromWire: (value) => value ?? null,
  toWire: (value) => ({ json: asJson(value), bind: {} }),
  same: (a, b) => a === b || sameChain(a, b),
};

function sameChain(a: Value, b: Value): boolean {
  if (typeof a !== "string" || typeof b !== "string") return false;
  const left = blocks(a);
  return left !== "" && left === blocks(b);
}

function blocks(pem: string): string {
  return certificateBlocks(pem).map(certificateBody).join(".");
}
