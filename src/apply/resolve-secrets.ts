import { EdgewiseError } from "../errors.js";
import type { Operation } from "../plan/plan-format.js";
import type { Secret } from "../secret.js";

/**
 * Every secret that the operations will send, resolved before the first write: a run must not stop half-way for one
 * that could have been missed at once.
 * @throws EdgewiseError `secret-unavailable` that names all that are missing
 */
export function resolveSecrets(
  operations: readonly Operation[],
  resolve: (reference: string) => Secret,
): ReadonlyMap<string, Secret> {
  const secrets = new Map<string, Secret>();
  const missing: string[] = [];
  for (const operation of operations) {
    for (const binding of Object.values(operation.bind)) {
      if (!("secret" in binding) || secrets.has(binding.secret)) continue;
      const secret = resolve(binding.secret);
      secrets.set(binding.secret, secret);
      const reason = secret.missing;
      if (reason !== null) missing.push(`${binding.secret} (${secret.source}): ${reason}`);
    }
  }
  if (missing.length === 0) return secrets;
  const these = missing.length === 1 ? "a secret that must be sent is" : "secrets that must be sent are";
  throw new EdgewiseError("secret-unavailable", `Nothing was written: ${these} not available: ${missing.join("; ")}`, {
    remedy: "Set the environment variable, or put the file where the manifest says, and apply again.",
  });
}
