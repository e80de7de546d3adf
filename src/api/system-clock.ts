import { setTimeout } from "node:timers/promises";
import type { Clock } from "./client.js";

/** Real time since the epoch, which setting the machine's clock does not move. */
export const systemClock: Clock = {
  now: () => performance.timeOrigin + performance.now(),
  sleep: async (ms, signal) => {
    await setTimeout(ms, undefined, signal === undefined ? {} : { signal }).catch(() => undefined);
  },
};
