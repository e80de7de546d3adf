import { placeInDocument } from "../../diagnostics/diagnostic.js";
import { commonName, isSigned, mistakeOfKey, readChain } from "../../core/pem.js";
import { Secret } from "../../core/secret.js";
import { valueAt } from "../../core/document-path.js";
import { isObject } from "../../core/json.js";
import { plainMetadata, readMarker, writeMarker } from "../../kinds/marker.js";
import { isHeaderName, isHeaderValue, listOf } from "../../kinds/codecs.js";
import { kinds } from "../../kinds/registry.js";
import type { ManifestCheck } from "../manifest.js";

const someId = "x".repeat(48);

/** Also of the metadata that a replacement will have. */
const metadata: ManifestCheck = ({ id, kind, name, spec, valid, value }, report, { stack }) => {
  const { defaults, fieldList, fields } = kinds[kind];
  const user = spec["metadata"] ?? "";
  const path = ["spec", "metadata"];
  if (typeof user === "string") {
    // Without the manifest's own marker it would be one.
    const { malformed, marker } = readMarker(user);
    const message = "spec.metadata has the member edgewise, which is reserved for the marker";
    if (marker !== null || malformed) report({ code: "reserved-member", message, path });
  }
  const maxBytes = fields["metadata"]?.maxBytes;
  if (maxBytes === undefined || !valid) return;
  const plain = Buffer.byteLength(plainMetadata(user));
  let own = 0;
  if (stack !== null) {
    const { deletion, replaced } = (value["lifecycle"] ?? {}) as Partial<typeof defaults>;
    const isReplaced = fieldList.some(({ field }) => field.write === "create");
    const marker = {
      stack,
      name,
      ...(!deletion || deletion === defaults.deletion ? {} : { deletion }),
      ...(!replaced || replaced === defaults.replaced ? {} : { replaced }),
      ...(isReplaced ? { replaces: someId, ...(id === null ? {} : { adopted: someId }) } : {}),
    };
    own = Buffer.byteLength(writeMarker(marker, user)) - plain;
  }
  if (plain + own <= maxBytes) return;
  const message = `the metadata takes ${plain + own} bytes${own > 0 ? `, ${own} of them for the marker` : ""}; the service accepts ${maxBytes}`;
  report({ code: "metadata-too-large", message, path, at: "key" });
};

/** Of names that differ only in case, the service drops one. */
const headerNames: ManifestCheck = ({ document, file, spec }, report) => {
  const { headers } = spec;
  if (!isObject(headers)) return;
  const names = new Map<string, string>();
  for (const [name, value] of Object.entries(headers)) {
    const path = ["spec", "headers", name];
    const first = names.get(name.toLowerCase());
    names.set(name.toLowerCase(), first ?? name);
    if (first !== undefined) {
      const message = `the header ${JSON.stringify(name)} is the same as ${JSON.stringify(first)}`;
      const other = placeInDocument(file, document, ["spec", "headers", first], "key");
      report({ code: "duplicate-item", message, path, at: "key", other });
    }
    const wrong = (message: string, at: "key" | "value"): void => report({ code: "header-invalid", message, path, at });
    if (!isHeaderName(name)) wrong(`${JSON.stringify(name)} can't be the name of a header`, "key");
    if (typeof value === "string" && !isHeaderValue(value))
      wrong(`the value of ${JSON.stringify(name)} has a line break or a NUL`, "value");
  }
};

const upstream: ManifestCheck = ({ kind, spec }, report) => {
  const termination = spec["tls_termination"];
  if (!isObject(termination) || termination["terminate_at"] !== "upstream") return;
  if ((termination["min_version"] ?? null) !== null) {
    const message = "min_version must be null when terminate_at is upstream";
    report({ code: "upstream-min-version", message, path: ["spec", "tls_termination", "min_version"] });
  }
  for (const [name, field] of Object.entries(kinds[kind].fields)) {
    if (field.module === undefined || name === "tls_termination" || !isObject(spec[name])) continue;
    const path = ["spec", name];
    const isWrong = field.module.readsTraffic === true;
    const message = `${name} ${isWrong ? "can't be used" : "may be refused"} with terminate_at: upstream`;
    report({ code: isWrong ? "upstream-module" : "upstream-module-doubtful", message, path, at: "key" });
  }
};

const emptyLists: ManifestCheck = ({ kind, spec }, report) => {
  for (const { field, path } of kinds[kind].specFields) {
    const value = field.wantsOne === true ? valueAt(spec, path) : null;
    if (!Array.isArray(value) || value.length > 0) continue;
    const message = `${path.at(-1)} is empty, which the service may refuse`;
    report({ code: "empty-list", message, path: ["spec", ...path], at: "key" });
  }
};

const withoutSecret = "SNS";

const webhooks: ManifestCheck = ({ spec, value }, report) => {
  const module = spec["webhook_verification"];
  if (!isObject(module)) return;
  const { provider } = module;
  if (typeof provider !== "string" || provider === "") return;
  const path = ["spec", "webhook_verification"];
  const upper = provider.toUpperCase();
  if (provider !== upper) {
    const message = `the provider ${JSON.stringify(provider)} is not in upper case`;
    report({ code: "webhook-provider", message, remedy: `Write ${upper}.`, path: [...path, "provider"] });
  }
  // A secret that was refused is not missing.
  const secret = valueAt(value, [...path, "secret"]);
  if (upper !== withoutSecret && (secret ?? null) === null) {
    const message = `the provider ${upper} needs a secret; only ${withoutSecret} does not`;
    report({ code: "webhook-secret", message, path: [...path, "secret"] });
  }
};

const hostportSyntax: ManifestCheck = ({ spec }, report) => {
  for (const [index, hostport] of listOf(spec["hostports"]).entries()) {
    if (typeof hostport !== "string" || hostport === "" || isHostport(hostport)) continue;
    // What is before the last @ may be a password.
    const user = hostport.lastIndexOf("@");
    const shown = JSON.stringify(user === -1 ? hostport : `…${hostport.slice(user)}`);
    const message = `${shown} is not host:port: a DNS name or [IPv6 address], and a port from 1 to 65535`;
    report({ code: "hostport-syntax", message, sensitive: user !== -1, path: ["spec", "hostports", index] });
  }
};

function isHostport(text: string): boolean {
  const [, host = "", port] = /^(\[[0-9a-f:.]+\]|[^:]+):([1-9]\d{0,4})$/iu.exec(text) ?? [];
  if (port === undefined || Number(port) > 65535 || host.length > 253) return false;
  const labels = host.replace(/^\*\.(?=.)/u, "").split(".");
  return host.startsWith("[") || labels.every((label) => /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/iu.test(label));
}

const privateKeyLine = /-{2,8} ?BEGIN [A-Z0-9 ]{0,30}PRIVATE KEY-/iu;

const certificates: ManifestCheck = ({ spec }, report, { deep, now }) => {
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

export const fieldRules: readonly ManifestCheck[] = [
  hostportSyntax,
  headerNames,
  metadata,
  upstream,
  emptyLists,
  certificates,
  webhooks,
];
