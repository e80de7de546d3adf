import pg from "pg";

export async function queryDatabase(
  url: string,
  text: string,
  values: readonly unknown[] = [],
): Promise<readonly { readonly [column: string]: unknown }[]> {
  const client = new pg.Client({ connectionString: url });
  client.on("error", () => undefined);
  await client.connect();
  try {
    const { rows } = await client.query<{ readonly [column: string]: unknown }>(text, [...values]);
    return rows;
  } finally {
    await client.end();
  }
}
