import { describe, expect, it } from "vitest";
import { recordRestores } from "../../../src/serve/decide/brake.ts";
import { newStackMemory } from "../../../src/serve/records.ts";
import { type Difference, JudgedAccount, minute, planWith, policy } from "../support/looks.ts";

const drift: readonly Difference[] = [{ address: "TLSEdge/api" }];
const commit: readonly Difference[] = [{ address: "TLSEdge/api", origin: "commit" }];
const calm: readonly Difference[] = [];

function each(names: readonly string[], what: readonly Difference[]): { [stack: string]: readonly Difference[] } {
  return Object.fromEntries(names.map((name) => [name, what]));
}

function stackNames(count: number): string[] {
  return Array.from({ length: count }, (_, at) => `s${at}`);
}

describe("a heal of many stacks", () => {
  it.each([
    ["three of five are too many for 20 %: the least is two", 5, { percent: 20 }, 3, true],
    ["four of twenty pass with 20 %", 20, { percent: 20 }, 4, false],
    ["five are too many for a count of four", 20, { count: 4 }, 5, true],
    ["three are too many for a count of one, which counts as two", 20, { count: 1 }, 3, true],
  ])("%s", (_title, stacks, limit, wanting, stops) => {
    const account = new JudgedAccount(stacks, { ...policy, brake: { ...policy.brake, stacks: limit } });
    const verdicts = account.pass(each(stackNames(wanting), drift));
    expect(Object.values(verdicts).every((stopped) => (stopped !== null) === stops)).toBe(true);
    expect(account.record.brake?.cause ?? null).toBe(stops ? "stacks" : null);
  });

  it("counts within one interval, over several passes, and each stack once", () => {
    const account = new JudgedAccount(5, policy);
    for (let pass = 0; pass < 5; pass += 1) {
      expect(account.pass(each(["a", "b"], drift))).toEqual({ a: null, b: null });
      account.now += minute;
    }
    account.now += 4 * minute;
    expect(account.pass({ c: drift })["c"]).not.toBeNull();
    const other = new JudgedAccount(5, policy);
    other.pass(each(["a", "b"], drift));
    other.now += 10 * minute;
    expect(other.pass({ c: drift })).toEqual({ c: null });
  });

  it("counts neither what a commit changed, nor what the policy leaves to people, nor what nobody changed", () => {
    const account = new JudgedAccount(5, policy);
    account.pass({ ...each(["a", "b", "c"], commit), d: calm });
    expect(account.record).toMatchObject({ brake: null, heals: {} });
  });

  it("stops commits of every stack too, names itself, and says what to write", () => {
    const account = new JudgedAccount(5, policy);
    account.pass(each(["a", "b", "c"], drift));
    const { brake } = account.record;
    expect(brake?.message).toContain("3 of 5 stacks of account main drifted within 10 min, more than 2");
    expect(brake?.message).toContain("those of commits too");
    expect(brake?.message).toContain(`\`brake: {release: [${brake?.id ?? ""}]}\``);
    account.now += minute;
    expect(account.pass({ d: commit })["d"]).toBe(brake?.message);
    expect(account.record.brake?.id).toBe(brake?.id);
  });

  it("is over when no more than the limit wanted one for a full interval, not when nobody looked", () => {
    const account = new JudgedAccount(5, policy);
    account.pass(each(["a", "b", "c"], drift));
    account.now += 25 * minute;
    expect(account.pass({ d: drift })["d"]).not.toBeNull();
    account.now += minute;
    account.pass(each(["a", "b"], calm));
    account.now += 8 * minute;
    expect(account.pass({ c: drift })["c"]).not.toBeNull();
    account.now += minute;
    expect(account.pass({ c: drift })).toEqual({ c: null });
    expect(account.record.brake).toBeNull();
  });

  it("lets through what the operator released, and nothing that came later", () => {
    const account = new JudgedAccount(6, policy);
    account.pass(each(["a", "b", "c"], drift));
    const id = account.record.brake?.id ?? "";
    account.release(id);
    account.now += minute;
    expect(account.pass(each(["a", "b", "c"], drift))).toEqual({ a: null, b: null, c: null });
    account.now += minute;
    expect(account.pass(each(["d", "e"], drift))).toEqual({ d: null, e: null });
    expect(account.pass({ f: drift })["f"]).not.toBeNull();
    expect(account.record.brake?.id).not.toBe(id);
    const again = new JudgedAccount(6, policy);
    again.pass(each(["a", "b", "c"], drift));
    again.release(again.record.brake?.id ?? "");
    again.pass(each(["a", "b", "c"], drift));
    again.pass(each(["a", "b", "c"], calm));
    again.now += minute;
    expect(again.pass(each(["a", "b", "c"], drift))["a"]).not.toBeNull();
  });
});

