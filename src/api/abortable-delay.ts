import { setTimeout } from "node:timers/promises";

/** Ends after `ms` milliseconds, or at once when the signal aborts. Never throws: ask the signal. */
export async function abortableDelay(ms: number, signal?: AbortSignal): Promise<void> {
  await setTimeout(ms, undefined, signal === undefined ? {} : { signal }).catch(() => undefined);
}
