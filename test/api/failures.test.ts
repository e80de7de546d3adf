import { createServer } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { ApiError } from "../../src/api/api-error.ts";
import { Secret } from "../../src/core/secret.ts";
import { apiKey, testClient, thrownBy } from "./support/client.ts";
import { type Handler, json, serve } from "./support/server.ts";

async function serveRaw(answer: string): Promise<string> {
  const raw = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.once("data", () => socket.end(answer));
  });
  onTestFinished(() => void raw.close());
  await new Promise<void>((resolve) => raw.listen(0, "127.0.0.1", resolve));
  const address = raw.address();
  return `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`;
}

async function apiError(promise: Promise<unknown>): Promise<ApiError> {
  const error = await thrownBy(promise);
  if (!(error instanceof ApiError)) throw error;
  return error;
}

describe("an error of the service", () => {
  it("is told with everything that it says", async () => {
    const body = {
      error_code: "ERR_EDGE_218",
      status_code: 400,
      msg: "hostport already served",
      details: { operation_id: "op_1" },
    };
    const { baseUrl } = await serve((_, response) => json(response, 400, body));
    const { client } = testClient(baseUrl);
    const error = await apiError(client.send({ method: "POST", path: "/edges/tls", body: {} }));
    expect(error.message).toBe("POST /edges/tls: 400 ERR_EDGE_218: hostport already served (operation op_1)");
    expect(error).toMatchObject({
      name: "ApiError",
      code: "api",
      status: 400,
      errorCode: "ERR_EDGE_218",
      serverMessage: "hostport already served",
      outcome: "answered",
      attempts: 1,
    });
  });

  it.each([
    [403, "Check the API key"],
    [404, "Check the base URL"],
    [409, "plan again"],
  ])("%i comes with a remedy", async (status, remedy) => {
    const { baseUrl, seen } = await serve((_, response) => json(response, status, {}));
    const { client } = testClient(baseUrl);
    const error = await apiError(client.get("/x"));
    expect(error.remedy).toContain(remedy);
    expect(error.status).toBe(status);
    expect(seen).toHaveLength(1);
  });

  it.each([
    ["null", "null", "GET /x: 404: no reason given"],
    ["members of wrong types", '{"msg":{},"error_code":7,"details":null}', "GET /x: 404: no reason given"],
    ["a page", "<html>\n<b>Not here</b>", 'GET /x: 404: the response is not JSON: "<html> <b>Not here</b>"'],
    [
      "depth",
      `{"msg":${"[".repeat(1e5)}${"]".repeat(1e5)}}`,
      "GET /x: 404: the response is nested deeper than 64 levels",
    ],
    ["bytes", "\xff\xfe\x00", 'GET /x: 404: the response is not UTF-8: "ÿþ\uFFFD"'],
  ])("may be %s", async (_, body, message) => {
    const { baseUrl } = await serve((_, response) => response.writeHead(404).end(Buffer.from(body, "latin1")));
    const { client } = testClient(baseUrl);
    expect((await apiError(client.get("/x"))).message).toBe(message);
  });

  it("is bounded and harmless on a terminal", async () => {
    const body = { error_code: "E".repeat(5000), msg: `\u001B[2Jbad\n::error::${"x".repeat(5000)}` };
    const { baseUrl } = await serve((_, response) => json(response, 400, body));
    const { client } = testClient(baseUrl);
    const { message } = await apiError(client.get("/x"));
    expect(message.length).toBeLessThan(800);
    expect(message).not.toMatch(/\p{Cc}/u);
  });
});

describe("a redirect", () => {
  it("is not followed, whatever the status and wherever it leads", async () => {
    for (const status of [301, 302, 303, 307, 308]) {
      const { baseUrl, seen } = await serve((_, response) => {
        response.writeHead(status, { location: "/elsewhere" }).end();
      });
      const { client } = testClient(baseUrl);
      const error = await apiError(client.send({ method: "POST", path: "/edges/tls", body: {} }));
      expect(error.message).toBe(`POST /edges/tls: ${status}: a redirect to /elsewhere`);
      expect(error.outcome).toBe("answered");
      expect(seen).toHaveLength(1);
    }
  });
});

