import { describe, expect, it } from "vitest";
import { minute, policy } from "../../../serve/support/looks.ts";
import { SimulatedFleet } from "../../../serve/support/simulated-fleet.ts";

const hour = 60 * minute;

describe("a fleet of stacks", () => {
  it("spreads over the interval after an outage, and looks at each again within it", async () => {
    const fleet = new SimulatedFleet({ stacks: 40, backends: 1, policy });
    await fleet.run(15 * minute);
    fleet.account.lie = { status: 500 };
    await fleet.run(hour);
    fleet.account.lie = null;
    const before = fleet.looks.length;
    await fleet.run(20 * minute);
    const after = fleet.looks.slice(before).filter(({ state }) => state === "synced");
    const first = new Map<string, number>();
    for (const { at, stack } of after) if (!first.has(stack)) first.set(stack, at);
    expect(first.size).toBe(40);
    const start = Math.min(...first.values());
    const histogram = Array.from({ length: 11 }, () => 0);
    for (const at of first.values()) {
      const slot = Math.floor((at - start) / minute);
      histogram[slot] = (histogram[slot] ?? 0) + 1;
    }
    // No minute sees more than a third of all, and nobody waits for longer than an interval.
    expect(Math.max(...histogram)).toBeLessThanOrEqual(13);
    expect(histogram).toHaveLength(11);
    expect(fleet.account.writes.every(({ method, at }) => method === "POST" && at < 15 * minute)).toBe(true);
  });

  it("forgets no stack when the clock is set back or forward by hours, and never shows old knowledge as synced", async () => {
    const fleet = new SimulatedFleet({ stacks: 5, backends: 1, policy });
    await fleet.run(5 * minute);
    for (const shift of [-6 * hour, 9 * hour, -3 * hour, -20 * minute, 2 * hour]) {
      fleet.clock.shift(shift);
      const before = fleet.looks.length;
      await fleet.run(11.5 * minute);
      const seen = new Set(fleet.looks.slice(before).map(({ stack }) => stack));
      expect(seen.size).toBe(5);
      expect(Math.max(...fleet.dueIn())).toBeLessThanOrEqual(11 * minute);
      expect(fleet.names().map((name) => fleet.shown(name))).toEqual(fleet.names().map(() => "synced"));
    }
    fleet.account.lie = { status: 500 };
    await fleet.run(hour);
    expect(fleet.names().map((name) => fleet.shown(name))).toEqual(fleet.names().map(() => "failed"));
  });

  it("looks at the one stack that a commit touches within a poll, and at no other", async () => {
    const fleet = new SimulatedFleet({ stacks: 30, backends: 1, policy: { ...policy, intervalMs: 5 * hour } });
    await fleet.run(2 * minute);
    fleet.looks.length = 0;
    const head = "apiVersion: edgewise/v1\nkind: HTTPResponseBackend\nmetadata: {name: b0}\n";
    fleet.sources.edit("edge", { "s7/manifests/b0.yaml": `${head}spec: {description: new, status_code: 503}\n` });
    await fleet.run(2 * minute);
    expect(new Set(fleet.looks.map(({ stack }) => stack))).toEqual(new Set(["s7"]));
    expect(fleet.descriptions("s7")).toEqual(["new"]);
  });
});
