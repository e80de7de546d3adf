/**
 * The id that the configuration's `adopt` has for an address; null = none.
 *
 * Most configurations adopt nothing: then the address is not looked up, for which V8 would keep it in a table of all names.
 */
export function adoptedId(adopt: { readonly [address: string]: string }, address: string): string | null {
  return !isEmpty(adopt) && Object.hasOwn(adopt, address) ? (adopt[address] ?? null) : null;
}

function isEmpty(adopt: { readonly [address: string]: string }): boolean {
  for (const _address in adopt) return false;
  return true;
}
