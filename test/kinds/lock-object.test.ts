import { expect, it } from "vitest";
import { compareLocks, describeLock, isExpired, lockBody, lockKind, readLock } from "../../src/kinds/lock-object.ts";
import type { JsonObject } from "../../src/core/json.ts";
import { readMarker } from "../../src/kinds/marker.ts";

const lock = { stack: "demo", run: "r", by: "ann", until: "2030-01-01T00:00:00.000Z" };
const until = Date.parse(lock.until);

it("what is written is read again, and is no marker", () => {
  const wire: JsonObject = { ...lockBody(lock), id: "bkdhr_1", created_at: "2029-12-31T23:50:00Z" };
  expect(readLock(wire)).toEqual({ ...lock, id: "bkdhr_1", since: "2029-12-31T23:50:00Z" });
  expect(readMarker(wire["metadata"]).marker).toBeNull();
  expect(lockKind().collection?.path).toBe("/backends/http_response");
});

it("who holds it is one line of bounded length", () => {
  const wire = { ...lockBody({ ...lock, by: `a\n\u001b[31m${"x".repeat(500)}` }), id: "bkdhr_1" };
  expect(readLock(wire)?.by).toMatch(/^a \[31mx{10,}$/u);
  expect(readLock(wire)?.by).toHaveLength(200);
});

it.each([
  ["a resource", '{"edgewise":{"stack":"demo","name":"lock"}}'],
  ["a member of the user's", '{"lock":true}'],
  ["broken JSON", '{"edgewise":{"lock":true}'],
  ["nothing", ""],
])("%s is no lock", (_, metadata) => {
  expect(readLock({ id: "bkdhr_1", metadata })).toBeNull();
});

it("expires a minute after its end, and never when the end can't be read", () => {
  const read = readLock({ ...lockBody(lock), id: "bkdhr_1" });
  if (read === null) throw new Error("no lock");
  expect(isExpired(read, until + 60_000)).toBe(false);
  expect(isExpired(read, until + 60_001)).toBe(true);
  expect(isExpired({ ...read, until: "" }, until * 2)).toBe(false);
  expect(describeLock({ ...read, until: "" })).toContain("until it is removed");
});

it.each(["soon", "2999", "2999-01-01", "2999-01-01T00:00:00Z (\u001b[31m)", "2999-13-01T00:00:00Z", 7, null])(
  "an end of %j can't be read",
  (end) => {
    const metadata = JSON.stringify({ edgewise: { lock: true, stack: "demo", run: "r", by: "ann", until: end } });
    expect(readLock({ id: "bkdhr_1", metadata })).toMatchObject({ until: "" });
  },
);

it("the older lock is first, and of two of one time that with the lower id", () => {
  const [a, b, c] = [
    { id: "b", since: "2030-01-01T00:00:00Z" },
    { id: "a", since: "2030-01-01T00:00:01Z" },
    { id: "c", since: "2030-01-01T00:00:01Z" },
  ];
  expect([c, b, a].toSorted(compareLocks)).toEqual([a, b, c]);
});
