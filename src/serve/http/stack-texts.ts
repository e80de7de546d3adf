import { safeJsonLine } from "../../text/safe-json.js";
import type { StackRecord, StackState } from "../records.js";
import type { ShownState, StackView } from "./serve-view.js";
import { showStack } from "./shown-stack.js";

/** Stacks as JSON. */
export interface StackTexts {
  /** @param now milliseconds since 1970 */
  textOf(stack: StackView, now: number): string;
}

interface KeptText {
  readonly state: StackState;
  readonly intervalMs: number;
  /** All but the age, and without the last brace. */
  readonly text: string;
}

/**
 * Keeps the text of each stack until it is looked at again: writing a whole fleet takes longer than all the rest.
 * Only the age, which is a number of our own, changes meanwhile.
 */
export function createStackTexts(shownState: ShownState): StackTexts {
  const kept = new WeakMap<StackRecord, KeptText>();
  return {
    textOf(stack, now) {
      const { record, intervalMs } = stack;
      const { ageSeconds, ...shown } = showStack(stack, shownState, now);
      let known = kept.get(record);
      if (known?.state !== shown.state || known.intervalMs !== intervalMs) {
        const text = safeJsonLine(shown).trimEnd().slice(0, -1);
        known = { state: shown.state, intervalMs, text };
        kept.set(record, known);
      }
      return `${known.text},"ageSeconds":${ageSeconds === null ? "null" : String(ageSeconds)}}`;
    },
  };
}
