import { describe, expect, it } from "vitest";
import type { TraceEvent } from "../../src/api/client.ts";
import { type Denial, RateLimiter, type RateLimiterOptions, type Ticket } from "../../src/api/rate-limiter.ts";
import { type FakeClock, fakeClock } from "./support/fake-clock.ts";

function limiter(options: Partial<RateLimiterOptions> = {}): {
  limiter: RateLimiter;
  clock: FakeClock;
  events: TraceEvent[];
} {
  const clock = fakeClock(0);
  const events: TraceEvent[] = [];
  const made = new RateLimiter({
    concurrency: 8,
    requestsPerMinute: null,
    clock,
    deadlineAt: Infinity,
    signal: new AbortController().signal,
    trace: (event) => events.push(event),
    ...options,
  });
  return { limiter: made, clock, events };
}

function ticketOf(answer: Ticket | Denial): Ticket {
  if (typeof answer === "string") throw new Error(`denied: ${answer}`);
  return answer;
}

async function take(from: RateLimiter, count: number): Promise<Ticket[]> {
  const tickets: Ticket[] = [];
  for (let n = 0; n < count; n += 1) tickets.push(ticketOf(await from.acquire()));
  return tickets;
}

describe("a limiter", () => {
  it("never lets more go in any minute than it may, and wastes no burst", async () => {
    const { limiter: one, clock } = limiter({ requestsPerMinute: 10, concurrency: 3 });
    const times: number[] = [];
    await Promise.all(
      Array.from({ length: 35 }, async () => {
        const ticket = ticketOf(await one.acquire());
        times.push(clock.now());
        ticket.release("ok");
      }),
    );
    expect(times.filter((at) => at === 0)).toHaveLength(10);
    for (const [index, at] of times.entries()) {
      expect(times.filter((other, n) => n >= index && other - at < 60_000).length).toBeLessThanOrEqual(10);
    }
    expect(times.at(-1)).toBeLessThan(4 * 60_000);
  });

  it("halves on a 429, once for all that were sent before it, and recovers bit by bit", async () => {
    const { limiter: one } = limiter();
    const early = await take(one, 4);
    for (const ticket of early) ticket.release("limited");
    expect(one.concurrency).toBe(4);
    const [later] = await take(one, 1);
    later?.release("limited");
    expect(one.concurrency).toBe(2);
    for (const ticket of await take(one, 1)) ticket.release("limited");
    for (const ticket of await take(one, 1)) ticket.release("limited");
    expect(one.concurrency).toBe(1);
    const grew: number[] = [];
    for (let n = 0; n < 60; n += 1) {
      for (const ticket of await take(one, 1)) ticket.release("ok");
      grew.push(one.concurrency);
    }
    expect(grew[0]).toBe(2);
    expect(grew[1]).toBe(2);
    expect(grew.at(-1)).toBe(8);
    expect(grew).toEqual(grew.toSorted((a, b) => a - b));
  });

  it("learns a limit by the minute from a service that refuses in spite of pauses", async () => {
    const { limiter: one, clock, events } = limiter();
    for (let n = 1; n < 100; n += 1) for (const ticket of await take(one, 1)) ticket.release("ok");
    for (const ticket of await take(one, 1)) ticket.release("ok", { ms: 1000, persistent: true });
    expect(events.at(-1)).toMatchObject({ requestsPerMinute: 90 });
    await take(one, 1);
    expect(clock.now()).toBeGreaterThan(60_000);
  });
});
