import type { Clock } from "../../api/client.js";

/** Hastens sources, each at most once in a while. */
export interface HookPace {
  /** Hastens a source now, or as soon as it may be. What is asked for meanwhile is one more time, never none. */
  ask(source: string): void;
}

/** How long a source rests after it was hastened, in milliseconds. */
export const hookRestMs = 10_000;

/**
 * A hook that is repeated, by a forge or by somebody who recorded it, costs at most one fetch in ten seconds. One that
 * comes in that time is kept until it ends: the push that it tells of may be later than the fetch.
 * @param closing aborted = nothing is hastened any more
 */
export function createHookPace(hasten: (source: string) => void, clock: Clock, closing: AbortSignal): HookPace {
  const resting = new Map<string, { again: boolean }>();

  const rest = async (source: string): Promise<void> => {
    const state = { again: false };
    resting.set(source, state);
    do {
      state.again = false;
      hasten(source);
      await clock.sleep(hookRestMs, closing);
    } while (state.again && !closing.aborted);
    resting.delete(source);
  };

  return {
    ask(source) {
      if (closing.aborted) return;
      const state = resting.get(source);
      if (state === undefined) void rest(source);
      else state.again = true;
    },
  };
}
