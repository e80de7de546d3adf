import type { CertificateFacts, ModelEnv } from "./env.js";

/** Facts about a certificate that nobody looked at. */
export const blankCertificate: CertificateFacts = {
  subject_common_name: "",
  subject_alternative_names: { dns_names: [], ips: [] },
  not_before: "2000-01-01T00:00:00Z",
  not_after: "2100-01-01T00:00:00Z",
  key_usages: [],
  extended_key_usages: [],
  private_key_type: "ecdsa",
  issuer_common_name: "",
  serial_number: "0",
  subject_organization: "",
  subject_organizational_unit: "",
  subject_locality: "",
  subject_province: "",
  subject_country: "",
};

/**
 * An environment that is the same every time: ids and addresses count up, the clock ticks a second with each call.
 * @param options `label` stands in every id, so that they can't meet ids of a service; `certificate` describes
 *   chains, by default all of them as {@link blankCertificate}
 */
export function countingEnv(
  options: { readonly label?: string; readonly certificate?: ModelEnv["certificate"] } = {},
): ModelEnv {
  const label = options.label ?? "model";
  let count = 0;
  let seconds = 0;
  return {
    now: () => new Date(Date.UTC(2020, 0, 1, 0, 0, seconds++)).toISOString(),
    newId: (prefix) => `${prefix}${label}${String(++count).padStart(6, "0")}`,
    newAddr: (region) => `${++count}.tcp.${region}.example:${10000 + (count % 50000)}`,
    certificate: options.certificate ?? (() => blankCertificate),
  };
}
