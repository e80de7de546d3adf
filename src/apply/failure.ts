import { ApiError } from "../api/api-error.js";
import { EdgewiseError } from "../errors.js";

/** What became of a request that did not succeed, and what to say about it. */
export interface Failure {
  /** `refused`: answered, and not done. `unknown`: it may have been done. `bug`: of this program, may have been done. */
  readonly fate: "not-sent" | "refused" | "unknown" | "bug";
  readonly status: number | null;
  /** Holds no secret: the client masks what the service says. */
  readonly message: string;
  /** It was not sent because a signal came first. */
  readonly interrupted?: true;
}

/**
 * Tells the fate of a request from what the client threw. An answer of 408 or 5xx says that something went wrong, not
 * what: the service may have done it all the same.
 */
export function failureOf(error: unknown): Failure {
  if (error instanceof ApiError) {
    const { status, message } = error;
    const doubtful = error.fate === "unknown" || (status !== null && (status === 408 || status >= 500));
    const fate = doubtful ? "unknown" : error.fate === "not-sent" ? "not-sent" : "refused";
    return {
      fate,
      status,
      message,
      ...(fate === "not-sent" && error.code === "interrupted" ? { interrupted: true } : {}),
    };
  }
  if (error instanceof EdgewiseError) return { fate: "unknown", status: null, message: error.message };
  // The message of an unexpected error may hold anything, so only its kind is told.
  const name = error instanceof Error ? error.name : typeof error;
  return { fate: "bug", status: null, message: `this is an error of edgewise itself (${name})` };
}
