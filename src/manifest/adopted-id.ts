import type { LoadOptions } from "./load-options.js";

/** The id that the configuration's `adopt` has for an address; null = none. */
export function adoptedId(adopt: LoadOptions["adopt"], address: string): string | null {
  return Object.hasOwn(adopt, address) ? (adopt[address] ?? null) : null;
}
