/** What a certificate says of itself, in the API's own members (specification, "TLS certificate"). */
export interface CertificateFacts {
  readonly subject_common_name: string;
  readonly subject_alternative_names: { readonly dns_names: readonly string[]; readonly ips: readonly string[] };
  readonly not_before: string;
  readonly not_after: string;
  readonly key_usages: readonly string[];
  readonly extended_key_usages: readonly string[];
  readonly private_key_type: "rsa" | "ecdsa" | "ed25519";
  readonly issuer_common_name: string;
  readonly serial_number: string;
  readonly subject_organization: string;
  readonly subject_organizational_unit: string;
  readonly subject_locality: string;
  readonly subject_province: string;
  readonly subject_country: string;
}

/** Everything that the model can't know by itself: time, chance and cryptography are passed in. */
export interface ModelEnv {
  /** The time now, RFC 3339. */
  now(): string;
  /** A new id that begins with `prefix` (`edgtls_`); never given twice. */
  newId(prefix: string): string;
  /** A new `hostname:port` in a region; never given twice. */
  newAddr(region: string): string;
  /** Describes the leaf of a chain, or says in words why chain and key are not acceptable together. */
  certificate(chainPem: string, privateKeyPem: string): CertificateFacts | { readonly error: string };
}
