import { EdgewiseError } from "../core/errors.js";
import type { Value } from "../core/json.js";
import { SecretPolicy } from "../kinds/policy.js";
import { Secret } from "../core/secret.js";
import { withoutSlashes } from "../core/text.js";
import { versionHeaderProblem } from "../core/version-header.js";
import { version } from "../core/version.js";

/** @throws EdgewiseError `config` without the URL: it may contain a password */
export function parseBaseUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  const extra = url === null ? "" : url.username + url.password + url.search + url.hash;
  if (url === null || !/^https?:$/.test(url.protocol) || extra !== "") {
    const message = "the base URL must be an http or https URL without a user name, password, query or fragment";
    throw new EdgewiseError("config", message, { remedy: "Set it to a URL like https://api.example.com." });
  }
  url.pathname = withoutSlashes(url.pathname);
  return url;
}

export function baseUrlText(base: URL): string {
  return base.origin + basePath(base);
}

export function basePath(base: URL): string {
  return withoutSlashes(base.pathname);
}

/** @throws EdgewiseError `api` for a path that URL parsing would change, like one with the id `..` */
export function urlOf(base: URL, path: string): URL {
  if (/^(\/[^/?#]+)+$/.test(path)) {
    const literal = baseUrlText(base) + path;
    const url = new URL(literal);
    if (url.href === literal) return url;
  }
  throw new EdgewiseError("api", `${JSON.stringify(path)} is not a valid API path; nothing was sent`, {
    remedy: "Check for an empty or malformed id, like `..`.",
  });
}

/** @throws EdgewiseError `config` that never shows the key */
export function requestHeaders(apiKey: Secret, versionHeader: string): { readonly [header: string]: string } {
  const problem = versionHeaderProblem(versionHeader);
  if (problem !== null) {
    const name = JSON.stringify(versionHeader);
    throw new EdgewiseError("config", `${name} can't be the name of the version header: it ${problem}`, {
      remedy: "Set api.versionHeader to the name that the service documents.",
    });
  }
  const key = apiKey.missing === null ? apiKey.reveal() : "";
  if (!/^[\x21-\x7e]+$/.test(key)) {
    const other = key === "" ? "is empty" : "contains spaces or other characters that a header can't contain";
    const what = apiKey.missing === null ? other : `is not available: ${apiKey.missing}`;
    throw new EdgewiseError("config", `the API key ${what}`, { remedy: `Check the value of ${apiKey.source}.` });
  }
  return {
    accept: "application/json",
    "user-agent": `edgewise/${version}`,
    authorization: `Bearer ${key}`,
    [versionHeader]: "2",
  };
}

/** The only place that reveals secrets for the API. @throws EdgewiseError `secret-unavailable` */
export function serializeBody(body: Value, onSecret: (secret: string) => void): string {
  return JSON.stringify(body, function (this: { readonly [member: string]: unknown }, name, shown: unknown) {
    const value = this[name];
    if (!(value instanceof Secret)) return shown;
    if (value.missing !== null) {
      const message = `the secret from ${value.source} is not available: ${value.missing}`;
      throw new EdgewiseError("secret-unavailable", message, {
        remedy: "Make it available where you run `edgewise apply`.",
      });
    }
    const text = value.reveal();
    // They may turn up without the rest of the policy.
    for (const part of value instanceof SecretPolicy ? value.texts() : [text]) onSecret(part);
    return text;
  });
}
