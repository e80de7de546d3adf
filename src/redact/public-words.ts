import { schemaWords } from "../generated/schema-words.js";

/**
 * Words of edgewise's own output, and the start of every key of a type. A secret that shares them loses nothing when they
 * are shown: parts of a secret that occur here are not masked, so that a secret like `production-webhook-1` doesn't mask
 * the word `webhook_verification` in a report. A whole secret is masked all the same.
 */
export const publicWords: readonly string[] = [
  "(secret, env ) (secret, file ) (secret) (unknown) edgewise edgewise/v1 edgewise.yaml edgewise.plan/v1",
  "edgewise.result/v1 edgewise.drift/v1 edgewise.diagnostics/v1 edgewise.ping/v1 EDGEWISE_API_KEY EDGEWISE_BASE_URL",
  "EDGEWISE_STACK EDGEWISE_ENVIRONMENT EDGEWISE_VERSION_HEADER EDGEWISE_CONFIG EDGEWISE_DEBUG EDGEWISE_VAR_",
  "/ip_restrictions /edges/tls /edges/https/routes /reserved_addrs /backends/http_response /tls_certificates",
  "apiVersion metadata description previousNames lifecycle deletion replaced hostports ip_restriction ip_policies",
  "mutual_tls certificate_authorities tls_termination terminate_at min_version traffic_policy webhook_verification",
  "provider private_key_pem certificate_pem status_code enforced endpoint_configuration_id endpoint_configuration",
  "next_page_uri error_code operation_id created_at updated_at Service-Version Authorization Bearer Content-Type",
  "application/json; charset=utf-8 text/html http:// https:// http://127.0.0.1: http://localhost: example.com",
  "password secrets credentials production development staging webhooks certificate certificates private public key",
  "deletion-protected irreversible too-many-deletes empty-desired ownership-conflict ownership-lost id-not-live",
  "adopt-needs-replace contradicts-live metadata-too-large duplicate-marker address-in-use still-referenced ordering-cycle",
  "does-not-converge stale-plan",
  "reference-not-live traffic-gap referrers-invisible list-unbelievable secret-unavailable not-converged",
  "configuration environment manifest manifests resource resources operation operations restriction reserved address",
  "backend response unchanged replaced replacing creating updating deleting created updated deleted adopted orphaned",
  "security cosmetic routing warning warnings error errors refused refusals stopped skipped unknown verified verifying",
  "interrupted not found forbidden unauthorized bad request conflict too many requests internal server error",
  "service unavailable gateway timeout the response is not JSON (after attempts) nothing was changed",
  "-----BEGIN PRIVATE KEY----- -----BEGIN RSA PRIVATE KEY----- -----BEGIN EC PRIVATE KEY-----",
  "-----BEGIN ENCRYPTED PRIVATE KEY----- -----BEGIN OPENSSH PRIVATE KEY----- -----BEGIN CERTIFICATE-----",
  "-----END PRIVATE KEY----- -----END RSA PRIVATE KEY----- -----END EC PRIVATE KEY-----",
  "-----END ENCRYPTED PRIVATE KEY----- -----END OPENSSH PRIVATE KEY----- -----END CERTIFICATE-----",
  // The longer words of messages, reports and pages. A word that is missing here is masked if a secret contains it.
  "absolute accepted add-headers address-in-use addresses adopt-conflict adopt-needs-replace adopting",
  "afterprint afterwards ai-gateway alarm-bg align-items allow-empty allow-inline-secrets allow-insecure-http",
  "although ambiguous annotate another-exists answered anything anywhere api-key-file apple-system application",
  "applying approval approved argument arguments aria-hidden aria-label attempts authorities authority",
  "authorization auto-approve available avoid-page backend_id backends background backslash backslashes",
  "bad-base-url bad-format bad-version-header base-uri base-url-elsewhere baseline basic-auth before_id",
  "beforeprint beginning body-empty body-missing body-unexpected border-bottom border-box border-collapse",
  "border-color border-left-color border-left-width border-radius border-top box-sizing brackets branches",
  "break-inside cat-file certificate-expired certificate-holds-key certificate-invalid",
  "certificate-not-yet-valid certificate-order certificate_authorities certificate_authority_ids",
  "certificate_pem changing character characters checkbox checking checkout checksum choose-one circuit-breaker",
  "claim-held-twice claim-taken classname close-connection collapse collection collections comma-separated",
  "commands commondir compared compares complete completes completion completions compress-response computer",
  "computes concerned concurrency config-foreign config-writable configured confirmed conflicts connection",
  "considered consistent consolas contacting container contains content-encoding content-length content-type",
  "contents continues contradict contradicts converge cosmetic created_at creating credential custom-response",
  "dangling dangling-claim dangling-reference dashboard data-cards data-group data-impact data-name deadline",
  "declared declined default-src definition deleting deletion-protected dependencies dependency describe",
  "described describes descriptions detailed-exitcode device-width diagnostics difference differences different",
  "differently directive directives directly directories directory disabled disabling disambiguate dispatcher",
  "dns_names document documentation documented documents does-not-converge duplicate-hostport duplicate-id",
  "duplicate-item duplicate-key duplicate-marker duplicate-name duplicates duration edge-config edgewise",
  "elsewhere empty-desired empty-value encoding endpoint endpoint_configuration_id endpoint_configurations",
  "endpoints enforced environments error_code event_name events-failed everybody everything examples",
  "exclamation existing expanded expected expires-within expiring explicit exported expression expressions",
  "extended_key_usages external fail-fast failures fetch-depth fieldset fieldvalue file-encoding file-hidden",
  "file-is-api-key file-missing file-outside file-too-large file-too-many file-unreadable filenames findings",
  "fish_seen_subcommand_from fish_use_subcommand flex-basis flex-wrap flowchart focus-visible followed",
  "font-family font-size font-style font-variant-numeric font-weight fontname form-action forward-internal",
  "fraction fragment fsmonitor full-tree full_name funcstack function gitignore handshake happened headerkey",
  "header-invalid headername headervalue headline helvetica hostport hostport-syntax hostports http-equiv http-request",
  "http-response-backend https-edge-route id-kind id-not-live identity ignoring important included includes including",
  "incomplete indentation indented independent infinite informational initial-scale inline-block inline-flex",
  "inline-secret input-too-large installed intended internal-error international interrupted ip-restriction",
  "ip_policies ip_policy_ids ip_restrictions irreversible is-shallow-repository issued_at issuer_common_name",
  "journals jwt-validation kind-unreadable letter-spacing liberation lifecycle line-height line-through",
  "list-style list-unbelievable localhost location log-format loopback loosened lower-case maintenance",
  "malformed malformed-marker managing manifests margin-left margin-right margin-top markdown marker-end",
  "masked-secret max-content max-deletes max-height max-width meanwhile member-missing member-unknown",
  "merge-base merge-key messages metadata-too-large method-not-allowed milliseconds min-width min_version",
  "missing-member misspelt mistyped modified module-conflict module-delete module-disabled module-dropped",
  "module-endpoint module-put monospace next_page_uri no-color no-pager no-prune no-referrer no-verify",
  "node-version not-a-map not-allowed-value not-converged not-found not-pruned not-sent not_after not_before",
  "objectname objectsize on_event_stream_message on_http_request on_http_response on_tcp_connect openid-connect",
  "operation-ended operation-started operation_id operations ordering-cycle ordinary orphaning otherwise",
  "out-of-range outermost outline-offset output-file overflow overflow-wrap overflow-x overwrite overwrites",
  "overwritten owasp-crs-request owasp-crs-response ownership ownership-conflict ownership-lost padding-left",
  "padding-top page-size parallel parameter paramvalue part-way password pattern-no-match pattern-too-large",
  "patterns percentage permanent permission permissions permitted placeholder plan-file planfile planning",
  "policies policy-action policy-json policy-phase policy-phase-misplaced policy-secret policy-secret-name policy-shape",
  "position possible pre-wrap precisely prefers-color-scheme prefers-reduced-motion presented previous",
  "previous-name private-key-invalid private-key-mismatch private_key_pem private_key_type probability probably",
  "problems progress properties protected protocol providers pull_request query-invalid rate-limit reachable",
  "read-only read-only-member readable recorded recovered redirect redirects reference reference-unknown",
  "references referred referrer referrers-invisible refusals rehearsal rehearse rehearses rejection relative",
  "released released-hostport-restored releases releasing remaining remove-headers removing repeatable replaced",
  "replacement replacements replaces repository represent represented reproducible request-body-find-replace",
  "requested requests required reserved-address reserved-member reserved_addrs resolved resource-module",
  "resources responded responds response-body-find-replace response-differs responses restore-failed restored",
  "restrict restrict-ips restricted retry-after returned rev-parse reviewed run-ended run-started sans-serif",
  "schedule schemastore script-src searching secret-file-exposed secret-file-writable secret-not-sent",
  "secret-source secret-unavailable secret-unknown sections security selected selector selectors semaphore",
  "send-again sensitive serial_number services set-vars settings settling setup-node silently somebody",
  "something spelling sse-find-replace stale-plan status_code still-referenced stopping stroke-dasharray",
  "stroke-width style-src subject_alternative_names subject_common_name subject_country subject_locality",
  "subject_organizational_unit subject_province submodule substituted succeeded symbolic system-ui tabindex",
  "tabular-nums take-over temporary terminal terminate-tls terminate_at terminated termination testcase",
  "testsuites text-align text-decoration text-transform tls-certificate tls-edge tls_certificates tls_edges",
  "tls_termination together too-long too-many-deletes too-many-errors too-many-problems traffic-gap trailing",
  "transform transition translate transparent truncate tunnel-edge type-taken ubuntu-latest ui-monospace",
  "unchanged unclosed unencrypted unexpected unknown-api-version unknown-ignored-field unknown-kind",
  "unknown-member unlisted-module unmanaged unreadable unshallow unused-allow updating uploadpack upper-case",
  "uppercase upstream upstream-min-version upstream-module upstream-module-doubtful url-rewrite user-agent",
  "validate value-invalid value-too-long value-type variable variable-expression variable-too-large",
  "variable-type variable-unset variables verification verified verifies verify-failed verify-webhook verifying",
  "versions vertical-align viewport warnings wasm-tiering-budget webhook-provider webhook-secret",
  "webhook_verification webhooks webkit-details-marker webkit-print-color-adjust white-space workflow workflows",
  "worktree writable wrong-type x-immutable x-inherits yaml-alias yaml-depth yaml-directive yaml-duplicate-key",
  "border-right break-after clip-path connections content-visibility data-label details-content elements",
  "figcaption first-child flex-start grid-template-columns line-break overflow-wrap overwritten tab-size text-indent",
  "text-underline-offset to-adopt to-create to-delete to-orphan to-replace to-update underline user-select",
  "yaml-key yaml-merge-key yaml-number yaml-size yaml-syntax yaml-tag yaml-text",
  // How every private key of an algorithm begins: with the name of the algorithm, which certificates contain as well.
  // RSA of 2048, 3072 and 4096 bits, P-256, P-384, P-521, Ed25519.
  "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQ MIIEvgIBADANBgkqhkiG9w0BAQEFAASCBKgwggSkAgEAAoIBAQ",
  "MIIG/QIBADANBgkqhkiG9w0BAQEFAASCBucwggbjAgEAAoIBgQ MIIG/gIBADANBgkqhkiG9w0BAQEFAASCBugwggbkAgEAAoIBgQ",
  "MIIJQwIBADANBgkqhkiG9w0BAQEFAASCCS0wggkpAgEAAoICAQ MIIJQgIBADANBgkqhkiG9w0BAQEFAASCCSwwggkoAgEAAoICAQ",
  "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg oUQDQgAE MIG2AgEAMBAGByqGSM49AgEGBSuBBAAiBIGeMIGbAgEBBD",
  "MIHuAgEAMBAGByqGSM49AgEGBSuBBAAjBIHWMIHTAgEBBEI MC4CAQAwBQYDK2VwBCIEI",
];

/** Words of SARIF, JUnit and HTML, which edgewise's own schemas don't contain. */
const formatWords =
  "$schema artifactLocation automationDetails columnKind defaultConfiguration driver fullDescription fullyQualifiedName " +
  "level locations logicalLocations options partialFingerprints physicalLocation properties results ruleId ruleIndex " +
  "rules runs shortDescription startColumn startLine text tool unicodeCodePoints uriBaseId version warning error note " +
  "testsuites testsuite testcase classname failures failure tests resource " +
  "DOCTYPE html head meta charset title style body main header footer section details summary span script class " +
  "table caption thead tbody label input button code pre open aria data none auto flex grid block left right bold";

/** Names of kinds, codes and styles: several words in one. */
const joined = /[a-z\d][-_/][a-z\d]/iu;

/**
 * Words that are never masked, even when one is a whole secret: outputs would no longer be valid, and anyone who can
 * name a file as a secret could hide what a plan does.
 */
export const ownWords: ReadonlySet<string> = new Set([
  ...schemaWords,
  ...formatWords.split(" "),
  ...publicWords.flatMap((line) => line.split(" ").filter((word) => joined.test(word))),
]);
