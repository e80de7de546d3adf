import type { AccountClaim, WantedAccount } from "./store.js";

/**
 * The claims of a store that one process alone uses: every account is free, and nothing has changed.
 * @param hold of the store, which may be another process's by now
 */
export function soleClaims(
  wanted: readonly WantedAccount[],
  most: number,
  { assertHeld, isHeld }: { assertHeld(): void; isHeld(): boolean },
): readonly AccountClaim[] {
  return wanted.slice(0, most).map(({ account }) => ({
    account: account.name,
    quietUntil: 0,
    sentByOthers: 0,
    current: null,
    lost: new AbortController().signal,
    assertHeld: async () => assertHeld(),
    isHeld,
    release: async () => undefined,
  }));
}
