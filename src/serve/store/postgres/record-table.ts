import { damageWords } from "../record-files.js";
import { recordKey } from "../state-file-name.js";
import { type StateFormat, checkState } from "../state-formats.js";
import { type Row, type RunStatement, nameColumn, nameInColumn, numberOf, textOf } from "./database-rows.js";
import { KnownRows, type Versioned } from "./known-rows.js";

/** The next version of a row `t`, and of one that is not there yet: from the clock, so that none comes again. */
export const firstVersion = "(extract(epoch from clock_timestamp()) * 1000000)::bigint";
export const nextVersion = `greatest(t.version + 1, ${firstVersion})`;

/** How the records of one sort are kept, in a table with one row each. */
export interface RecordTable<T> {
  readonly table: string;
  readonly format: StateFormat<T & { readonly format: string }>;
  /** The columns that hold a record. */
  readonly columns: readonly string[];
  /** The JSON value of a record; undefined when it is none. */
  readonly valueOf: (row: Row) => unknown;
}

/** Between so many records, which take a few milliseconds to ask for, claims get their turn. */
const namedAtOnce = 100;

/** How many records are read at once. */
export const pageSize = 2000;

/** Reads the records of one sort. */
export class RecordReader<T extends { readonly name: string }> {
  readonly known = new KnownRows<T>();
  /** Names of what this process was saving itself when it was changed, and of what can't be read: looked at again. */
  readonly postponed = new Set<string>();

  constructor(
    readonly sort: RecordTable<T>,
    readonly database: string,
    /** Where to note what can't be read. */
    readonly damaged: Map<string, string>,
  ) {}

  /** Records by name: of those that are there, and can be read. @throws EdgewiseError `io` */
  async named(run: RunStatement, names: readonly string[]): Promise<readonly Versioned<T>[]> {
    const found: Versioned<T>[] = [];
    for (let at = 0; at < names.length; at += namedAtOnce) {
      const page = names.slice(at, at + namedAtOnce).map(nameColumn);
      const rows = await run(`select ${this.#selected} from edgewise.${this.sort.table} where name = any($1)`, [page]);
      // What is not there any more is not damaged.
      for (const name of names.slice(at, at + namedAtOnce)) this.damaged.delete(this.#key(name));
      found.push(...this.#readAll(rows));
    }
    return found;
  }

  /** Every record, in pages. @throws EdgewiseError `io` */
  async *all(run: RunStatement): AsyncGenerator<readonly Versioned<T>[]> {
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

  get #selected(): string {
    return ["name", "version::text as version", ...this.sort.columns].join(", ");
  }

  isDamaged(name: string): boolean {
    return this.damaged.has(this.#key(name));
  }

  #key(name: string): string {
    return recordKey(this.sort.format.sort, name);
  }

  #readAll(rows: readonly Row[]): readonly Versioned<T>[] {
    return rows.flatMap((row) => {
      const name = nameInColumn(textOf(row, "name"));
      return name === null ? [] : (this.#read(name, row) ?? []);
    });
  }

  #read(name: string, row: Row): Versioned<T> | null {
    const { format, valueOf } = this.sort;
    const version = numberOf(row, "version");
    const known = this.known.get(name);
    if (known?.version === version) return known;
    const where = `the record of the ${format.sort} ${name} in the database ${this.database}`;
    const record = checkState(valueOf(row), where, format, "use another database");
    // A row that was copied to another name speaks of another one.
    if (record !== null && record.name === name) return { record, version };
    this.damaged.set(this.#key(name), damageWords(where, format.sort));
    this.known.forget(name);
    this.postponed.add(name);
    return null;
  }
}
