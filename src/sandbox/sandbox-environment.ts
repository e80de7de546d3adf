import { type X509Certificate, randomInt } from "node:crypto";
import type { JsonObject } from "../core/json.js";
import { isSigned, keyTypes, mistakeOfKey, readChain } from "../core/pem.js";
import { hostportClaim } from "../kinds/codecs.js";
import { listedKinds } from "../kinds/names.js";
import type { ModelEnv } from "../model/model-options.js";
import type { World } from "../model/world.js";

/** The world may be loaded. */
export function sandboxEnv(world: World, now: () => number): ModelEnv {
  return {
    now: () => new Date(now()).toISOString().replace(/\.\d+Z$/, "Z"),
    newId(prefix) {
      for (;;) {
        const id = `${prefix}${Array.from({ length: 27 }, () => letters[randomInt(letters.length)]).join("")}`;
        if (!listedKinds.some((kind) => world.collections[kind].get(id) !== null)) return id;
      }
    },
    newAddr(region) {
      for (;;) {
        const addr = `${randomInt(1, 10)}.tcp.${region}.example:${randomInt(10_000, 65_536)}`;
        if (world.indexes.offer.get(hostportClaim(addr) ?? "").size === 0) return addr;
      }
    },
    certificate: describeCertificate,
  };
}

const letters = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** Messages hold no part of the key. */
export function describeCertificate(chainPem: string, privateKeyPem: string): ReturnType<ModelEnv["certificate"]> {
  const chain = readChain(chainPem);
  if (typeof chain === "string") return { error: `certificate_pem ${chain}.` };
  const [leaf] = chain;
  const wrong = chain.findIndex((each, index) => index > 0 && !isSigned(chain[index - 1], each));
  if (leaf === undefined || wrong !== -1)
    return { error: `certificate_pem: certificate ${wrong} is not signed by the one after it; the leaf comes first.` };
  const mistake = mistakeOfKey(privateKeyPem, leaf);
  return mistake === null ? { facts: facts(leaf) } : { error: `private_key_pem: ${mistake.message}.` };
}

function facts(leaf: X509Certificate): JsonObject {
  const { subject, issuer } = leaf.toLegacyObject();
  return {
    subject_common_name: text(subject.CN),
    subject_alternative_names: {
      dns_names: alternativeNames(leaf, "DNS"),
      ips: alternativeNames(leaf, "IP Address").map(ipText),
    },
    not_before: timestamp(leaf.validFrom),
    not_after: timestamp(leaf.validTo),
    // Node reads no other usages.
    key_usages: [],
    // Node's keyUsage holds the extended usages.
    extended_key_usages: leaf.keyUsage ?? [],
    private_key_type: keyTypes[leaf.publicKey.asymmetricKeyType ?? ""],
    issuer_common_name: text(issuer.CN),
    serial_number: leaf.serialNumber.toLowerCase(),
    subject_organization: text(subject.O),
    subject_organizational_unit: text(subject.OU),
    subject_locality: text(subject.L),
    subject_province: text(subject.ST),
    subject_country: text(subject.C),
  };
}

function text(value: string | readonly string[] | undefined): string {
  return (typeof value === "string" ? value : value?.[0]) ?? "";
}

function timestamp(date: string): string {
  return new Date(date).toISOString().replace(".000Z", "Z");
}

/** Of `DNS:a.example, IP Address:192.0.2.1`. */
function alternativeNames({ subjectAltName = "" }: X509Certificate, sort: "DNS" | "IP Address"): readonly string[] {
  const names = subjectAltName.split(", ").filter((name) => name.startsWith(`${sort}:`));
  return names.map((name) => name.slice(sort.length + 1));
}

/** Node writes all groups of IPv6. */
function ipText(ip: string): string {
  return ip.includes(":") ? new URL(`http://[${ip}]`).hostname.slice(1, -1) : ip;
}
