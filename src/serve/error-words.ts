import { ApiError } from "../api/api-error.js";
import { EdgewiseError } from "../core/errors.js";

export function wordsOf({ message, remedy }: Pick<EdgewiseError, "message" | "remedy">): string {
  return remedy === null ? message : `${message}. ${remedy}`.replace("..", ".");
}

export function failureWords(error: unknown): string {
  if (error instanceof ApiError)
    return wordsOf({ message: error.message, remedy: remedyUnderServe(error) ?? error.remedy });
  if (error instanceof EdgewiseError) return wordsOf(error);
  // The message of an unexpected error may hold anything, so only its name is shown.
  return `this is an error of edgewise itself (${error instanceof Error ? error.name : typeof error}): please report it. The stack is looked at again`;
}

function remedyUnderServe({ status }: ApiError): string | null {
  if (status === 401 || status === 403)
    return "Check the account's `key` in the fleet file: that it belongs to this service, and what it is permitted to do";
  if (status === 429)
    return "The account reached the service's rate limit: set its `requestsPerMinute` in the fleet file to stay below it";
  return null;
}
