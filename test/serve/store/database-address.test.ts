import { describe, expect, it } from "vitest";
import { mayBeRead, parseDatabaseUrl } from "../../../src/serve/store/postgres/database-address.ts";

const url = (query: string, host = "db.example"): string => `postgres://edge:hunter22secret@${host}/fleet${query}`;

describe("the URL of a database", () => {
  it.each<[query: string, host: string, isEncrypted: boolean, warns: boolean]>([
    ["", "db.example", true, false],
    ["", "127.0.0.1", true, false],
    ["?sslmode=require", "db.example", true, false],
    ["?sslmode=verify-full", "db.example", true, false],
    ["?sslmode=prefer", "db.example", true, true],
    ["?sslmode=disable", "db.example", false, true],
    ["?sslmode=disable", "127.0.0.1", false, false],
  ])("%s at %s asks for TLS: %s; warns that it may be read: %s", (query, host, isEncrypted, warns) => {
    const address = parseDatabaseUrl(url(query, host));
    expect([address.ssl !== false, mayBeRead(address)]).toEqual([isEncrypted, warns]);
  });

  it("asks for `require` off this machine and for `prefer` on it, unless it says otherwise", () => {
    expect(parseDatabaseUrl(url("")).sslmode).toBe("require");
    expect(parseDatabaseUrl(url("", "localhost")).sslmode).toBe("prefer");
  });

  it.each([
    "?ssl=true",
    "?ssl=0",
    "?ssl=no-verify",
    "?sslmode=allow",
    "?sslmode=no-verify",
    "?port=many",
    "?connect_timeout=soon",
    "?options=x",
  ])("%s is an error that shows no password", (query) => {
    let thrown: unknown;
    try {
      parseDatabaseUrl(url(query));
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toMatchObject({ code: "config" });
    expect((thrown as Error).message).not.toContain("hunter22");
  });
});
