import { abortableDelay } from "./abortable-delay.js";
import type { Clock } from "./client-options.js";

/** Real time since the epoch, which setting the machine's clock does not move. */
export const systemClock: Clock = {
  now: () => performance.timeOrigin + performance.now(),
  sleep: abortableDelay,
};
