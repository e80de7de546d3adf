import { describe, expect, it } from "vitest";
import { takeServeSignals } from "../../../src/commands/support/serve-signals.ts";
import type { ServeEvent } from "../../../src/serve/serve-events.ts";
import { memoryIo } from "../../commands/memory-io.ts";
import { SimulatedClock } from "../support/simulated-clock.ts";

function take(graceMs: number) {
  const io = memoryIo();
  const clock = new SimulatedClock();
  const events: ServeEvent[] = [];
  const signals = takeServeSignals(io, { graceMs, clock, emit: (event) => void events.push(event) });
  return { io, clock, events, signals };
}

describe("the signals of serve", () => {
  it("stop softly first, then hard before the grace is over, then for good", async () => {
    const { io, clock, events, signals } = take(30_000);
    let over = false;
    void signals.over.then(() => (over = true));
    io.signal("SIGTERM");
    expect([signals.stop.aborted, signals.hardStop.aborted]).toEqual([true, false]);
    await clock.sleep(24_000);
    expect(signals.hardStop.aborted).toBe(false);
    await clock.sleep(2_000);
    expect([signals.hardStop.aborted, over]).toEqual([true, false]);
    await clock.sleep(5_000);
    expect(over).toBe(true);
    expect(events).toEqual([{ event: "stopping", signal: "SIGTERM" }]);
  });

  it("stop hard at once when a second one comes", () => {
    const { io, events, signals } = take(30_000);
    io.signal("SIGINT");
    io.signal("SIGTERM");
    expect(signals.hardStop.aborted).toBe(true);
    expect(events).toHaveLength(1);
  });

  it("stop hard at once without a grace, and nobody listens after the end", async () => {
    const { io, clock, signals } = take(0);
    io.signal("SIGTERM");
    await clock.sleep(1);
    expect(signals.hardStop.aborted).toBe(true);
    signals.end();
    expect(io.signal("SIGTERM")).toBe(false);
  });
});
