import type { Json, Value } from "../../json.js";
import { MASK, Secret } from "../../secret.js";
import { sameDocument } from "./compare-documents.js";
import { holdTheSame } from "./json-tokens.js";
import { maskBoth } from "./mask-document.js";
import { readPolicy } from "./read-policy.js";
import { SecretPolicy } from "./secret-policy.js";

/** The document in a policy in normal form; undefined when there is none. */
export function documentOf(value: Value): Value | undefined {
  if (value instanceof SecretPolicy) return value.document;
  return typeof value === "string" ? readPolicy(value) : undefined;
}

/** Whether two policies mean the same; null when only secrets that are not available keep it from being told. */
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

/** How two policies are shown beside each other: wherever they differ, what is shown differs. */
export function shownBoth(before: Value, after: Value): readonly [Json, Json] {
  const [left, right] = [documentOf(before), documentOf(after)];
  if (left !== undefined && right !== undefined) {
    const [from, to] = maskBoth(left, right);
    const shown = [JSON.stringify(from), JSON.stringify(to)] as const;
    // What differs is in a number of too many digits, or in a member that stands there twice.
    if (shown[0] === shown[1] && samePolicy(before, after) === false) return [shown[0], `${shown[1]}\n${MASK} changed`];
    return shown;
  }
  const [from, to] = [shownAlone(before), shownAlone(after)];
  return [from, from === to && typeof to === "string" ? `${to}\n${MASK} changed` : to];
}

function textOf(value: Value): string | null {
  if (value instanceof SecretPolicy) return value.missing === null ? value.reveal() : null;
  return typeof value === "string" ? value : null;
}

function shownAlone(value: Value): Json {
  if (value instanceof Secret) return value.toJSON();
  return typeof value === "string" ? value : null;
}

function asSecret(value: Value): Secret | null {
  if (value instanceof Secret) return value;
  return typeof value === "string" ? Secret.of(value, "live") : null;
}
