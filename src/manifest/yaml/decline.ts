/** Thrown by the reader of plain documents at whatever it does not know; never leaves {@link readPlain}. */
export class Declined extends Error {
  override readonly name = "Declined";
}

/** One for all: it says nothing, and a stack trace for each would cost more than it tells. */
const declined = new Declined("not a plain document");

/** Leaves a document to the YAML library. */
export function decline(): never {
  throw declined;
}
