import { type StateFormat, checkState, renderState } from "../state-formats.js";
import { type Row, type RunStatement, nameColumn, nameInColumn, numberOf, textOf } from "./database-rows.js";
import { KnownRows } from "./known-rows.js";

/** The next version of a row `t`, and of one that is not there yet: from the clock, so that none comes again. */
export const firstVersion = "(extract(epoch from clock_timestamp()) * 1000000)::bigint";
export const nextVersion = `greatest(t.version + 1, ${firstVersion})`;

/** How the records of one sort are kept, in a table with one row each. */
export interface RecordTable<T> {
  readonly table: string;
  readonly format: StateFormat<T & { readonly format: string }>;
  /** The columns that hold a record, in the order of `values`. */
  readonly columns: readonly string[];
  readonly values: (record: T, text: string) => readonly (string | null)[];
  /** The JSON value of a record; undefined when it is none. */
  readonly valueOf: (row: Row) => unknown;
  /** What stands for a damaged record. */
  readonly instead: (name: string, message: string) => T;
}

/** A record that was read, and what was wrong with it. */
export interface ReadRecord<T> {
  readonly name: string;
  readonly record: T;
  readonly version: number;
  /** The damaged text; null = it is as it should be. */
  readonly damaged: string | null;
  readonly warning: string | null;
}

/** Between so many records, which take a few milliseconds to ask for, claims get their turn. */
const namedAtOnce = 100;

/** How many records are read at once. */
export const pageSize = 2000;

/** Reads the records of one sort. */
export class RecordReader<T extends { readonly name: string }> {
  readonly known = new KnownRows<T>();
  /** Names of changed records that this process was saving itself: they are looked at again. */
  readonly postponed = new Set<string>();

  constructor(
    readonly sort: RecordTable<T>,
    readonly database: string,
  ) {}

  /** Records by name: of those that are there. @throws EdgewiseError `io` */
  async named(run: RunStatement, names: readonly string[]): Promise<readonly ReadRecord<T>[]> {
    const found: ReadRecord<T>[] = [];
    for (let at = 0; at < names.length; at += namedAtOnce) {
      const page = names.slice(at, at + namedAtOnce).map(nameColumn);
      const rows = await run(`select ${this.#selected} from edgewise.${this.sort.table} where name = any($1)`, [page]);
      found.push(...this.#readAll(rows));
    }
    return found;
  }

  /** Every record, in pages. @throws EdgewiseError `io` */
  async *all(run: RunStatement): AsyncGenerator<readonly ReadRecord<T>[]> {
    let after: string | null = null;
    for (;;) {
      const rows = await run(
        `select ${this.#selected} from edgewise.${this.sort.table} t
          where $1::text is null or t.name > $1 order by t.name limit $2`,
        [after, pageSize],
      );
      yield this.#readAll(rows);
      if (rows.length < pageSize) return;
      after = textOf(rows.at(-1), "name");
    }
  }

  /**
   * Replaces a damaged record in its row, where its text stays.
   * @returns false when another process changed it
   */
  async mend(run: RunStatement, { damaged, name, record, version }: ReadRecord<T>): Promise<boolean> {
    const { columns, format, table, values } = this.sort;
    const set = columns.map((column, index) => `${column} = $${index + 4}`).join(", ");
    const rows = await run(
      `update edgewise.${table} t set ${set}, damaged = $3, version = ${nextVersion}, changed = pg_current_xact_id()
        where name = $1 and version = $2::bigint returning version::text as version`,
      [nameColumn(name), String(version), damaged, ...values(record, renderState(record, format))],
    );
    const [row] = rows;
    if (row !== undefined) this.known.learn(name, { record, version: numberOf(row, "version") });
    return row !== undefined;
  }

  get #selected(): string {
    return ["name", "version::text as version", ...this.sort.columns].join(", ");
  }

  #readAll(rows: readonly Row[]): readonly ReadRecord<T>[] {
    return rows.flatMap((row) => {
      const name = nameInColumn(textOf(row, "name"));
      return name === null ? [] : [this.#read(name, row)];
    });
  }

  #read(name: string, row: Row): ReadRecord<T> {
    const { format, instead } = this.sort;
    const version = numberOf(row, "version");
    const known = this.known.get(name);
    if (known?.version === version) return { name, record: known.record, version, damaged: null, warning: null };
    const where = `the record of ${format.subject} ${name} in the database ${this.database}`;
    const record = checkState(this.sort.valueOf(row), where, format, "use another database");
    // A row that was copied to another name speaks of another one.
    if (record !== null && record.name === name) return { name, record, version, damaged: null, warning: null };
    const warning = `what was kept of ${format.subject} ${name} can't be read: ${where} is damaged, a copy is in the column \`damaged\``;
    return { name, record: instead(name, warning), version, damaged: damagedText(row, this.sort.columns), warning };
  }
}

function damagedText(row: Row, columns: readonly string[]): string {
  return JSON.stringify(Object.fromEntries(columns.map((column) => [column, row[column]])));
}
