/** The list grows: another word is only a warning. */
export const knownPhases: readonly string[] = [
  "on_tcp_connect",
  "on_http_request",
  "on_http_response",
  "on_event_stream_message",
];

export const knownActions: readonly string[] = (
  "add-headers ai-gateway basic-auth circuit-breaker close-connection compress-response custom-response deny " +
  "forward-internal http-request jwt-validation log oauth openid-connect owasp-crs-request owasp-crs-response " +
  "rate-limit redirect remove-headers request-body-find-replace response-body-find-replace restrict-ips saml " +
  "set-vars sse-find-replace terminate-tls url-rewrite verify-webhook"
).split(" ");
