import type { Clock } from "../../api/client.js";

/**
 * Makes a value at most once in a while, however often it is asked for: what needs no token must not cost more because
 * somebody asks in a loop. Whoever asks meanwhile gets what was made, or is being made. A failure is not kept.
 * @param ms how old what is given may be
 */
export function rememberBriefly<T>(make: () => Promise<T>, ms: number, clock: Clock): () => Promise<T> {
  let kept: { readonly at: number; readonly value: Promise<T> } | null = null;
  return async () => {
    const now = clock.now();
    if (kept === null || now < kept.at || now >= kept.at + ms) {
      const made = { at: now, value: make() };
      kept = made;
      made.value.catch(() => {
        if (kept === made) kept = null;
      });
    }
    return await kept.value;
  };
}
