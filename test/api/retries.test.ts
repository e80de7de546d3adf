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
    ["DELETE", 502, 5],
    ["PATCH", 408, 5],
    ["POST", 503, 1],
    ["POST", 408, 1],
    ["GET", 501, 1],
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
  });

  it.each(["PUT", "PATCH", "DELETE"] as const)(
    "%s that was lost and then refused may have been done",
    async (method) => {
      const { baseUrl } = await serve((_, response, count) => json(response, count < 2 ? 503 : 403, { msg: "no" }));
      const { client } = testClient(baseUrl);
      const error = await thrownBy(client.send({ method, path: "/x" }));
      expect(error).toMatchObject({ status: 403, attempts: 2, outcome: "unknown" });
    },
  );

  it.each(["GET", "PUT", "PATCH", "DELETE"] as Method[])(
    "that resets before it answers is asked again: %s",
    async (method) => {
      const { baseUrl, seen } = await serve((_, response, count) =>
        count < 3 ? response.socket?.resetAndDestroy() : json(response, 200, {}),
      );
      const { client } = testClient(baseUrl);
      await client.send({ method, path: "/x" });
      expect(seen).toHaveLength(3);
    },
  );

  it("that resets is not asked to create again: nobody knows whether it did", async () => {
    const { baseUrl, seen } = await serve((_, response) => response.socket?.resetAndDestroy());
    const { client } = testClient(baseUrl);
    const error = await thrownBy(client.send({ method: "POST", path: "/x", body: {} }));
    expect(error).toMatchObject({ outcome: "unknown", attempts: 1, status: null });
    expect(seen).toHaveLength(1);
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
  });

  it("that asks for too much ends the attempt", async () => {
    const { baseUrl, seen } = await serve((_, response) => json(response, 429, {}, { "retry-after": "3600" }));
    const { client, clock } = testClient(baseUrl);
    const error = await thrownBy(client.get("/x"));
    expect(error).toMatchObject({ status: 429, attempts: 1 });
    expect((error as ApiError).remedy).toContain("api.requestsPerMinute");
    expect(seen).toHaveLength(1);
    expect(clock.waits).toEqual([]);
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
  });
});

/** A handler that answers nobody before so many have come, however late they come, and then each after a moment. */
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
  });
});
