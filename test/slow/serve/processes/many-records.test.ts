import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { start, temporary } from "../../../support/cli.ts";
import { useDatabases } from "../../support/postgres.ts";
import { claimOne, openStore, save } from "../postgres/support.ts";
import { stackRecord } from "../../../serve/store/support.ts";
import { eventually } from "./open-world.ts";

const databases = useDatabases();

interface Page {
  readonly stacks: readonly { readonly name: string; readonly commit: string }[];
  readonly next: string | null;
}

it("a process shows every stack of a database that holds thousands", async () => {
  const database = await databases.create();
  const store = await openStore(database);
  await save(store, { stacks: [stackRecord("many/0")] }, await claimOne(store));
  await store.close();
  // Each has a commit of its own, so that none is shown in place of another.
  await databases.query(
    database,
    `insert into edgewise.stack (name, record, seq, writer)
      select 'many/' || n, replace(replace(record, '"many/0"', '"many/' || n || '"'), repeat('a', 40), lpad(n::text, 40, '0')),
        seq, writer
      from edgewise.stack, generate_series(1, 4999) n`,
  );
  const dir = await temporary();
  await writeFile(join(dir, "key"), "ak_C4n4ry", { mode: 0o600 });
  await writeFile(
    join(dir, "fleet.yaml"),
    `apiVersion: edgewise/v1
kind: Fleet
sources: {edge: {git: ./gone, ref: main}}
accounts: {main: {baseUrl: "http://127.0.0.1:1", key: {file: key}}}
stacks: {many: {source: edge, configs: "*/edgewise.yaml", account: main}}
http: {listen: "127.0.0.1:0"}
`,
  );
  const { child, ended } = start(["serve", "fleet.yaml", "--database", database, "--log-format", "json"], { cwd: dir });
  onTestFinished(() => void child.kill("SIGKILL"));
  let log = "";
  child.stderr.on("data", (text: string) => (log += text));
  await eventually(() => log.includes('"serve-started"') || child.exitCode !== null);
  const [started = "{}"] = log.split("\n").filter((line) => line.includes('"serve-started"'));
  const { url } = JSON.parse(started) as { readonly url: string };

  const shown = new Map<string, string>();
  for (let after: string | null = ""; after !== null;) {
    const query = new URLSearchParams({ limit: "1700", ...(after === "" ? {} : { after }) });
    const page = (await (await fetch(`${url}/api/stacks?${query.toString()}`)).json()) as Page;
    for (const { name, commit } of page.stacks) shown.set(name, commit);
    after = page.next;
  }
  expect(shown.size).toBe(5000);
  for (let n = 1; n < 5000; n += 1) expect(shown.get(`many/${n}`)).toBe(String(n).padStart(40, "0"));
  child.kill("SIGTERM");
  expect((await ended).exit).toBe(0);
});
