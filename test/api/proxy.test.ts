import { createServer, connect } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { testClient, thrownBy } from "./support/client.ts";
import { json, serve } from "./support/server.ts";

async function startProxy(port: number, answer = "HTTP/1.1 200 OK"): Promise<{ url: string; asked: string[] }> {
  const asked: string[] = [];
  const proxy = createServer((client) => {
    client.on("error", () => undefined);
    client.once("data", (chunk) => {
      asked.push(chunk.toString("latin1"));
      client.write(`${answer}\r\n\r\n`);
      const target = connect(port, "127.0.0.1");
      target.on("error", () => undefined);
      client.pipe(target).pipe(client);
    });
  });
  onTestFinished(() => void proxy.close());
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  const address = proxy.address();
  return { url: `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`, asked };
}

describe("a proxy", () => {
  it.each(["HTTP_PROXY", "http_proxy"])("of %s is asked for a tunnel", async (variable) => {
    const server = await serve((_, response) => json(response, 200, {}));
    const { url, asked } = await startProxy(server.port);
    const { client } = testClient("http://api.test", { env: { [variable]: url.replace("//", "//me:p%40ssword@") } });
    await client.get("/x");
    expect(asked[0]).toMatch(/^CONNECT api\.test:80 HTTP\/1\.1/);
    expect(asked[0]?.toLowerCase()).toContain(`proxy-authorization: basic ${btoa("me:p@ssword").toLowerCase()}`);
    expect(asked[0]).not.toContain("Bearer");
    expect(server.seen[0]?.headers.host).toBe("api.test");
  });

  it("is for its own scheme, and not for what NO_PROXY names", async () => {
    const server = await serve((_, response) => json(response, 200, {}));
    const { url, asked } = await startProxy(server.port);
    // An address of this machine that is not the loopback.
    const base = `http://0.0.0.0:${server.port}`;
    const direct = [{ HTTPS_PROXY: url }, { HTTP_PROXY: url, NO_PROXY: "other.test, 0.0.0.0" }, { HTTP_PROXY: "" }];
    for (const env of direct) {
      const { client } = testClient(base, { env });
      expect(await client.get("/x")).toMatchObject({ status: 200 });
    }
    expect(asked).toEqual([]);
  });

  it("that refuses is named: nothing was sent", async () => {
    const server = await serve((_, response) => json(response, 200, {}));
    const { url } = await startProxy(server.port, "HTTP/1.1 407 Proxy Authentication Required");
    const { client } = testClient("http://api.test", { env: { HTTP_PROXY: url } });
    expect(await thrownBy(client.send({ method: "POST", path: "/x", body: {} }))).toMatchObject({
      message: "POST /x: the proxy responded with 407",
      outcome: "not-sent",
      remedy: expect.stringContaining("HTTP_PROXY"),
    });
    expect(server.seen).toHaveLength(0);
  });

  it.each(["not a url", "socks5://127.0.0.1:1", "//u:hunter22@x"])("may not be %s", (HTTP_PROXY) => {
    expect(() => testClient("http://api.test", { env: { HTTP_PROXY } })).toThrow(
      expect.objectContaining({ code: "config", message: "HTTP_PROXY is not an http or https URL" }),
    );
  });
});
