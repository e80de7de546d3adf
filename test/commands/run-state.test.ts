import { describe, expect, it } from "vitest";
import type { ApplyEvent, EventBody } from "../../src/apply/events.ts";
import { RunState } from "../../src/commands/support/run-state.ts";

const time = "2026-01-01T00:00:00Z";
const about = { op: "op-1", address: "TLSEdge/api" } as const;
const does = { kind: "create", does: "create" } as const;

const event = (body: unknown): ApplyEvent => ({ time, ...(body as EventBody) });
const started = (operations: number) => event({ event: "run-started", operations });
const request = event({ event: "request", ...about, method: "POST", path: "/", purpose: "operation", attempt: 1 });
const ended = (status: string) => event({ event: "operation-ended", ...about, ...does, status });
const none = { until: 0, requestsPerMinute: null };

describe("RunState", () => {
  it("says why operations wait, as long as they do", () => {
    const state = new RunState(null);
    state.take(started(5), 0);
    state.take(event({ event: "waiting", ...about, reason: "settling", milliseconds: 500 }), 100);
    state.take(event({ event: "waiting", ...about, op: "op-2", reason: "lookup", milliseconds: 900 }), 100);
    expect(state.waits(200, none)).toEqual(["1 settling", "1 looking up"]);
    expect(state.waits(700, none)).toEqual(["1 looking up"]);
    state.take({ ...request, op: "op-2" } as ApplyEvent, 800);
    expect(state.waits(800, none)).toEqual([]);
  });

  it("knows the limit that is configured, and the one that it learns", () => {
    const state = new RunState(10);
    state.take(started(30), 0);
    for (let sent = 0; sent < 10; sent += 1) {
      expect(state.waits(sent, none)).toEqual([]);
      state.take(request, sent);
      state.take(ended("done"), sent);
    }
    expect(state.waits(100, none)).toEqual(["rate limit (10/min)"]);
    expect(state.waits(100, { until: 0, requestsPerMinute: 4 })).toEqual(["rate limit (4/min)"]);
    expect(state.waits(61_000, none)).toEqual([]);
  });
});
