import { EdgewiseError } from "../errors.js";
import type { Value } from "../json.js";
import { SecretPolicy } from "../kinds/policy/secret-policy.js";
import { Secret } from "../secret.js";

/**
 * The JSON text of a request's body, secrets in clear: the one place that reveals them for the API.
 * @param onSecret told each secret before it is written, so that it can be masked wherever it turns up
 * @throws EdgewiseError `secret-unavailable`
 */
export function serializeBody(value: Value, onSecret: (secret: string) => void): string {
  if (value instanceof Secret) return JSON.stringify(reveal(value, onSecret));
  if (Array.isArray(value)) return `[${value.map((item: Value) => serializeBody(item, onSecret)).join(",")}]`;
  if (typeof value === "object" && value !== null) {
    const members: string[] = [];
    for (const [member, part] of Object.entries(value)) {
      if (part !== undefined) members.push(`${JSON.stringify(member)}:${serializeBody(part, onSecret)}`);
    }
    return `{${members.join(",")}}`;
  }
  return JSON.stringify(value);
}

function reveal(secret: Secret, onSecret: (secret: string) => void): string {
  if (secret.missing !== null) {
    throw new EdgewiseError(
      "secret-unavailable",
      `the secret from ${secret.source} is not available: ${secret.missing}`,
      { remedy: "Make it available where apply runs." },
    );
  }
  const text = secret.reveal();
  // Of a policy that holds secrets only these are to be masked, and they turn up without the rest.
  if (secret instanceof SecretPolicy) for (const part of secret.texts()) onSecret(part);
  else onSecret(text);
  return text;
}
