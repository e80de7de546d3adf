import type { Value } from "../../json.js";
import { Secret } from "../../secret.js";
import type { Codec } from "../kind.js";
import { documentOf, samePolicy } from "../policy/compare-policies.js";
import { hasSecrets } from "../policy/secret-places.js";
import { SecretPolicy, policyFromDocument, policyFromText } from "../policy/secret-policy.js";
import { asJson } from "./plain.js";

/**
 * A traffic policy: a string that holds a JSON document. The manifest may write it as an object, with secrets in it.
 * Compared as parsed JSON (the order of rules counts, that of keys doesn't); unparsable ones as text. A policy that
 * holds secrets is bound like a secret.
 */
export const policy: Codec = {
  fromManifest: (value) => {
    if (value instanceof Secret) return value;
    return typeof value === "string" ? policyFromText(value, "the manifest") : policyFromDocument(value);
  },
  fromWire: (value = null) => {
    if (typeof value === "string") return policyFromText(value, "live");
    // A service that answers with an object is not what is specified; its secrets are none the less.
    return value instanceof Secret || !hasSecrets(value) ? value : new SecretPolicy("live", value, null);
  },
  toWire: (value) => {
    if (!(value instanceof Secret)) return { json: asJson(value), bind: {} };
    return { json: null, bind: { "": { secret: true, live: value.source === "live" } } };
  },
  same: samePolicy,
};

/** The document in a policy; undefined when it is no JSON. */
export function parsePolicy(value: Value): unknown {
  return documentOf(value);
}
