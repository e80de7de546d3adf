import type { Json } from "../../json.js";
import { MASK, Secret } from "../../secret.js";
import type { Value } from "../value.js";
import { sameDocument } from "./compare-documents.js";
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
  if (left !== undefined && right !== undefined) return sameDocument(left, right);
  const [from, to] = [asSecret(a), asSecret(b)];
  return from === null || to === null ? false : from.sameAs(to);
}

/** How two policies are shown beside each other: wherever they differ, what is shown differs. */
export function shownBoth(before: Value, after: Value): readonly [Json, Json] {
  const [left, right] = [documentOf(before), documentOf(after)];
  if (left !== undefined && right !== undefined) {
    const [from, to] = maskBoth(left, right);
    return [JSON.stringify(from), JSON.stringify(to)];
  }
  const [from, to] = [shownAlone(before), shownAlone(after)];
  return [from, from === to && typeof to === "string" ? `${to}\n${MASK} changed` : to];
}

function shownAlone(value: Value): Json {
  if (value instanceof Secret) return value.toJSON();
  return typeof value === "string" ? value : null;
}

function asSecret(value: Value): Secret | null {
  if (value instanceof Secret) return value;
  return typeof value === "string" ? Secret.of(value, "live") : null;
}
