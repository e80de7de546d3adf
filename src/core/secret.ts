import { createHash, timingSafeEqual } from "node:crypto";

/** The text that every secret prints as, in every form of output. */
export const MASK = "(secret)";

const inspected = Symbol.for("nodejs.util.inspect.custom");

export type SecretValue =
  | { readonly available: true; readonly text: string }
  | { readonly available: false; readonly reason: string };

/**
 * A value that must never be shown: string, template, JSON, inspect and error output all give `(secret)`.
 * It is read lazily (only creates need private keys) and once. Only {@link reveal} returns the text.
 */
export class Secret {
  readonly #read: () => SecretValue;
  #value: SecretValue | undefined;

  /**
   * @param source where it comes from, for display: `env DEPLOY_KEY`, `file keys/api.pem`, `live`. Never the value.
   * @param read called at most once, when the secret is first needed
   */
  constructor(
    readonly source: string,
    read: () => SecretValue,
  ) {
    this.#read = read;
  }

  static of(text: string, source: string): Secret {
    return new Secret(source, () => ({ available: true, text }));
  }

  static unavailable(source: string, reason: string): Secret {
    return new Secret(source, () => ({ available: false, reason }));
  }

  #get(): SecretValue {
    this.#value ??= this.#read();
    return this.#value;
  }

  /** Why the secret is not available; null when it is. */
  get missing(): string | null {
    const value = this.#get();
    return value.available ? null : value.reason;
  }

  reveal(): string {
    const value = this.#get();
    if (!value.available) throw new RangeError(`the secret from ${this.source} is not available: ${value.reason}`);
    return value.text;
  }

  /** Whether both have the same text; null when either is not available. */
  sameAs(other: Secret): boolean | null {
    const a = this.#get();
    const b = other.#get();
    if (!a.available || !b.available) return null;
    return timingSafeEqual(digest(a.text), digest(b.text));
  }

  toString(): string {
    return MASK;
  }

  toJSON(): string {
    return MASK;
  }

  [Symbol.toPrimitive](): string {
    return MASK;
  }

  get [Symbol.toStringTag](): string {
    return "Secret";
  }

  [inspected](): string {
    return MASK;
  }
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text, "utf8").digest();
}

/** The label of a secret in outputs: with its source when a manifest names one, `(secret, env HOOK_SECRET)`. */
export function secretLabel(secret: Secret): string {
  return labelFor(hasSource(secret) ? [secret.source] : []);
}

/** The label of a value that holds secrets from several sources; none = a plain text or a live value. */
export function labelFor(sources: readonly string[]): string {
  return sources.length === 0 ? MASK : `${MASK.slice(0, -1)}, ${[...new Set(sources)].join(", ")})`;
}

/** Whether a manifest names the source of the secret. */
export function hasSource({ source }: Secret): boolean {
  return source.startsWith("env ") || source.startsWith("file ");
}

/** Whether a text is the label that outputs show in place of a secret, copied from an output or an export. */
export function isSecretLabel(text: string): boolean {
  return /^\(secret(?:, (?:env|file) .*)?\)(?: changed)?$/u.test(text.trim());
}

/** The label of a secret field in a report: one in the form of this program, otherwise the bare mask. A plan file may contain anything. */
export function safeSecretLabel(label: unknown): string {
  const known = typeof label === "string" && /^\(secret(?:, (?:env|file) .*)?\)$/u.test(label);
  return known ? label : MASK;
}

/** What stands for a policy when nothing that may be shown tells both sides apart. */
export const secretChanged = `${MASK} changed`;
