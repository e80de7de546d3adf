/** A row of an answer. Numbers of 64 bits are texts. */
export interface Row {
  readonly [column: string]: unknown;
}

/** Sends one statement and waits for its rows. @throws EdgewiseError `io` */
export type RunStatement = (text: string, values?: readonly unknown[]) => Promise<readonly Row[]>;

/**
 * A condition that is true, and lets its statement end before it is on the server's disk. What is lost with the server's
 * power are then the last such statements; whatever is durable makes all before it durable, too.
 */
export const notDurable = "set_config('synchronous_commit', 'off', true) is not null";

/** A text of a row. @throws TypeError when the statement didn't ask for one */
export function textOf(row: Row | undefined, column: string): string {
  const value = row?.[column];
  if (typeof value !== "string") throw new TypeError(`the column ${column} holds no text`);
  return value;
}

/** A number of a row, also one of 64 bits that a double can hold. */
export function numberOf(row: Row | undefined, column: string): number {
  const value = row?.[column];
  const number = typeof value === "string" ? Number(value) : value;
  if (typeof number !== "number" || !Number.isFinite(number)) throw new TypeError(`the column ${column} has no number`);
  return number;
}

/** A list of texts of a row. */
export function textsOf(row: Row | undefined, column: string): readonly string[] {
  const value = row?.[column];
  if (!Array.isArray(value)) throw new TypeError(`the column ${column} holds no list`);
  return value.filter((each) => typeof each === "string");
}

/**
 * A name as it stands in a column: PostgreSQL stores neither U+0000 nor halves of characters. Names that have none of
 * these, no quotes and no backslashes stand there as they are.
 */
export function nameColumn(name: string): string {
  return JSON.stringify(name).slice(1, -1);
}

/** The name in a column; null when it is none. */
export function nameInColumn(column: string): string | null {
  try {
    const name: unknown = JSON.parse(`"${column}"`);
    return typeof name === "string" ? name : null;
  } catch {
    return null;
  }
}
