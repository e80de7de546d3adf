import type { Json, Value } from "../../core/json.js";
import { MASK, Secret, secretChanged } from "../../core/secret.js";
import { asJson } from "../codecs/value-codecs.js";
import type { Codec } from "../kind.js";
import { asSecret, holdTheSame, losesNothing, plainTokens, sameDocument } from "./compare-documents.js";
import { maskBoth, withoutSecrets } from "./mask-document.js";
import { hasSecrets, readPolicy } from "./secret-places.js";
import { SecretPolicy, policyFromDocument, policyFromText } from "./secret-policy.js";

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
  comparable: comparablePolicy,
};

/** The document in a policy; undefined when its text is not JSON. */
export function documentOf(value: Value): Value | undefined {
  if (value instanceof SecretPolicy) return value.document;
  return typeof value === "string" ? readPolicy(value) : undefined;
}

/** Whether two policies mean the same; null when only secrets that are not available keep it from being decided. */
export function samePolicy(a: Value, b: Value): boolean | null {
  if (a === b) return true;
  const [left, right] = [documentOf(a), documentOf(b)];
  if (left !== undefined && right !== undefined) {
    const same = sameDocument(left, right);
    const [from, to] = [textOf(a), textOf(b)];
    // What a document has lost is only in its text.
    return same !== true || from === null || to === null ? same : from === to || holdTheSame(from, to);
  }
  const [from, to] = [asSecret(a), asSecret(b)];
  return from === null || to === null ? false : from.sameAs(to);
}

/** What a policy says without its secrets: those that either side names are left out of both. */
function comparablePolicy(value: Value, other: Value): Value {
  const document = documentOf(value);
  if (document === undefined) return value instanceof Secret ? value.toJSON() : value;
  const said = withoutSecrets(document, documentOf(other));
  // What a document has lost is only in its text, which is no secret where the policy holds none.
  return typeof value === "string" && !losesNothing(value) ? [said, ...plainTokens(value)] : [said];
}

/** How two policies are shown beside each other: wherever they differ, what is shown differs. */
export function shownBoth(before: Value, after: Value): readonly [Json, Json] {
  const [left, right] = [documentOf(before), documentOf(after)];
  if (left !== undefined && right !== undefined) {
    const [from, to] = maskBoth(left, right);
    const shown = [JSON.stringify(from), JSON.stringify(to)] as const;
    // What differs is in a number of too many digits, or in a member that stands there twice.
    if (shown[0] === shown[1] && samePolicy(before, after) === false) return [MASK, secretChanged];
    return shown;
  }
  const [from, to] = [shownAlone(before), shownAlone(after)];
  return from === to ? [MASK, secretChanged] : [from, to];
}

function textOf(value: Value): string | null {
  if (value instanceof SecretPolicy) return value.missing === null ? value.reveal() : null;
  return typeof value === "string" ? value : null;
}

function shownAlone(value: Value): Json {
  if (value instanceof Secret) return value.toJSON();
  return typeof value === "string" ? value : null;
}
