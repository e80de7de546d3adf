/** Why a request is refused, and the number in its `error_code`. Stable: tests of other tools may rely on them. */
export const rejectionNumbers = {
  "body-unexpected": 101,
  "body-missing": 102,
  "body-empty": 103,
  "member-unknown": 104,
  "member-missing": 105,
  "value-type": 106,
  "value-invalid": 107,
  "value-too-long": 108,
  "query-invalid": 109,
  "reference-unknown": 110,
  "still-referenced": 111,
  "hostport-taken": 112,
  "module-conflict": 113,
  "certificate-invalid": 114,
  "type-taken": 115,
  "method-not-allowed": 116,
  "not-found": 117,
} as const;

export type RejectionCode = keyof typeof rejectionNumbers;

/** The model's way out of a request that is not acceptable; `respond` turns it into an error body. */
export class Rejection extends Error {
  override readonly name = "Rejection";

  /** @param message for people: what, where, why. Never holds a value that could be secret. */
  constructor(
    readonly status: 400 | 404 | 405 | 409,
    readonly code: RejectionCode,
    message: string,
  ) {
    super(message);
  }
}
