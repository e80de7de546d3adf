import { nodeCrypto } from "./node-crypto.js";

/** How every secret prints, whichever way it is printed. */
export const MASK = "(secret)";

/** How Node's own printing asks an object for its text (`util.inspect.custom`). */
const inspected = Symbol.for("nodejs.util.inspect.custom");

/** What a secret turned out to be: its text, or why it can't be had. */
export type SecretValue =
  | { readonly available: true; readonly text: string }
  | { readonly available: false; readonly reason: string };

/**
 * A value that must never be shown: string, template, JSON, inspect and error output all give `(secret)`.
 * It is read lazily (private keys are needed by creates alone) and once.
 * Only {@link reveal} gives the text; the request serializer is its one caller outside `validate`'s key check.
 */
export class Secret {
  readonly #read: () => SecretValue;
  #value: SecretValue | undefined;

  /**
   * @param source where it comes from, for people: `env DEPLOY_KEY`, `file keys/api.pem`, `live`. Never the value.
   * @param read reads it; called at most once, when first needed
   */
  constructor(
    readonly source: string,
    read: () => SecretValue,
  ) {
    this.#read = read;
  }

  /** A secret whose text is at hand. */
  static of(text: string, source: string): Secret {
    return new Secret(source, () => ({ available: true, text }));
  }

  /** A secret that can't be had here. */
  static unavailable(source: string, reason: string): Secret {
    return new Secret(source, () => ({ available: false, reason }));
  }

  #get(): SecretValue {
    this.#value ??= this.#read();
    return this.#value;
  }

  /** Why the secret can't be had, or null when it can. */
  get missing(): string | null {
    const value = this.#get();
    return value.available ? null : value.reason;
  }

  /** The text itself. Throws a RangeError that names the source when it is not available. */
  reveal(): string {
    const value = this.#get();
    if (!value.available) throw new RangeError(`the secret from ${this.source} is not available: ${value.reason}`);
    return value.text;
  }

  /** Whether both hold the same text; null when either is not available. */
  sameAs(other: Secret): boolean | null {
    const a = this.#get();
    const b = other.#get();
    if (!a.available || !b.available) return null;
    return nodeCrypto().timingSafeEqual(digest(a.text), digest(b.text));
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
  return nodeCrypto().createHash("sha256").update(text, "utf8").digest();
}

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
