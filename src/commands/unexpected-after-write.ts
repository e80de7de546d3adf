/** An exception that is no EdgewiseError, met when something had been written already: exit code 3. */
export class UnexpectedAfterWrite extends Error {
  override readonly name = "UnexpectedAfterWrite";

  constructor(cause: unknown) {
    super("unexpected failure after something was written", { cause });
  }
}
