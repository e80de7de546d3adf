import { type Value, isObject } from "../json.js";
import type { Codec } from "../kinds/kind.js";
import { sameTokens } from "../kinds/policy/compare-documents.js";
import { parsePolicy, policy } from "../kinds/policy/policy-codec.js";
import { holdsSource } from "../kinds/policy/source-places.js";

/**
 * A value in the form that people edit: a traffic policy as an object when that says the same, and every text with the
 * begin of an expression (`${{`) escaped, so that it is read back as it stands.
 */
export function editableValue(codec: Codec, value: Value): unknown {
  return escapeExpressions(codec === policy ? policyAsObject(value) : value);
}

function policyAsObject(value: Value): unknown {
  const parsed = parsePolicy(value);
  if (typeof value !== "string" || !isObject(parsed) || !roundTrips(value, parsed)) return value;
  return policy.same(value, JSON.stringify(parsed)) === true ? parsed : value;
}

/** Whether a policy can be written as an object: it is read back as the same. */
export function roundTrips(text: string, parsed: { readonly [member: string]: unknown }): boolean {
  // `{file: …}` would be read as the name of a file, and within a policy as the source of a secret.
  if (Object.keys(parsed).every((member) => member === "file") || holdsSource(parsed)) return false;
  // Numbers that JavaScript can't hold, repeated members and `__proto__` don't survive.
  return sameTokens(text, JSON.stringify(parsed));
}

/** A value in which no text is read as an expression. */
export function escapeExpressions(value: unknown): unknown {
  if (typeof value === "string") return value.replaceAll("${{", () => "$${{");
  if (Array.isArray(value)) return value.map(escapeExpressions);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([member, part]) => [member, escapeExpressions(part)]));
}
