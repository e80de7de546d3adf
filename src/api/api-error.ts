import { EdgewiseError } from "../core/errors.js";
import type { Method, RequestOutcome } from "./client.js";

/** Every text is masked, cleaned and bounded. */
type ApiProblem = Readonly<{
  method: Method;
  path: string;
  status: number | null;
  outcome: RequestOutcome;
  /** Our own message; null when the service's is enough. */
  what: string | null;
  remedy: string | null;
  attempts: number;
  errorCode?: string | null;
  serverMessage?: string | null;
  operationId?: string | null;
  interrupted?: boolean;
}>;

/** `POST /edges/tls: 400 ERR_EDGE_218: hostport already served (operation op_…)` */
export class ApiError extends EdgewiseError {
  override readonly name = "ApiError";
  readonly method: Method;
  readonly path: string;
  readonly status: number | null;
  readonly errorCode: string | null;
  readonly serverMessage: string | null;
  readonly outcome: RequestOutcome;
  readonly attempts: number;

  constructor(problem: ApiProblem) {
    const { attempts, method, outcome, path, remedy, status } = problem;
    const isInterrupted = problem.interrupted === true;
    super(isInterrupted ? "interrupted" : "api", messageOf(problem), {
      ...(remedy === null ? {} : { remedy }),
      ...(isInterrupted ? { exit: 130 } : {}),
    });
    [this.method, this.path, this.status, this.outcome] = [method, path, status, outcome];
    this.attempts = attempts;
    this.errorCode = problem.errorCode ?? null;
    this.serverMessage = problem.serverMessage ?? null;
  }
}

/** Only the API itself says that a list was given up, not a page of a proxy. */
export function isRefusal({ errorCode, serverMessage, status }: ApiError): boolean {
  if (status === 403 || status === 404) return true;
  const isOwn = errorCode !== null || serverMessage !== null;
  return isOwn && (status === 400 || status === 410 || status === 501);
}

function messageOf(problem: ApiProblem): string {
  const { attempts, errorCode, method, operationId, path, serverMessage, status, what } = problem;
  const answered = [status, errorCode].filter((part) => part != null).join(" ");
  const parts = [answered, serverMessage, what].filter(Boolean);
  const operation = operationId == null ? "" : ` (operation ${operationId})`;
  return `${method} ${path}: ${parts.join(": ")}${operation}${attempts > 1 ? ` (after ${attempts} attempts)` : ""}`;
}

export function remedyFor(status: number, baseUrl: string, method: Method): string | null {
  if ([404, 410, 501].includes(status))
    return `Check the base URL ${baseUrl}. If it is right, this was deleted, or the account has none: plan again.`;
  if (status === 400 && method === "GET")
    return "Check the version header: live services use a branded name (api.versionHeader or --version-header).";
  return remedies[status] ?? remedies[status - (status % 100)] ?? null;
}

const keyRemedy = "Check the API key (EDGEWISE_API_KEY or --api-key-file), and what it is permitted to do.";

const remedies: { readonly [status: number]: string } = {
  300: "No redirect is followed, as the API key would go with it: set the base URL to the service's own address.",
  401: keyRemedy,
  403: keyRemedy,
  408: "The service timed out: try again.",
  409: "It conflicts with the live state, or with another run: plan again.",
  429: "This is the service's rate limit: wait a minute, or set api.requestsPerMinute to stay below it.",
  500: "The service, or a proxy in front of it, failed: try again later.",
};
