import { EdgewiseError } from "../../core/errors.js";
import { wordsOf } from "../error-words.js";
import type { ServeEvent } from "../serve-events.js";

const silentMs = 60_000;

export interface ProblemDeps {
  readonly now: () => number;
  readonly emit: (event: ServeEvent) => void;
  readonly mask: (text: string) => string;
}

/** Logs why an answer could not be given: what the operator can put right as such, and everything else as a bug. */
export function answerProblems({ now, emit, mask }: ProblemDeps): (error: unknown) => void {
  const logged = new Map<string, number>();
  return (error) => {
    const isExpected = error instanceof EdgewiseError;
    const message = mask(isExpected ? wordsOf(error) : error instanceof Error ? error.message : String(error));
    const at = now();
    for (const [text, since] of logged) if (since > at || at - since >= silentMs) logged.delete(text);
    if (logged.has(message)) return;
    logged.set(message, at);
    emit(isExpected ? { event: "answer-failed", message } : { event: "bug", subject: "an answer over HTTP", message });
  };
}
