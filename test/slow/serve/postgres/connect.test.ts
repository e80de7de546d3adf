import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { DatabaseLink } from "../../../../src/serve/store/postgres/database-link.ts";
import { openPostgresStore, readDatabase } from "../../../../src/serve/store/postgres/postgres-store.ts";
import { freePort } from "../../support/postgres-programs.ts";
import { useDatabases } from "../../support/postgres.ts";
import { openStore, place, quick } from "./support.ts";

const databases = useDatabases();

async function directory(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), "edgewise-database-"));
  onTestFinished(() => rm(path, { recursive: true, force: true }));
  return path;
}

describe("the password", () => {
  it("is found where PostgreSQL's programs find it, in their order, and learned", async () => {
    const url = new URL(await databases.create());
    const admin = url.href;
    const keeper = `keeper_${url.pathname.slice(-12)}`;
    await databases.query(admin, `create role ${keeper} login password 'a:b\\c pass' superuser`);
    url.username = keeper;
    url.password = "";
    const file = join(await directory(), "pgpass");
    await writeFile(
      file,
      [
        `# a comment`,
        `other:*:*:*:wrong`,
        `${url.hostname}:${url.port}:*:nobody:wrong`,
        `*:*:*:${keeper}:a\\:b\\\\c pass`,
        `*:*:*:*:late`,
      ].join("\n"),
      { mode: 0o600 },
    );
    const learned: string[] = [];
    const redactor = { addSecret: (secret: string) => void learned.push(secret) };
    const attempt = async (href: string, env: { readonly [name: string]: string }): Promise<unknown> => {
      try {
        const link = await DatabaseLink.open({ url: href, place: { cwd: "/", env }, redactor, times: quick });
        await link.close();
        return "connected";
      } catch (error) {
        return error instanceof Error ? error.message : error;
      }
    };
    await openStore(url.href, { place: { cwd: "/", env: { PGPASSWORD: "a:b\\c pass" } } });
    expect(await attempt(url.href, { PGPASSFILE: file })).toBe("connected");
    expect(new Set(learned)).toEqual(new Set(["a:b\\c pass"]));
    expect(await attempt(`${url.href}?passfile=${file}`, { PGPASSFILE: "/nowhere" })).toBe("connected");
    expect(await attempt(`${url.href}?passfile=${file}`, { PGPASSWORD: "wrong" })).toMatch(
      /password authentication failed/,
    );
    expect(await attempt(url.href, {})).toMatch(/asks for a password, and there is none/);
    expect(await attempt(url.href, { PGPASSFILE: "/nowhere" })).toMatch(/the password file \/nowhere can't be read/);
    await chmod(file, 0o604);
    expect(await attempt(url.href, { PGPASSFILE: file })).toMatch(/every user of this machine has access to the/);
    await chmod(file, 0o640);
    expect(await attempt(url.href, { PGPASSFILE: file })).toBe("connected");
    await writeFile(file, "other:*:*:*:x");
    expect(await attempt(url.href, { PGPASSFILE: file })).toMatch(/has no line for it/);
    url.password = "wrong-but-in-the-url";
    expect(await attempt(url.href, { PGPASSWORD: "a:b\\c pass" })).toMatch(/password authentication failed/);
    expect(learned).toContain("wrong-but-in-the-url");
    await databases.query(admin, `drop owned by ${keeper} cascade; drop role ${keeper}`);
  });

  it("is in no error, whatever is wrong", async () => {
    const url = new URL(await databases.create());
    const closed = await freePort();
    url.password = "hunter22%2Fx";
    const other = (change: (url: URL) => void): string => {
      const copy = new URL(url);
      change(copy);
      return copy.href;
    };
    const attempts: readonly (readonly [url: string, message: RegExp])[] = [
      [url.href, /password authentication failed/],
      [other((each) => (each.port = String(closed))), /ECONNREFUSED/],
      [other((each) => (each.hostname = "nowhere.invalid")), /ENOTFOUND|EAI_AGAIN/],
      [other((each) => (each.search = "?sslmode=require")), /does not support SSL/],
      [other((each) => (each.search = "?sslmode=verify-full&sslrootcert=/nowhere")), /open '\/nowhere'/],
    ];
    for (const [href, message] of attempts) {
      const error: unknown = await openPostgresStore({ url: href, place, times: quick }).catch(
        (cause: unknown) => cause,
      );
      expect(error).toMatchObject({ name: "EdgewiseError", message: expect.stringMatching(message) });
      const { cause, message: text, stack } = error as Error;
      expect([text, stack, String(cause), JSON.stringify(cause)].join("\n")).not.toContain("hunter22");
    }
  });
});

describe("a database", () => {
  it("that nobody has used is refused to a reader", async () => {
    const empty = await databases.create();
    await expect(readDatabase({ url: empty, place })).rejects.toMatchObject({
      message: expect.stringContaining("it holds nothing of edgewise"),
    });
    expect(await databases.query(empty, "select 1 as one where to_regnamespace('edgewise') is not null")).toEqual([]);
  });
});
