import { expect, it } from "vitest";
import { rememberBriefly } from "../../../src/serve/http/remember-briefly.ts";

it("makes a value at most once in a while, and keeps no failure", async () => {
  let now = 1000;
  let made = 0;
  let failing = false;
  const clock = { now: () => now, sleep: async () => undefined };
  const make = async () => {
    made += 1;
    await Promise.resolve();
    if (failing) throw new Error("lost");
    return made;
  };
  const remembered = rememberBriefly(make, 1000, clock);
  expect(await Promise.all([remembered(), remembered(), remembered()])).toEqual([1, 1, 1]);
  now += 999;
  expect(await remembered()).toBe(1);
  now += 1;
  expect(await remembered()).toBe(2);
  // The clock was set back: nobody knows how old it is.
  now -= 1;
  expect(await remembered()).toBe(3);
  now += 2000;
  failing = true;
  await expect(Promise.all([remembered(), remembered()])).rejects.toThrow("lost");
  failing = false;
  expect(await remembered()).toBe(5);
});
