import type { ServerResponse } from "node:http";
import { describe, expect, it } from "vitest";
import type { ApiError } from "../../src/api/api-error.ts";
import type { Method } from "../../src/api/client.ts";
import { systemClock } from "../../src/api/system-clock.ts";
import { testClient, thrownBy } from "./support/client.ts";
import { type Handler, json, serve } from "./support/server.ts";

describe("a failing service", () => {
  it.each([
    ["GET", 503, 5],
    ["PUT", 500, 5],
    ["PATCH", 408, 5],
    ["DELETE", 502, 5],
    ["POST", 503, 1],
    ["POST", 408, 1],
    ["POST", 429, 5],
    ["GET", 400, 1],
  ] as const)("%s answered %i is sent %i times", async (method, status, times) => {
    const { baseUrl, seen } = await serve((_, response) => json(response, status, { msg: "no" }));
    const { client, events } = testClient(baseUrl);
    const body = method === "GET" || method === "DELETE" ? {} : { body: { a: 1 } };
    const error = await thrownBy(client.send({ method, path: "/x", ...body }));
    expect(seen).toHaveLength(times);
    expect(new Set(seen.map((request) => `${request.method} ${request.body}`)).size).toBe(1);
    expect(error).toMatchObject({
      status,
      attempts: times,
      outcome: method === "GET" || status === 429 ? "answered" : "unknown",
    });
    const waits = events.filter((event) => event.type === "wait").map((event) => event.ms);
    expect(waits).toEqual([500, 1000, 2000, 4000].slice(0, times - 1));
    await client.close();
  });

  it.each(["PUT", "PATCH", "DELETE"] as const)(
    "%s that was lost and then refused may have been done",
    async (method) => {
      const { baseUrl } = await serve((_, response, count) => json(response, count < 2 ? 503 : 403, { msg: "no" }));
      const { client } = testClient(baseUrl);
      const error = await thrownBy(client.send({ method, path: "/x" }));
      expect(error).toMatchObject({ status: 403, attempts: 2, outcome: "unknown" });
      await client.close();
    },
  );

  it("is asked again until it answers, body and all", async () => {
    const { baseUrl, seen } = await serve((_, response, count) =>
      count < 4 ? json(response, 503, {}) : json(response, 200, { done: true }),
    );
    const { client, events } = testClient(baseUrl);
    const response = await client.send({ method: "PATCH", path: "/x", body: { description: "é" } });
    expect(response.body).toEqual({ done: true });
    expect(seen.map((request) => request.body)).toEqual(Array(4).fill('{"description":"é"}'));
    expect(events.filter((event) => event.type === "wait").map((event) => event.ms)).toEqual([500, 1000, 2000]);
    expect(events.map((event) => event.type).slice(0, 4)).toEqual(["request", "answer", "wait", "request"]);
    await client.close();
  });

  it.each(["GET", "PUT", "PATCH", "DELETE"] as Method[])(
    "that resets before it answers is asked again: %s",
    async (method) => {
      const { baseUrl, seen } = await serve((_, response, count) =>
        count < 3 ? response.socket?.resetAndDestroy() : json(response, 200, {}),
      );
      const { client } = testClient(baseUrl);
      await client.send({ method, path: "/x" });
      expect(seen).toHaveLength(3);
      await client.close();
    },
  );

  it("that resets is not asked to create again: nobody knows whether it did", async () => {
    const { baseUrl, seen } = await serve((_, response) => response.socket?.resetAndDestroy());
    const { client } = testClient(baseUrl);
    const error = await thrownBy(client.send({ method: "POST", path: "/x", body: {} }));
    expect(error).toMatchObject({ outcome: "unknown", attempts: 1, status: null });
    expect(seen).toHaveLength(1);
    await client.close();
  });

  it("leaves the outcome unknown when it is gone after it may have done it", async () => {
    const { baseUrl, close } = await serve((_, response) => {
      response.writeHead(503, { connection: "close" }).end();
      void close();
    });
    const { client } = testClient(baseUrl);
    const error = await thrownBy(client.send({ method: "PATCH", path: "/x", body: {} }));
    expect(error).toMatchObject({ outcome: "unknown", networkCode: "ECONNREFUSED", attempts: 4 });
    await client.close();
    await close().catch(() => undefined);
  });
});

