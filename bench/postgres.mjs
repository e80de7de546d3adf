// A PostgreSQL server of a bench: the one of the tests, with what it writes kept through a loss of power, as users have it.
import { closeSync, fdatasyncSync, mkdirSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import pg from "pg";
import { rolldown } from "rolldown";
import { path } from "./paths.mjs";

const settings = ["fsync=on", "shared_buffers=256MB", "max_wal_size=2GB", "max_connections=100"];

/** Starts it. @returns its URL, a function that runs a statement, what an fsync takes there, and a function that ends and removes it */
export async function startPostgres() {
  const { createServerFiles } = await import(
    pathToFileURL(await compiled("test/slow/support/postgres-programs.ts")).href
  );
  const server = await createServerFiles();
  await server.start(settings);
  const url = `postgres://postgres:postgres@127.0.0.1:${server.port}/postgres`;
  const client = new pg.Client({ connectionString: url });
  client.on("error", () => {});
  await client.connect();
  return {
    url,
    fsync: fsyncTimes,
    query: async (text) => (await client.query(text)).rows,
    close: async () => {
      await client.end();
      await server.remove();
    },
  };
}

/** A file of the tests as Node takes it. It finds packages from where it is put. */
async function compiled(file) {
  const dir = path("node_modules/.cache/bench");
  mkdirSync(dir, { recursive: true });
  const built = await rolldown({ input: path(file), platform: "node", external: (id) => !/^[./]/.test(id) });
  const { output } = await built.write({ dir, format: "esm", entryFileNames: "[name].mjs" });
  await built.close();
  return join(dir, output[0].fileName);
}

/** How long the disk takes to keep a page. @returns the median and the 95th percentile, in ms */
function fsyncTimes() {
  const folder = mkdtempSync(join(tmpdir(), "edgewise-bench-fsync-"));
  const file = openSync(join(folder, "page"), "w");
  const page = Buffer.alloc(8192);
  const times = Array.from({ length: 100 }, () => {
    writeSync(file, page, 0, page.length, 0);
    const from = performance.now();
    fdatasyncSync(file);
    return performance.now() - from;
  }).toSorted((one, other) => one - other);
  closeSync(file);
  rmSync(folder, { recursive: true });
  return [times[50], times[95]];
}