describe("an answer that is none", () => {
  it("is a page: the write may have been done", async () => {
    const { baseUrl, seen } = await serve((_, response) => {
      response.writeHead(200, { "content-type": "text/html" }).end("<html>Log in</html>");
    });
    const { client } = testClient(baseUrl);
    const read = await apiError(client.get("/x"));
    expect(read.message).toBe('GET /x: 200: the response is not JSON (text/html): "<html>Log in</html>"');
    expect(read.remedy).toContain(baseUrl);
    const written = await apiError(client.send({ method: "PUT", path: "/x", body: {} }));
    expect(written.outcome).toBe("unknown");
    expect(seen).toHaveLength(2);
  });

  it("is cut short: a read is tried again, a create is not", async () => {
    const { baseUrl, seen } = await serve((_, response, count) => {
      if (count === 3) return json(response, 200, { ok: true });
      response.writeHead(200, { "content-length": "100" });
      response.write('{"ok":');
      return setTimeout(() => response.destroy(), 10);
    });
    const { client } = testClient(baseUrl);
    const error = await apiError(client.send({ method: "POST", path: "/x", body: {} }));
    expect(error).toMatchObject({ outcome: "unknown", attempts: 1, status: 200 });
    expect(error.message).toBe("POST /x: 200: the connection was closed before the response was complete");
    expect(await client.get("/x")).toEqual({ status: 200, body: { ok: true } });
    expect(seen).toHaveLength(3);
  });

  it.each([
    ["another protocol", "SSH-2.0-OpenSSH_9.6\r\n", "the response is not valid HTTP"],
    ["nothing", "", "the connection was closed before the response was complete"],
  ])("is %s", async (_, answer, message) => {
    const { client } = testClient(await serveRaw(answer));
    const error = await apiError(client.send({ method: "POST", path: "/x", body: {} }));
    expect(error.message).toBe(`POST /x: ${message}`);
    expect(error).toMatchObject({ outcome: "unknown", status: null, attempts: 1 });
  });
});

describe("no connection", () => {
  it("is refused: three attempts, also of a create, as nothing was sent", async () => {
    const { baseUrl, close } = await serve(() => undefined);
    await close();
    const { client, clock, events } = testClient(baseUrl);
    const error = await apiError(client.send({ method: "POST", path: "/x", body: {} }));
    expect(error.message).toBe("POST /x: the connection was refused (after 3 attempts)");
    expect(error).toMatchObject({ outcome: "not-sent", status: null });
    expect(error.remedy).toContain("base URL");
    expect(clock.waits).toEqual([500, 1000]);
    expect(events.filter((event) => event.type === "wait")).toEqual([
      {
        type: "wait",
        request: 1,
        attempt: 1,
        method: "POST",
        path: "/x",
        ms: 500,
        reason: "the connection was refused",
      },
      {
        type: "wait",
        request: 1,
        attempt: 2,
        method: "POST",
        path: "/x",
        ms: 1000,
        reason: "the connection was refused",
      },
    ]);
  });
});

describe("the key and the secrets", () => {
  it("are in no error and no trace, however the server echoes them", async () => {
    const secret = "whsec_canary/5+5== of the service";
    const spellings = (text: string): string[] => [
      text,
      JSON.stringify(text),
      encodeURIComponent(text),
      Buffer.from(text).toString("base64"),
      Buffer.from(`Bearer ${text}`).toString("base64"),
    ];
    const echoes = [...spellings(apiKey), ...spellings(secret)];
    const echo = echoes.join(" ");
    const answers: Handler[] = [
      (_, response) => json(response, 403, { error_code: apiKey, msg: echo, details: { operation_id: secret } }),
      (_, response) => response.writeHead(400).end(`<html>${echo}`),
      (_, response) => response.writeHead(302, { location: `/login?${echo}` }).end(),
      (_, response) => response.writeHead(200, { "content-type": encodeURIComponent(apiKey) }).end(echo),
    ];
    const { baseUrl } = await serve((request, response, count) => answers[count - 1]?.(request, response, count));
    const { client, events } = testClient(baseUrl);
    const said: string[] = [];
    for (const _ of answers) {
      const body = { secret: Secret.of(secret, "test") };
      const error = await apiError(client.send({ method: "PUT", path: "/hook", body }));
      said.push(error.message, JSON.stringify(error), error.stack ?? "", String(error.cause));
    }
    const all = `${said.join("\n")}\n${JSON.stringify(events)}`;
    expect(all).toContain("(secret)");
    for (const spelling of echoes) expect(all).not.toContain(spelling);
    for (const part of [apiKey.slice(4, 16), "whsec_canary", Buffer.from(apiKey).toString("base64").slice(4, 20)]) {
      expect(all).not.toContain(part);
    }
  });

  it("that the service sent are masked from then on", async () => {
    const { baseUrl } = await serve((_, response, count) =>
      count === 1 ? json(response, 200, { secret: "whsec_live" }) : json(response, 400, { msg: "not whsec_live" }),
    );
    const { client } = testClient(baseUrl);
    await client.get("/hook");
    expect((await apiError(client.get("/hook"))).message).toBe("GET /hook: 400: not (secret)");
  });
});

describe("a stop", () => {
  it("cuts off what is in flight and drops what waits", async () => {
    const stop = new AbortController();
    const { baseUrl, seen } = await serve(() => setTimeout(() => stop.abort(), 10));
    const { client } = testClient(baseUrl, { signal: stop.signal, concurrency: 1 });
    const flying = apiError(client.send({ method: "PATCH", path: "/a", body: {} }));
    const waiting = apiError(client.send({ method: "PATCH", path: "/b", body: {} }));
    expect(await flying).toMatchObject({ code: "interrupted", exit: 130, outcome: "unknown", attempts: 1 });
    expect((await flying).message).toBe("PATCH /a: interrupted; it may or may not have been applied");
    expect(await waiting).toMatchObject({ code: "interrupted", outcome: "not-sent", attempts: 0 });
    expect((await waiting).message).toBe("PATCH /b: interrupted; it was not sent");
    expect(seen).toHaveLength(1);
  });
});
