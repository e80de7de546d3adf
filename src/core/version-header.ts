/**
 * Headers that have a meaning of their own, and may therefore not carry the API's version: whoever may change the
 * configuration could otherwise have every request say something else than edgewise means. By their pattern in lower
 * case, with what they do.
 */
const taken: readonly (readonly [pattern: RegExp, meaning: string])[] = [
  [/^(proxy-)?auth(orization|entication-info|enticate)$|^www-authenticate$/, "carries credentials"],
  [
    /^(set-)?cookie2?$|^x-(api-key|auth(-.*)?|access-token|csrf-token|xsrf-token|amz-.*|goog-.*)$/,
    "carries credentials",
  ],
  [/^api-?key$|^(private|access|auth)-token$|^x-.*-(token|secret|api-key)$|^dpop$/, "carries credentials"],
  [/^(host|:.*|alt-.*|location|content-location)$/, "says where a request goes"],
  [/^(content-.*|mime-version|want-.*digest|digest|repr-digest)$/, "describes the body"],
  [
    /^(connection|keep-alive|transfer-encoding|te|trailer|upgrade|expect|http2-settings|max-forwards|via)$/,
    "steers the connection",
  ],
  [
    /^(proxy-.*|forwarded|x-forwarded.*|x-real-ip|(x-)?(true-)?client-ip|x-cluster-client-ip|cf-.*|fastly-.*)$/,
    "is meant for proxies",
  ],
  [
    /^(x-original-.*|x-rewrite-.*|x-host|x-http-host-override|x-envoy-.*|x-middleware-.*|x-accel-.*)$/,
    "says where a request goes",
  ],
  [/^(x-http-method(-override)?|x-method(-override)?|http-method-override)$/, "changes the method"],
  [/^(accept(-.*)?|range|if-.*|cache-control|pragma|prefer|vary)$/, "changes what is answered"],
  [/^(user-agent|origin|referer|from|sec-.*|access-control-.*|dnt|early-data)$/, "says who asks"],
  [
    /^(date|warning|age|etag|expires|last-modified|retry-after|server|idempotency-key|priority)$/,
    "has a meaning of its own",
  ],
];

/** What is wrong with a name for the header that carries the API's version, or null. */
export function versionHeaderProblem(name: string): string | null {
  // A token, RFC 9110, section 5.6.2.
  if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/.test(name)) return "is not the name of a header";
  // Some servers take underscores for hyphens.
  const plain = name.toLowerCase().replaceAll("_", "-");
  const found = taken.find(([pattern]) => pattern.test(plain));
  return found === undefined ? null : `may not be ${name}: that header ${found[1]}`;
}
