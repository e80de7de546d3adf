/** A request that HTTP itself refuses, before the model sees it. `number` goes into `error_code`. */
export interface HttpProblem {
  readonly status: number;
  readonly number: number;
  readonly message: string;
}

/** Why HTTP refuses, with status and number. */
export const httpProblems = {
  host: { status: 403, number: 201 },
  key: { status: 403, number: 202 },
  version: { status: 400, number: 203 },
  contentType: { status: 400, number: 204 },
  json: { status: 400, number: 205 },
  size: { status: 413, number: 206 },
} as const;

/** One of those problems, in words. */
export function httpProblem(what: keyof typeof httpProblems, message: string): HttpProblem {
  return { ...httpProblems[what], message };
}
