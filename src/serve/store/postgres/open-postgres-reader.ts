import type { Clock } from "../../../api/client.js";
import type { Plan } from "../../../plan/plan-format.js";
import type { HistoryPage, StoredState } from "../store.js";
import { DatabaseClock } from "./database-clock.js";
import { DatabaseLink } from "./database-link.js";
import { databaseName } from "./database-url.js";
import { type RunStatement, numberOf } from "./database-rows.js";
import { readHistoryRows } from "./history-table.js";
import { checkSchema } from "./migrate.js";
import { type PostgresStoreOptions, prepareLink } from "./open-postgres-store.js";
import { readPlanRow } from "./other-tables.js";
import { StoredRecords } from "./read-changes.js";

/** What a database holds, for whoever only looks: it changes nothing, and holds nothing. */
export interface PostgresReader {
  /** Where it is: database, host and port. */
  readonly database: string;
  /** The time of the database. */
  readonly clock: Clock;
  load(): Promise<StoredState>;
  readPlan(stack: string): Promise<Plan | null>;
  readHistory(stack: string, page: { readonly limit: number; readonly after: string | null }): Promise<HistoryPage>;
  close(): Promise<void>;
}

/**
 * Opens a database to read what the processes of a fleet keep there, without being one of them.
 * @throws EdgewiseError `config` and `io`, also when no process has used it yet
 */
export async function openPostgresReader(
  options: Pick<PostgresStoreOptions, "place" | "redactor" | "times" | "url">,
): Promise<PostgresReader> {
  const { address, link: linkOptions } = prepareLink(options);
  const database = databaseName(address);
  const clock = new DatabaseClock();
  const link = await DatabaseLink.open(address, { ...linkOptions, readOnly: true });
  try {
    await link.session(async (run) => {
      await checkSchema(run, database);
      await measure(run, clock);
    });
  } catch (error) {
    await link.close();
    throw error;
  }
  return {
    database,
    clock,
    load: () => new StoredRecords(database).load(link.run),
    readPlan: (stack) => readPlanRow(link.run, stack, database),
    readHistory: (stack, page) => readHistoryRows(link.run, stack, page),
    close: () => link.close(),
  };
}

async function measure(run: RunStatement, clock: DatabaseClock): Promise<void> {
  const sent = performance.now();
  const [row] = await run("select (extract(epoch from clock_timestamp()) * 1000)::float8 as time");
  clock.measure(numberOf(row, "time"), { sent, received: performance.now() });
}
