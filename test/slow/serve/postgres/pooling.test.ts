import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { chownSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { openPostgresStore } from "../../../../src/serve/store/postgres/postgres-store.ts";
import { freePort, unprivileged } from "../../support/postgres-programs.ts";
import { useDatabases } from "../../support/postgres.ts";
import { stackRecord } from "../../../serve/store/support.ts";
import { claimOne, eventually, openStore, place, quick, save } from "./support.ts";

const databases = useDatabases(true);

function isInstalled(): boolean {
  try {
    execFileSync("pgbouncer", ["--version"], { stdio: "ignore" });
    return true;
  } catch {
    // Continuous integration has it.
    if (process.env["CI"] !== undefined) throw new Error("pgbouncer is not installed");
    return false;
  }
}

async function pooled(url: string, settings: readonly string[]): Promise<string> {
  const server = databases.server();
  const port = await freePort();
  const directory = join(server?.directory ?? "", `pool-${port}`);
  await mkdir(directory);
  if (unprivileged !== null) chownSync(directory, unprivileged.uid, unprivileged.gid);
  const file = join(directory, "pgbouncer.ini");
  await writeFile(
    file,
    [
      "[databases]",
      `* = host=127.0.0.1 port=${server?.port} user=postgres password=postgres`,
      "[pgbouncer]",
      "listen_addr = 127.0.0.1",
      `listen_port = ${port}`,
      "unix_socket_dir =",
      "auth_type = any",
      ...settings,
    ].join("\n"),
    { mode: 0o644 },
  );
  const child: ChildProcess = spawn("pgbouncer", [file], {
    stdio: ["ignore", "ignore", "pipe"],
    ...unprivileged,
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let said = "";
  child.stderr?.on("data", (chunk: Buffer) => (said += chunk.toString("utf8")));
  await eventually(() => {
    if (child.exitCode !== null) throw new Error(`pgbouncer ended: ${said}`);
    return said.includes("process up");
  });
  const behind = new URL(url);
  behind.port = String(port);
  return behind.href;
}

describe.skipIf(!isInstalled())("PgBouncer", () => {
  it("that gives each transaction a session of its own is refused", async () => {
    const settings = ["pool_mode = transaction", "default_pool_size = 2", "min_pool_size = 2"];
    const url = await pooled(await databases.create(), settings);
    await expect(openPostgresStore({ url, place, times: quick })).rejects.toMatchObject({
      code: "io",
      message: expect.stringMatching(/pool_mode = transaction/),
      remedy: "Connect to PostgreSQL itself, or to a pool with pool_mode = session.",
    });
  });

  it("that keeps a session for each connection is fine", async () => {
    const direct = await databases.create();
    const store = await openStore(await pooled(direct, ["pool_mode = session"]));
    const claim = await claimOne(store);
    await save(store, { stacks: [stackRecord("prod")] }, claim);
    await claim.assertHeld();
    const other = await openStore(direct);
    await expect(claimOne(other)).rejects.toThrow("could not be claimed");
    await claim.release(0);
    await claimOne(other);
    expect((await other.load()).stacks.get("prod")).toMatchObject(stackRecord("prod"));
  });
});
