import { setTimeout } from "node:timers/promises";
import type { Clock } from "./client.js";

/** Setting the machine's clock doesn't move it. */
export const systemClock: Clock = {
  now: () => performance.timeOrigin + performance.now(),
  sleep: async (ms, signal) => {
    await setTimeout(ms, undefined, signal === undefined ? {} : { signal }).catch(() => undefined);
  },
};
