import { createHash, timingSafeEqual } from "node:crypto";

export const MASK = "(secret)";

const inspected = Symbol.for("nodejs.util.inspect.custom");

export type SecretValue = Readonly<{ available: true; text: string }> | Readonly<{ available: false; reason: string }>;

/** A value that every form of output shows as `(secret)`. It is read lazily, once; only {@link reveal} returns the text. */
export class Secret {
  readonly #read: () => SecretValue;
  #value: SecretValue | undefined;

  /** @param source where it comes from, for display: `env DEPLOY_KEY`, `file keys/api.pem`, `live` */
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

  /** Null when it is available. */
  get missing(): string | null {
    const value = this.#get();
    return value.available ? null : value.reason;
  }

  reveal(): string {
    const value = this.#get();
    if (!value.available) throw new RangeError(`the secret from ${this.source} is not available: ${value.reason}`);
    return value.text;
  }

  /** Null when either is not available, unless both are of one source. */
  sameAs(other: Secret): boolean | null {
    const a = this.#get();
    const b = other.#get();
    if (!a.available || !b.available) return this.source === other.source ? true : null;
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

/** `(secret, env HOOK_SECRET)` when a manifest names its source */
export function secretLabel(secret: Secret): string {
  return labelFor(hasSource(secret) ? [secret.source] : []);
}

export function labelFor(sources: readonly string[]): string {
  return sources.length === 0 ? MASK : `${MASK.slice(0, -1)}, ${[...new Set(sources)].join(", ")})`;
}

export function hasSource({ source }: Secret): boolean {
  return source.startsWith("env ") || source.startsWith("file ");
}

export function isSecretLabel(text: string): boolean {
  return /^\(secret(?:, (?:env|file) .*)?\)(?: changed)?$/u.test(text.trim());
}

/** Of a label in a plan file, which may be anything. */
export function safeSecretLabel(label: unknown): string {
  const known = typeof label === "string" && /^\(secret(?:, (?:env|file) .*)?\)$/u.test(label);
  return known ? label : MASK;
}

export const secretChanged = `${MASK} changed`;
