import { ApiError } from "../api/api-error.js";
import { EdgewiseError } from "../errors.js";

/** What became of a request that did not succeed, and what to say about it. */
export interface RequestFailure {
  /**
   * `refused`: answered, and not done. `unknown`: it may have been done (no answer, or one of 408 or 5xx). `bug`: an
   * error of this program; it may have been done.
   */
  readonly outcome: "not-sent" | "refused" | "unknown" | "bug";
  readonly status: number | null;
  /** Holds no secret: the client masks what the service says. */
  readonly message: string;
  /** It was not sent because a signal came first. */
  readonly interrupted?: true;
}

/** Tells the outcome of a request from what the client threw. */
export function failureOf(error: unknown): RequestFailure {
  if (error instanceof ApiError) {
    const { status, message } = error;
    const outcome = error.outcome === "answered" ? "refused" : error.outcome;
    const interrupted = outcome === "not-sent" && error.code === "interrupted";
    return { outcome, status, message, ...(interrupted ? { interrupted } : {}) };
  }
  if (error instanceof EdgewiseError) return { outcome: "unknown", status: null, message: error.message };
  // The message of an unexpected error may hold anything, so only its kind is told.
  const name = error instanceof Error ? error.name : typeof error;
  return { outcome: "bug", status: null, message: `this is an error of edgewise itself (${name})` };
}
