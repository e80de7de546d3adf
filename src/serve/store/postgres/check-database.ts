import { DatabaseLink } from "./database-link.js";
import { databaseName } from "./database-url.js";
import { checkRights, checkServer } from "./migrate.js";
import { type PostgresStoreOptions, prepareLink } from "./open-postgres-store.js";
import { refuseTransactionPooling } from "./pooling-check.js";

/**
 * Says what would keep a fleet from using a database, and changes nothing in it.
 * @throws EdgewiseError `config` and `io`, as `openPostgresStore` does
 */
export async function checkDatabase(
  options: Pick<PostgresStoreOptions, "place" | "redactor" | "times" | "url">,
): Promise<void> {
  const { address, link } = prepareLink(options);
  const first = await DatabaseLink.open(address, link);
  try {
    await first.session(async (run) => {
      await checkServer(run, databaseName(address));
      await checkRights(run, databaseName(address));
    });
    const second = await DatabaseLink.open(address, link);
    try {
      await refuseTransactionPooling(first, second);
    } finally {
      await second.close();
    }
  } finally {
    await first.close();
  }
}
