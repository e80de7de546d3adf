import { EdgewiseError, type ErrorExit } from "../core/errors.js";
import type { Method, RequestOutcome } from "./client.js";

/** What is known about a request that failed. Every text is already masked, cleaned and bounded. */
export interface ApiProblem {
  readonly method: Method;
  /** Relative to the base URL. */
  readonly path: string;
  readonly status: number | null;
  readonly outcome: RequestOutcome;
  /** Our own message, without a full stop; it follows the service's. Null when that one is enough. */
  readonly what: string | null;
  readonly remedy: string | null;
  /** How often sending it was tried. */
  readonly attempts: number;
  readonly errorCode?: string | null;
  readonly serverMessage?: string | null;
  readonly operationId?: string | null;
  /** From the network layer: `ECONNREFUSED`, `TIMEOUT`. */
  readonly networkCode?: string | null;
  /** The run was stopped by a signal. */
  readonly interrupted?: boolean;
}

/**
 * The service returned an error, something that is not a valid response, or nothing at all.
 * `POST /edges/tls: 400 ERR_EDGE_218: hostport already served (operation op_…)`
 */
export class ApiError extends EdgewiseError {
  override readonly name = "ApiError";
  readonly method: Method;
  readonly path: string;
  /** Null when no status was received. */
  readonly status: number | null;
  /** The service's `error_code`. */
  readonly errorCode: string | null;
  /** The service's `msg`, masked. */
  readonly serverMessage: string | null;
  readonly operationId: string | null;
  /** `unknown`: it was sent, and may or may not have been done. */
  readonly outcome: RequestOutcome;
  readonly networkCode: string | null;
  /** Our own part of the message. */
  readonly what: string | null;
  readonly attempts: number;

  constructor(problem: ApiProblem) {
    const exit: { exit?: ErrorExit } = problem.interrupted === true ? { exit: 130 } : {};
    const remedy = problem.remedy === null ? {} : { remedy: problem.remedy };
    super(problem.interrupted === true ? "interrupted" : "api", messageOf(problem), { ...remedy, ...exit });
    this.method = problem.method;
    this.path = problem.path;
    this.status = problem.status;
    this.errorCode = problem.errorCode ?? null;
    this.serverMessage = problem.serverMessage ?? null;
    this.operationId = problem.operationId ?? null;
    this.outcome = problem.outcome;
    this.networkCode = problem.networkCode ?? null;
    this.what = problem.what;
    this.attempts = problem.attempts;
  }
}

/**
 * Whether a list is refused for good: the key may not read it, or the service has given up the whole family of
 * resources. Then only an error body of the API itself counts, not a page of a proxy.
 */
export function isRefusal({ errorCode, serverMessage, status }: ApiError): boolean {
  if (status === 403 || status === 404) return true;
  const isOwn = errorCode !== null || serverMessage !== null;
  return isOwn && (status === 400 || status === 410 || status === 501);
}

function messageOf(problem: ApiProblem): string {
  const answered = [problem.status, problem.errorCode].filter((part) => part !== null && part !== undefined);
  const parts = [answered.join(" "), problem.serverMessage ?? "", problem.what ?? ""].filter((part) => part !== "");
  const operation = (problem.operationId ?? null) === null ? "" : ` (operation ${problem.operationId})`;
  const attempts = problem.attempts > 1 ? ` (after ${problem.attempts} attempts)` : "";
  return `${problem.method} ${problem.path}: ${parts.join(": ")}${operation}${attempts}`;
}

/** What to do about a response with this status; null when there is only the service's own message to go by. */
export function remedyFor(status: number, baseUrl: string): string | null {
  switch (status) {
    case 401:
    case 403:
      return "Check the API key (EDGEWISE_API_KEY or --api-key-file), that it belongs to this service, and what it is permitted to do.";
    case 404:
      return `Check the base URL ${baseUrl}. If it is right, the resource was deleted meanwhile: plan again.`;
    case 408:
      return "The service timed out: try again.";
    case 409:
      return "It conflicts with the live state, or with another run: plan again to see what is there now.";
    case 429:
      return "You reached the service's rate limit: wait a minute, or set api.requestsPerMinute in the configuration to stay below it.";
    default:
      if (status >= 500) return "The service, or a proxy in front of it, failed: try again later.";
      if (status >= 300 && status < 400) {
        return "Redirects are not followed because the API key would go with them: set the base URL to the service's own address.";
      }
      return null;
  }
}
