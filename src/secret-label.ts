import { MASK } from "./secret.js";
import type { Secret } from "./secret.js";

/** How a secret is shown: with the place that it comes from when a manifest names one, `(secret, env HOOK_SECRET)`. */
export function secretLabel(secret: Secret): string {
  return labelFor(hasSource(secret) ? [secret.source] : []);
}

/** The label of a value that holds secrets from several sources; none = a plain text or a live value. */
export function labelFor(sources: readonly string[]): string {
  return sources.length === 0 ? MASK : `${MASK.slice(0, -1)}, ${[...new Set(sources)].join(", ")})`;
}

/** Whether a manifest names where the secret comes from. */
export function hasSource({ source }: Secret): boolean {
  return source.startsWith("env ") || source.startsWith("file ");
}

/** Whether a text is what outputs show in place of a secret: somebody copied it from one, or exported it. */
export function isSecretLabel(text: string): boolean {
  return /^\(secret(?:, (?:env|file) .*)?\)(?: changed)?$/u.test(text.trim());
}

/** What a report shows of a secret field: a label as this program writes it, else the bare mask. A plan file may say anything. */
export function safeSecretLabel(label: unknown): string {
  const known = typeof label === "string" && /^\(secret(?:, (?:env|file) .*)?\)$/u.test(label);
  return known ? label : MASK;
}
