import type { Clock } from "../../../../src/api/client.ts";

/** How many times faster the client's clock runs than the sandbox's. */
export const haste = 50;

export function hastyClock(): Clock {
  const start = Date.now();
  return {
    now: () => start + (Date.now() - start) * haste,
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        if (signal?.aborted === true) return resolve();
        const done = (): void => {
          clearTimeout(timer);
          signal?.removeEventListener("abort", done);
          resolve();
        };
        const timer = setTimeout(done, ms / haste);
        signal?.addEventListener("abort", done, { once: true });
      }),
  };
}
