/**
 * What edgewise and every key of its sort say, and what therefore gives nothing away when a secret says it too: an echo
 * that consists of this alone is not masked, so that a secret like `production-webhook-1` doesn't take the word
 * `webhook_verification` out of a report. A secret as a whole is masked all the same.
 */
export const publicWords: readonly string[] = [
  "(secret, env ) (secret, file ) (secret) (unknown) edgewise edgewise/v1 edgewise.yaml edgewise.plan/v1",
  "edgewise.result/v1 edgewise.drift/v1 edgewise.diagnostics/v1 edgewise.ping/v1 EDGEWISE_API_KEY EDGEWISE_BASE_URL",
  "EDGEWISE_STACK EDGEWISE_ENVIRONMENT EDGEWISE_VERSION_HEADER EDGEWISE_CONFIG EDGEWISE_DEBUG EDGEWISE_VAR_",
  "IPRestriction TLSEdge ReservedAddress HTTPResponseBackend TLSCertificate HTTPSEdge HTTPSEdgeRoute",
  "/ip_restrictions /edges/tls /edges/https/routes /reserved_addrs /backends/http_response /tls_certificates",
  "apiVersion metadata description previousNames lifecycle deletion replaced hostports ip_restriction ip_policies",
  "mutual_tls certificate_authorities tls_termination terminate_at min_version traffic_policy webhook_verification",
  "provider private_key_pem certificate_pem status_code enforced endpoint_configuration_id endpoint_configuration",
  "next_page_uri error_code operation_id created_at updated_at Service-Version Authorization Bearer Content-Type",
  "application/json; charset=utf-8 text/html http:// https:// http://127.0.0.1: http://localhost: example.com",
  "password secrets credentials production development staging webhooks certificate certificates private public key",
  "deletion-protected irreversible too-many-deletes empty-desired ownership-conflict ownership-lost id-not-live",
  "adopt-needs-replace duplicate-marker address-in-use still-referenced ordering-cycle does-not-converge stale-plan",
  "reference-not-live traffic-gap referrers-invisible list-unbelievable secret-unavailable not-converged",
  "configuration environment manifest manifests resource resources operation operations restriction reserved address",
  "backend response unchanged replaced replacing creating updating deleting created updated deleted adopted orphaned",
  "security cosmetic routing warning warnings error errors refused refusals stopped skipped unknown verified verifying",
  "interrupted not found forbidden unauthorized bad request conflict too many requests internal server error",
  "service unavailable gateway timeout the answer is not JSON (after attempts) nothing was changed",
  "-----BEGIN PRIVATE KEY----- -----BEGIN RSA PRIVATE KEY----- -----BEGIN EC PRIVATE KEY-----",
  "-----BEGIN ENCRYPTED PRIVATE KEY----- -----BEGIN OPENSSH PRIVATE KEY----- -----BEGIN CERTIFICATE-----",
  "-----END PRIVATE KEY----- -----END RSA PRIVATE KEY----- -----END EC PRIVATE KEY-----",
  "-----END ENCRYPTED PRIVATE KEY----- -----END OPENSSH PRIVATE KEY----- -----END CERTIFICATE-----",
  // How every private key of an algorithm begins: its name, which the certificates of all such keys hold as well.
  // RSA of 2048, 3072 and 4096 bits, P-256, P-384, P-521, Ed25519.
  "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQ MIIEvgIBADANBgkqhkiG9w0BAQEFAASCBKgwggSkAgEAAoIBAQ",
  "MIIG/QIBADANBgkqhkiG9w0BAQEFAASCBucwggbjAgEAAoIBgQ MIIG/gIBADANBgkqhkiG9w0BAQEFAASCBugwggbkAgEAAoIBgQ",
  "MIIJQwIBADANBgkqhkiG9w0BAQEFAASCCS0wggkpAgEAAoICAQ MIIJQgIBADANBgkqhkiG9w0BAQEFAASCCSwwggkoAgEAAoICAQ",
  "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg oUQDQgAE MIG2AgEAMBAGByqGSM49AgEGBSuBBAAiBIGeMIGbAgEBBD",
  "MIHuAgEAMBAGByqGSM49AgEGBSuBBAAjBIHWMIHTAgEBBEI MC4CAQAwBQYDK2VwBCIEI",
];
