import fc from "fast-check";
import { expect, it } from "vitest";
import { PriorityQueue } from "../../src/priority-queue.ts";
import { runs } from "../support/runs.ts";

it("gives the lowest of what it holds, whatever the order of adding and taking", () => {
  fc.assert(
    fc.property(fc.array(fc.option(fc.integer({ min: 0, max: 50 }))), (steps) => {
      const queue = new PriorityQueue<number>();
      const held: number[] = [];
      for (const step of steps) {
        if (step === null) expect(queue.take()).toBe(held.shift());
        else {
          queue.add(step, step);
          held.push(step);
          held.sort((a, b) => a - b);
        }
      }
      for (const expected of held) expect(queue.take()).toBe(expected);
      expect(queue.take()).toBeUndefined();
    }),
    runs(),
  );
});