describe("a rate limit", () => {
  it("is waited out as long as it says, in seconds or by date", async () => {
    const date = new Date(Date.UTC(2030, 0, 1, 0, 0, 9)).toUTCString();
    const said = new Date(Date.UTC(2030, 0, 1, 0, 0, 0)).toUTCString();
    const { baseUrl } = await serve((_, response, count) => {
      if (count === 1) return json(response, 429, {}, { "retry-after": "3" });
      if (count === 2) return json(response, 429, {}, { "retry-after": date, date: said });
      return json(response, 201, {});
    });
    const { client, events } = testClient(baseUrl);
    await client.send({ method: "POST", path: "/x", body: {} });
    expect(events.filter((event) => event.type === "wait").map((event) => event.ms)).toEqual([3000, 9000]);
    await client.close();
  });

  it("that asks for too much ends the attempt", async () => {
    const { baseUrl, seen } = await serve((_, response) => json(response, 429, {}, { "retry-after": "3600" }));
    const { client, clock } = testClient(baseUrl);
    const error = await thrownBy(client.get("/x"));
    expect(error).toMatchObject({ status: 429, attempts: 1 });
    expect((error as ApiError).remedy).toContain("api.requestsPerMinute");
    expect(seen).toHaveLength(1);
    expect(clock.waits).toEqual([]);
    await client.close();
  });

  it("slows everybody down, and everybody gets through", async () => {
    const crowd = gathering(6, (response, count) => json(response, count <= 6 ? 429 : 200, {}));
    const { baseUrl, seen } = await serve(crowd.handler);
    const { client, events } = testClient(baseUrl, { concurrency: 6 });
    await Promise.all(Array.from({ length: 40 }, (_, n) => client.get(`/x/${n}`)));
    expect(crowd.most()).toBe(6);
    expect(seen).toHaveLength(46);
    const limits = events.filter((event) => event.type === "limited");
    expect(limits[0]).toMatchObject({ concurrency: 3, pauseMs: 500 });
    await client.close();
  });

  it("of a service that counts by the minute and says nothing is learned", async () => {
    const { client, clock, close } = await countingService(50);
    const results = await Promise.allSettled(Array.from({ length: 120 }, (_, n) => client.get(`/x/${n}`)));
    expect(results.filter((result) => result.status === "rejected")).toEqual([]);
    expect(clock.now() - Date.UTC(2030, 0, 1)).toBeLessThan(6 * 60_000);
    await close();
  });

  /** A service that allows so many requests a minute on the client's own clock, and gives no Retry-After. */
  async function countingService(perMinute: number, ceiling: number | null = null) {
    let made: ReturnType<typeof testClient> | null = null;
    let accepted: number[] = [];
    const { baseUrl } = await serve((_, response) => {
      const now = made?.clock.now() ?? 0;
      accepted = accepted.filter((at) => now - at < 60_000);
      if (accepted.length >= perMinute) return json(response, 429, { msg: "slow down" });
      accepted.push(now);
      return json(response, 200, {});
    });
    const tested = testClient(baseUrl, { requestsPerMinute: ceiling, concurrency: 4 });
    made = tested;
    return { ...tested, close: () => tested.client.close() };
  }
});

/**
 * A handler that answers nobody before so many have come, however late they come, and then each after a moment.
 * @param answer gets the number of the request, from 1
 */
function gathering(crowd: number, answer: (response: ServerResponse, count: number) => void) {
  let inFlight = 0;
  let most = 0;
  const waiting: (() => void)[] = [];
  const handler: Handler = (_, response, count) => {
    inFlight += 1;
    most = Math.max(most, inFlight);
    waiting.push(() => {
      inFlight -= 1;
      answer(response, count);
    });
    if (count >= crowd) for (const go of waiting.splice(0)) setTimeout(go, 5);
  };
  return { handler, most: () => most };
}

describe("concurrency", () => {
  it("bounds all requests in flight, reads too", async () => {
    const crowd = gathering(3, (response) => json(response, 200, {}));
    const { baseUrl } = await serve(crowd.handler);
    const { client } = testClient(baseUrl, { concurrency: 3 });
    await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        n % 2 === 0 ? client.get("/x") : client.send({ method: "PUT", path: "/x", body: {} }),
      ),
    );
    expect(crowd.most()).toBe(3);
    await client.close();
  });
});

describe("the deadline of the run", () => {
  it("ends the waiting: what is left is not sent", async () => {
    const { baseUrl, seen } = await serve((_, response) => json(response, 503, {}, { "retry-after": "4" }));
    const { client, clock } = testClient(baseUrl, { deadline: { ms: 10_000 } });
    const error = await thrownBy(client.get("/x"));
    expect(error).toMatchObject({ status: 503, attempts: 3 });
    clock.advance(10_000);
    const late = await thrownBy(client.send({ method: "POST", path: "/y", body: {} }));
    expect(late).toMatchObject({
      message: "POST /y: the run's deadline has passed; it was not sent",
      outcome: "not-sent",
      attempts: 0,
    });
    expect((late as ApiError).remedy).toContain("api.deadline");
    expect(seen).toHaveLength(3);
    await client.close();
  });

  it("is named when it cuts off a request before its own time is over", async () => {
    const { baseUrl } = await serve(() => undefined);
    const { client } = testClient(baseUrl, { clock: systemClock, deadline: { ms: 100 }, timeoutMs: 30_000 });
    const late = await thrownBy(client.send({ method: "POST", path: "/y", body: {} }));
    expect(late).toMatchObject({
      message: "POST /y: the run's deadline has passed; it may or may not have been applied",
      outcome: "unknown",
      attempts: 1,
    });
    expect((late as ApiError).remedy).toContain("api.deadline");
    await client.close();
  });
});
