import { rm, writeFile, mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { run } from "../../../../src/commands/run.ts";
import { memoryIo } from "../../../commands/memory-io.ts";
import { startServer, type TestServer } from "../../../api/support/server.ts";

const names = [
  ..."Authorization Proxy-Authorization Cookie Set-Cookie X-Api-Key X-Auth-Token Host Content-Type Content-Length".split(
    " ",
  ),
  ..."Content-Encoding Transfer-Encoding TE Trailer Connection Keep-Alive Upgrade Expect Proxy-Connection".split(" "),
  ..."Forwarded X-Forwarded-For X-Forwarded-Host X-Forwarded-Proto X-Real-IP X-Original-URL X-Original-Method".split(
    " ",
  ),
  ..."X-Rewrite-URL X-HTTP-Method-Override X-HTTP-Method X-Method-Override Accept Accept-Encoding Range If-Match".split(
    " ",
  ),
  ..."If-None-Match If-Modified-Since Cache-Control Pragma User-Agent Origin Referer Via Max-Forwards Date".split(" "),
  "x_http_method_override",
  "aUTHORIZATION",
  "",
  "X Version",
  "X-Version:",
  "X-Version\r\nAuthorization",
  "Vérsion",
  "x".repeat(200),
];

let server: TestServer;
let cwd = "";

beforeAll(async () => {
  server = await startServer((_request, response) => response.end("{}"));
  cwd = await mkdtemp(join(tmpdir(), "edgewise-headers-"));
});

afterAll(async () => {
  await server.close();
  await rm(cwd, { recursive: true, force: true });
});

/** The same header, named in each place that can name it. */
const places: readonly (readonly [
  string,
  (name: string) => Promise<{ readonly flags: readonly string[]; readonly env: object }>,
])[] = [
  [
    "the configuration",
    async (name) => {
      const api = JSON.stringify({ baseUrl: server.baseUrl, versionHeader: name });
      await writeFile(join(cwd, "edgewise.yaml"), `apiVersion: edgewise/v1\nkind: Config\nstack: demo\napi: ${api}\n`);
      return { flags: [], env: {} };
    },
  ],
  ["a flag", async (name) => ({ flags: ["--version-header", name, "--base-url", server.baseUrl], env: {} })],
  [
    "the environment",
    async (name) => ({ flags: ["--base-url", server.baseUrl], env: { EDGEWISE_VERSION_HEADER: name } }),
  ],
];

describe("A configuration makes the version header one that means something else → it is refused before anything is sent", () => {
  it.each(names)("%j", async (name) => {
    for (const [place, prepare] of places) {
      await rm(join(cwd, "edgewise.yaml"), { force: true });
      const { flags, env } = await prepare(name);
      // An empty variable is treated like one that is not set.
      if (name === "" && place === "the environment") continue;
      const io = memoryIo({ cwd, env: { EDGEWISE_API_KEY: "key_0123456789", ...env } });
      expect(await run(["ping", ...flags], io), place).toBe(1);
      expect(io.err(), place).toMatch(/header|versionHeader/iu);
    }
    expect(server.seen).toEqual([]);
  });
});
