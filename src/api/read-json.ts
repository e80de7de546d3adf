import type { Value } from "../json.js";
import { clearTextsOf } from "../kinds/policy/find-secrets.js";
import { SecretPolicy, policyFromText } from "../kinds/policy/secret-policy.js";
import { Secret } from "../secret.js";

/** Nothing that the API describes is nested deeper than a handful. */
const deepest = 64;

/** Members of responses that hold secrets, wherever they stand (specification, "Webhook verification rules"). */
const secretMembers: ReadonlySet<string> = new Set(["secret", "private_key_pem"]);

/** A map from header names to texts, none of which is a secret member even when a header has such a name. */
const freeMaps: ReadonlySet<string> = new Set(["headers"]);

const decoder = new TextDecoder("utf-8", { fatal: true });

/** What became of a response's body. The problem ends a sentence that begins with `the answer`. */
export type JsonAnswer =
  | { readonly ok: true; readonly value: Value; readonly secrets: boolean }
  | { readonly ok: false; readonly problem: string; readonly text: string };

/**
 * Reads a response's body; an empty one is null.
 * Secrets are wrapped at once, so that nothing behind this function can print one.
 * @param onSecret told each secret in clear, so that it can be masked wherever it turns up
 * @param withoutKey takes the API key out of a text
 */
export function readJson(
  body: Uint8Array,
  onSecret: (secret: string) => void,
  withoutKey: (text: string) => string,
): JsonAnswer {
  let text: string;
  try {
    text = withoutKey(decoder.decode(body));
  } catch {
    return { ok: false, problem: "is not UTF-8", text: Buffer.from(body).toString("latin1") };
  }
  if (text.trim() === "") return { ok: true, value: null, secrets: false };
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return { ok: false, problem: "is not JSON", text };
  }
  const wrapped = wrapSecrets(parsed, onSecret);
  if (wrapped === null) return { ok: false, problem: `is nested deeper than ${deepest} levels`, text: "" };
  return { ok: true, value: parsed as Value, secrets: wrapped > 0 };
}

interface Open {
  readonly value: object;
  readonly depth: number;
  /** Whether members may be secrets. */
  readonly secrets: boolean;
}

/** The secrets in what may be a traffic policy; it is compared as it stands, so they are not wrapped here. */
function policyTexts(value: unknown): readonly string[] {
  // A service that answers with an object is not what is specified; its secrets are none the less.
  if (typeof value === "object") return clearTextsOf(new SecretPolicy("live", value as Value, null));
  const policy = typeof value === "string" ? policyFromText(value, "live") : "";
  return policy instanceof SecretPolicy ? clearTextsOf(policy) : [];
}

/** Wraps secrets in place, level by level; returns how many there were, or null when there are too many levels. */
function wrapSecrets(root: unknown, onSecret: (secret: string) => void): number | null {
  let wrapped = 0;
  const open: Open[] = typeof root === "object" && root !== null ? [{ value: root, depth: 1, secrets: true }] : [];
  // They are looked into once it is known that nothing is nested too deep.
  const policies: unknown[] = [];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (next.depth > deepest) return null;
    for (const member of Object.keys(next.value)) {
      const part: unknown = Reflect.get(next.value, member);
      if (next.secrets && secretMembers.has(member) && part !== null && part !== "") {
        const text = typeof part === "string" ? part : JSON.stringify(part);
        onSecret(text);
        Reflect.set(next.value, member, Secret.of(text, "live"));
        wrapped += 1;
        continue;
      }
      if (next.secrets && member === "value" && part !== null) policies.push(part);
      if (typeof part === "object" && part !== null) {
        open.push({ value: part, depth: next.depth + 1, secrets: !freeMaps.has(member) });
      }
    }
  }
  for (const policy of policies) for (const text of policyTexts(policy)) onSecret(text);
  return wrapped;
}
