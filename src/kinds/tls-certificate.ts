import { isObject } from "../core/json.js";
import { certificateChain, secretText } from "./codecs.js";
import { description, field, metadata } from "./fields.js";
import { noImpact, security } from "./impact.js";
import { defineKind } from "./kind.js";

export const tlsCertificate = defineKind({
  kind: "TLSCertificate",
  title: "TLS certificate",
  idPrefix: "cert_",
  terraformTypes: ["tls_certificate"],
  collection: { path: "/tls_certificates", member: "tls_certificates" },
  fields: {
    description,
    metadata,
    certificate_pem: field({
      codec: certificateChain,
      write: "create",
      content: "text",
      impact: (before, after) => {
        if (before === null) return noImpact;
        return security(after === null ? "the certificate and its key are gone" : "another certificate is presented");
      },
    }),
    private_key_pem: field({ codec: secretText, write: "create", writeOnly: true, secret: true }),
  },
  defaults: { deletion: "delete", replaced: "orphan" },
  identifiedBy: ["subject_common_name"],
  identifiers: ({ certificate_pem: pem }) => {
    const chain = certificateChain.comparable?.(pem ?? null, null);
    return typeof chain === "string" ? [chain] : [];
  },
  hiddenReferrers: "domains and HTTPS edges",
  managedByService: ({ issued_at: issued }) =>
    (issued ?? "") === ""
      ? null
      : "the service issued this certificate and renews it: the same id gets another chain, and nobody else has its key",
  exportNames: (wire) => [wire["subject_common_name"], firstDomain(wire["subject_alternative_names"])],
  expires: (wire) => (typeof wire["not_after"] === "string" ? wire["not_after"] : null),
});

function firstDomain(alternatives: unknown): unknown {
  const domains: unknown = isObject(alternatives) ? alternatives["dns_names"] : null;
  return Array.isArray(domains) ? (domains as readonly unknown[])[0] : null;
}
