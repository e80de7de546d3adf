import { spawn } from "node:child_process";
import { once } from "node:events";
import { type Server, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { connect } from "node:net";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { collectionOf, listedKinds } from "../../../src/kinds/names.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));

async function listening(server: Server): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

// The part of undici that is bundled has to be complete: what goes through a proxy needs more of it.
describe.each(["dist/bin/edgewise.js", "dist/edgewise.mjs"])("%s", (program) => {
  it("reaches the service through a proxy", async () => {
    const members = new Map(listedKinds.map((kind) => [collectionOf(kind).path, collectionOf(kind).member]));
    const service = await listening(
      createServer(({ url }, response) => {
        response.setHeader("content-type", "application/json");
        response.end(JSON.stringify({ [members.get(url ?? "") ?? ""]: [], next_page_uri: null }));
      }),
    );
    const asked: (string | undefined)[] = [];
    const proxy = createServer().on("connect", ({ url }, client) => {
      asked.push(url);
      const target = connect(service, "127.0.0.1", () => {
        client.write("HTTP/1.1 200 OK\r\n\r\n");
        target.pipe(client);
        client.pipe(target);
      });
      for (const socket of [client, target]) socket.on("error", () => target.destroy());
    });
    const env = {
      PATH: process.env["PATH"] ?? "",
      EDGEWISE_API_KEY: "key-of-the-test",
      EDGEWISE_BASE_URL: "http://service.invalid",
      EDGEWISE_STACK: "demo",
      HTTP_PROXY: `http://127.0.0.1:${await listening(proxy)}`,
    };
    const child = spawn(process.execPath, [`${root}${program}`, "list", "--allow-insecure-http"], { cwd: "/", env });
    let err = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => (err += text));
    const [code] = await once(child, "close");
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(new Set(asked)).toEqual(new Set(["service.invalid:80"]));
  });
});
