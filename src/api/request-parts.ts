import { EdgewiseError } from "../core/errors.js";
import type { Value } from "../core/json.js";
import { SecretPolicy } from "../kinds/policy/policy-codec.js";
import { Secret } from "../core/secret.js";
import { withoutSlashes } from "../core/text.js";
import { versionHeaderProblem } from "../core/version-header.js";
import { version } from "../core/version.js";

/**
 * The base URL, checked, without a trailing slash in its path.
 * @throws EdgewiseError `config`; the message doesn't repeat the URL, which may contain a password
 */
export function parseBaseUrl(text: string): URL {
  const problem = problemOf(text);
  if (problem !== null) {
    throw new EdgewiseError("config", `the base URL ${problem}`, {
      remedy:
        "Set it to a URL like https://api.example.com, in the configuration's api.baseUrl, EDGEWISE_BASE_URL or --base-url.",
    });
  }
  const url = new URL(text);
  url.pathname = withoutSlashes(url.pathname);
  return url;
}

function problemOf(text: string): string | null {
  if (!URL.canParse(text)) return "is not a URL";
  const url = new URL(text);
  if (url.protocol !== "https:" && url.protocol !== "http:") return "is neither https nor http";
  if (url.username !== "" || url.password !== "") return "holds a user name or password";
  if (url.search !== "" || url.hash !== "") return "holds a query or a fragment";
  return null;
}

/** A checked base URL as text, without a trailing slash. */
export function baseUrlText(base: URL): string {
  return base.origin + basePath(base);
}

/** Its path without a trailing slash: empty, or starting with a slash. */
export function basePath(base: URL): string {
  return withoutSlashes(base.pathname);
}

/**
 * The URL of an API path. The path must not be normalized: an id that is empty or `..` would change its meaning.
 * @throws EdgewiseError `api` for a path that URL parsing would change
 */
export function urlOf(base: URL, path: string): URL {
  // After an origin everything that begins with a slash can be parsed.
  if (/^(\/[^/?#]+)+$/.test(path)) {
    const literal = baseUrlText(base) + path;
    const url = new URL(literal);
    if (url.href === literal) return url;
  }
  throw new EdgewiseError("api", `${JSON.stringify(path)} is not a valid API path; nothing was sent`, {
    remedy: "Check for an empty or malformed id, like `..`.",
  });
}

/** The API version that edgewise is written for. */
const apiVersion = "2";

/**
 * The headers of every request but `Content-Type`: the API key and the API version among them.
 * @throws EdgewiseError `config` for a key or a header name that can't be sent; it never shows the key
 */
export function requestHeaders(apiKey: Secret, versionHeader: string): { readonly [header: string]: string } {
  const problem = versionHeaderProblem(versionHeader);
  if (problem !== null) {
    const name = JSON.stringify(versionHeader);
    throw new EdgewiseError("config", `${name} can't be the name of the version header: it ${problem}`, {
      remedy: "Set api.versionHeader in the configuration to the name that the service documents.",
    });
  }
  return {
    accept: "application/json",
    "user-agent": `edgewise/${version}`,
    authorization: `Bearer ${keyText(apiKey)}`,
    [versionHeader]: apiVersion,
  };
}

function keyText(apiKey: Secret): string {
  const remedy = `Check the value of ${apiKey.source}.`;
  if (apiKey.missing !== null) {
    throw new EdgewiseError("config", `the API key is not available: ${apiKey.missing}`, { remedy });
  }
  const key = apiKey.reveal();
  if (!/^[\x21-\x7e]+$/.test(key)) {
    const what =
      key === "" ? "is empty" : "contains spaces, line breaks or other characters that a header can't contain";
    throw new EdgewiseError("config", `the API key ${what}`, { remedy });
  }
  return key;
}

/**
 * The JSON text of a request's body with secrets in clear text: the only place that reveals them for the API.
 * @param onSecret called with each secret before it is written, so that it is masked wherever it turns up
 * @throws EdgewiseError `secret-unavailable`
 */
export function serializeBody(body: Value, onSecret: (secret: string) => void): string {
  return JSON.stringify(body, function (this: { readonly [member: string]: unknown }, name, shown: unknown) {
    const value = this[name];
    return value instanceof Secret ? reveal(value, onSecret) : shown;
  });
}

function reveal(secret: Secret, onSecret: (secret: string) => void): string {
  if (secret.missing !== null) {
    throw new EdgewiseError(
      "secret-unavailable",
      `the secret from ${secret.source} is not available: ${secret.missing}`,
      { remedy: "Make it available where you run `edgewise apply`." },
    );
  }
  const text = secret.reveal();
  // Only the secrets in a policy are masked, not the policy: they may turn up without the rest of it.
  for (const part of secret instanceof SecretPolicy ? secret.texts() : [text]) onSecret(part);
  return text;
}
