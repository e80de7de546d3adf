import { ApiError } from "../api/api-error.js";
import { EdgewiseError } from "../core/errors.js";

/** An expected error and what to do about it, for people. */
export function wordsOf({ message, remedy }: Pick<EdgewiseError, "message" | "remedy">): string {
  return remedy === null ? message : `${message}. ${remedy}`.replace("..", ".");
}

/** What went wrong in a pass, for people: an expected failure with its remedy, anything else as the bug that it is. */
export function failureWords(error: unknown): string {
  if (error instanceof ApiError)
    return wordsOf({ message: error.message, remedy: remedyUnderServe(error) ?? error.remedy });
  if (error instanceof EdgewiseError) return wordsOf(error);
  // The message of an unexpected error may hold anything, so only its name is shown.
  return `this is an error of edgewise itself (${error instanceof Error ? error.name : typeof error}): please report it. The stack is looked at again`;
}

/** What to do about an answer of the service where the fleet file says what elsewhere flags and the environment say. */
function remedyUnderServe({ status }: ApiError): string | null {
  if (status === 401 || status === 403)
    return "Check the account's `key` in the fleet file: that it belongs to this service, and what it is permitted to do";
  if (status === 429)
    return "The account reached the service's rate limit: set its `requestsPerMinute` in the fleet file to stay below it";
  return null;
}
