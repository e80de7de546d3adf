import type { LoadOptions } from "./load-options.js";

type Adopt = LoadOptions["adopt"];

/** A configuration that adopts nothing. */
const nothing: Adopt = Object.freeze({});

/**
 * The options for one load. When the configuration adopts nothing, {@link adoptedId} doesn't look addresses up: V8 would
 * keep each in its table of all names.
 */
export function withKnownAdopt(options: LoadOptions): LoadOptions {
  return Object.keys(options.adopt).length === 0 ? { ...options, adopt: nothing } : options;
}

/** The id that the configuration's `adopt` has for an address; null = none. */
export function adoptedId(adopt: Adopt, address: string): string | null {
  return adopt !== nothing && Object.hasOwn(adopt, address) ? (adopt[address] ?? null) : null;
}