describe("a look after a time without sight", () => {
  it("only looks, and heals at the next pass what still differs in the same way", () => {
    const account = new JudgedAccount(2, policy);
    account.pass({ a: calm, b: calm });
    account.now += 10 * minute;
    expect(account.pass({ a: calm }, { blind: "500" })["a"]).toContain("can't be read");
    expect(account.record.blindAt).toBe(account.now);
    account.now += 10 * minute;
    const found = [{ address: "TLSEdge/api" }, { address: "TLSEdge/web" }] as const;
    expect(account.pass({ a: found })["a"]).toContain("first look");
    expect(account.record).toMatchObject({ brake: { cause: "blind" } });
    account.now += 10 * minute;
    const then: readonly Difference[] = [
      { address: "TLSEdge/api" },
      { address: "TLSEdge/web", before: "something else" },
      { address: "TLSEdge/new" },
    ];
    expect(account.pass({ a: then })).toEqual({ a: null });
    expect(account.alone("a")).toEqual(["TLSEdge/web", "TLSEdge/new"]);
    account.now += 10 * minute;
    account.pass({ a: then.slice(1) });
    expect(account.alone("a")).toEqual([]);
  });

  it("holds commits only while something else differs", () => {
    const account = new JudgedAccount(3, policy);
    account.pass({ a: calm, b: calm, c: calm });
    account.pass({ a: calm }, { blind: "500" });
    account.now += minute;
    expect(account.pass({ a: commit })).toEqual({ a: null });
    expect(account.pass({ b: drift })["b"]).not.toBeNull();
    expect(account.pass({ c: commit })["c"]).not.toBeNull();
  });

  it("follows a time without Git in the same way, for the stacks of that source", () => {
    const account = new JudgedAccount(2, policy);
    account.pass({ a: calm, b: calm });
    account.now += 10 * minute;
    expect(account.pass({ a: drift }, { noGit: "timeout" })["a"]).toContain("timeout");
    account.now += 10 * minute;
    expect(account.pass({ a: drift, b: drift })).toEqual({ a: expect.any(String), b: null });
    account.now += 10 * minute;
    expect(account.pass({ a: drift })).toEqual({ a: null });
  });
});

describe("a field that somebody else writes", () => {
  const putBack = (account: JudgedAccount, stack: string): void => {
    const memory = account.memories.get(stack) ?? newStackMemory;
    const { changes } = planWith(drift);
    const origins = new Map([["TLSEdge/api", "drift"]] as const);
    const recorded = recordRestores(memory, changes, { origins, at: account.now });
    account.memories.set(stack, recordRestores(recorded, changes, { origins, at: account.now }));
  };

  it("is put back so often, then left alone and named, while others are healed", () => {
    const account = new JudgedAccount(5, policy);
    for (let heal = 0; heal < 3; heal += 1) {
      expect(account.pass({ a: drift })).toEqual({ a: null });
      expect(account.alone("a")).toEqual([]);
      putBack(account, "a");
      account.now += 5 * minute;
    }
    const both: readonly Difference[] = [...drift, { address: "TLSEdge/other" }];
    expect(account.pass({ a: both })).toEqual({ a: null });
    expect(account.alone("a")).toEqual(["TLSEdge/api"]);
    const why = account.last?.stacks.get("a")?.verdict.resources.get("TLSEdge/api");
    expect(why).toContain("TLSEdge/api: spec.description was put back 3 times within an hour");
    expect(why).toMatch(/`brake: \{release: \[writers-[0-9a-f]{12}\]\}`/);
    for (let hours = 0; hours < 5; hours += 1) {
      account.now += 60 * minute;
      account.pass({ a: drift });
      expect(account.alone("a")).toEqual(["TLSEdge/api"]);
    }
    account.now += 9 * minute;
    account.pass({ a: calm });
    account.pass({ a: drift });
    expect(account.alone("a")).toEqual(["TLSEdge/api"]);
    account.now += 10 * minute;
    account.pass({ a: calm });
    account.pass({ a: drift });
    expect(account.alone("a")).toEqual([]);
  });

  it("is put back again when the operator says so, with an id that is good for this once", () => {
    const account = new JudgedAccount(5, policy);
    const ids: string[] = [];
    for (let occurrence = 0; occurrence < 2; occurrence += 1) {
      for (let heal = 0; heal < 3; heal += 1) {
        account.pass({ a: drift });
        expect(account.alone("a")).toEqual([]);
        putBack(account, "a");
        account.now += minute;
      }
      account.pass({ a: drift });
      const why = account.last?.stacks.get("a")?.verdict.resources.get("TLSEdge/api") ?? "";
      ids.push(/writers-[0-9a-f]{12}/.exec(why)?.[0] ?? "");
      account.release(ids.at(-1) ?? "");
      account.now += minute;
    }
    expect(new Set(ids).size).toBe(2);
  });
});
