import type { DecisionInput, HeldChange } from "./decision.js";
import { type Window, isOpen, nextOpening } from "./windows.js";

/** Why nothing of a stack is written now, whatever differs, and what would change that; null = it may be written to. */
export function whyNothingNow({
  paused,
  policy,
  now,
}: Pick<DecisionInput, "paused" | "policy" | "now">): Omit<HeldChange, "address"> | null {
  if (paused)
    return { reason: "paused", message: "the fleet is paused, until `pause: true` is taken out of the fleet file" };
  const { suspend, windows } = policy;
  if (suspend !== null && (suspend.until === null || now < suspend.until)) {
    const end = suspend.until === null ? "`suspend` is taken out of the fleet file" : timeText(suspend.until);
    return { reason: "suspended", message: `the stack is suspended until ${end}: ${suspend.reason}` };
  }
  const message = whyClosed(windows, now);
  return message === null ? null : { reason: "window", message };
}

/** Why no window is open; null = one is, or there is none. */
function whyClosed(windows: readonly Window[], now: number): string | null {
  if (isOpen(windows, now)) return null;
  const opening = nextOpening(windows, now);
  return `it is outside of the windows (${windows.map(({ text }) => text).join(", ")}); ${opening === null ? "none opens within a fortnight" : `the next one opens at ${timeText(opening)}`}`;
}

function timeText(time: number): string {
  return new Date(time).toISOString();
}
