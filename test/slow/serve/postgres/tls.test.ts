import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { chownSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { makeCertificate } from "../../../../scripts/certificate.mjs";
import { DatabaseLink } from "../../../../src/serve/store/postgres/database-link.ts";
import { openPostgresStore } from "../../../../src/serve/store/postgres/postgres-store.ts";
import { unprivileged } from "../../support/postgres-programs.ts";
import { useDatabases } from "../../support/postgres.ts";
import { openStore, place, quick } from "./support.ts";

const databases = useDatabases(true);

const files = { authority: "", other: "" };

beforeAll(async () => {
  const server = databases.server();
  if (server === null) throw new Error("there is no server");
  const { directory } = server;
  const own = await makeCertificate(["localhost"]);
  const write = async (name: string, text: string, mode = 0o644): Promise<string> => {
    const file = join(directory, name);
    await writeFile(file, text, { mode });
    if (unprivileged !== null) chownSync(file, unprivileged.uid, unprivileged.gid);
    return file;
  };
  files.authority = await write("authority.pem", own.certificate);
  files.other = await write("other.pem", (await makeCertificate(["localhost"])).certificate);
  const [cert, key] = [await write("server.pem", own.certificate), await write("server.key", own.key, 0o600)];
  await server.stop();
  await server.start(["ssl=on", `ssl_cert_file=${cert}`, `ssl_key_file=${key}`]);
});

describe("sslmode", () => {
  const modes: readonly (readonly [mode: string, host: string, outcome: RegExp])[] = [
    ["", "localhost", /^encrypted$/],
    ["sslmode=disable", "localhost", /^plain$/],

    // With a certificate to trust it is as strict as verify-ca: so it is documented for PostgreSQL's programs.
    ["sslmode=require&sslrootcert=AUTHORITY", "127.0.0.1", /^encrypted$/],

    ["sslmode=verify-ca&sslrootcert=OTHER", "localhost", /certificate/],
    ["sslmode=verify-full&sslrootcert=AUTHORITY", "localhost", /^encrypted$/],
    ["sslmode=verify-full&sslrootcert=AUTHORITY", "127.0.0.1", /certificate's altnames/],
  ];

  it.each(modes)("%s to %s: %s", async (mode, host, outcome) => {
    const plain = await database();
    const url = new URL(plain);
    url.hostname = host;
    url.search = mode.replace("AUTHORITY", files.authority).replace("OTHER", files.other);
    const connected = async (): Promise<string> => {
      const reader = await DatabaseLink.open({ url: url.href, place, times: quick });
      const rows = await databases.query(
        `${plain}?sslmode=disable`,
        `select s.ssl from pg_stat_ssl s join pg_stat_activity a using (pid)
          where a.application_name = 'edgewise' and a.datname = current_database()`,
      );
      await reader.close();
      return rows.every(({ ssl }) => ssl === true) && rows.length > 0 ? "encrypted" : "plain";
    };
    expect(await connected().catch((error: unknown) => (error instanceof Error ? error.message : ""))).toMatch(outcome);
  });

  it("require is refused by a server that can't encrypt, and prefer is not", async () => {
    const server = databases.server();
    const url = await database();
    await server?.stop();
    await server?.start();
    await expect(openPostgresStore({ url: `${url}?sslmode=require`, place, times: quick })).rejects.toMatchObject({
      message: expect.stringContaining("does not support SSL"),
    });
    expect(await (await openStore(url)).isUsable()).toBe(true);
  });
});

describe("a Unix socket", () => {
  it("is used when the host is its directory, whatever sslmode says", async () => {
    const server = databases.server();
    const url = new URL(await database());
    const socket = `postgres://postgres:postgres@${url.pathname}?host=${server?.directory}/sockets&port=${url.port}`;
    const store = await openStore(`${socket}&sslmode=require`);
    expect(await store.isUsable()).toBe(true);
    expect(store.clock.link().database).toBe(`${url.pathname.slice(1)} at ${server?.directory}/sockets`);
  });
});

let made: string | null = null;

async function database(): Promise<string> {
  if (made === null) {
    made = await databases.create();
    await (await openStore(`${made}?sslmode=disable`)).close();
  }
  return made;
}
