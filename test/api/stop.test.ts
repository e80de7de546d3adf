import { describe, expect, it } from "vitest";
import type { TraceEvent } from "../../src/api/client.ts";
import { systemClock } from "../../src/api/system-clock.ts";
import { testClient, thrownBy } from "./support/client.ts";
import { json, serve } from "./support/server.ts";

/** Longer than any test may take. */
const long = { "retry-after": "15" };

describe("a request that is not to be sent any more", () => {
  it.each(["POST", "PATCH"] as const)("%s is not sent again after a 429, and ends at once", async (method) => {
    const stop = new AbortController();
    const { baseUrl, seen } = await serve((_, response) => json(response, 429, {}, long));
    const trace = ({ type }: TraceEvent): unknown => type === "wait" && setImmediate(() => stop.abort());
    const { client } = testClient(baseUrl, { clock: systemClock, trace });
    const error = await thrownBy(client.send({ method, path: "/x", body: {}, stop: stop.signal }));
    expect(error).toMatchObject({ code: "interrupted", outcome: "not-sent", attempts: 1 });
    expect(String(error)).toContain("it was not applied");
    expect(seen).toHaveLength(1);
  });

  it("is asked about anew when it waited for its connection until nothing proves the right to write", async () => {
    const { baseUrl, seen } = await serve((_, response) => json(response, 200, {}));
    let asked = 0;
    // The process stood still after the first question.
    const hold = { assertHeld: async () => void (asked += 1), isHeld: () => asked > 1 };
    const { client } = testClient(baseUrl, { hold });
    await client.get("/x");
    expect(asked).toBe(0);
    expect(await client.send({ method: "POST", path: "/x", body: {} })).toMatchObject({ status: 200 });
    expect([asked, seen.map(({ method }) => method)]).toEqual([2, ["GET", "POST"]]);
    const lost = { ...hold, isHeld: () => false };
    const { client: other } = testClient(baseUrl, { hold: lost });
    const error = await thrownBy(other.send({ method: "DELETE", path: "/x" }));
    expect(error).toMatchObject({ outcome: "not-sent" });
    expect(seen).toHaveLength(2);
  });

  it("does not wait for its turn, and lets others have it", async () => {
    const { baseUrl, seen } = await serve((_, response, count) =>
      count === 1 ? json(response, 429, {}, { "retry-after": "1" }) : json(response, 200, {}),
    );
    const { client } = testClient(baseUrl, { clock: systemClock, concurrency: 1 });
    const stop = new AbortController();
    const limited = client.get("/a");
    const waiting = client.send({ method: "POST", path: "/b", body: {}, stop: stop.signal });
    const other = client.get("/c");
    setTimeout(() => stop.abort(), 100);
    expect(await thrownBy(waiting)).toMatchObject({ code: "interrupted", outcome: "not-sent", attempts: 0 });
    expect(await thrownBy(client.send({ method: "PUT", path: "/d", stop: stop.signal }))).toMatchObject({
      code: "interrupted",
    });
    await Promise.all([limited, other]);
    expect(seen.map(({ method }) => method)).toEqual(["GET", "GET", "GET"]);
  });

  it("is seen through when it may have been carried out", async () => {
    const stop = new AbortController();
    const { baseUrl, seen } = await serve((_, response, count) => {
      stop.abort();
      json(response, count === 1 ? 503 : 200, { count });
    });
    const { client } = testClient(baseUrl);
    const { body } = await client.send({ method: "PATCH", path: "/x", body: {}, stop: stop.signal });
    expect(body).toEqual({ count: 2 });
    expect(seen).toHaveLength(2);
  });
});
