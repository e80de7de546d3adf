import { EdgewiseError } from "../../core/errors.js";
import type { ServeEvent } from "../serve-events.js";

/** The same is told again after so many milliseconds: who has no token must not fill a log. */
const silentMs = 60_000;

/** What tells them needs. */
export interface ProblemDeps {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly emit: (event: ServeEvent) => void;
  /** Hides secrets in a text. */
  readonly mask: (text: string) => string;
}

/**
 * Tells the log why an answer could not be given: what the operator can put right as such, and everything else as a bug.
 * Each is told at most once a minute, however often somebody asks.
 */
export function answerProblems({ now, emit, mask }: ProblemDeps): (error: unknown) => void {
  const told = new Map<string, number>();
  return (error) => {
    const expected = error instanceof EdgewiseError;
    const message = mask(wordsOf(error));
    const at = now();
    for (const [text, since] of told) if (since > at || at - since >= silentMs) told.delete(text);
    if (told.has(message)) return;
    told.set(message, at);
    emit(expected ? { event: "answer-failed", message } : { event: "bug", subject: "an answer over HTTP", message });
  };
}

/** An error and what to do about it, for people. */
export function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const remedy = error instanceof EdgewiseError && error.remedy !== null ? `. ${error.remedy}` : "";
  return `${error.message}${remedy}`;
}
