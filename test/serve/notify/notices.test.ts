import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type Told,
  accountTelling,
  healTelling,
  nothingTold,
  stackTelling,
  toldAfter,
} from "../../../src/serve/notify/notices.ts";
import { type StackStatus, stackStates, waitReasons } from "../../../src/serve/records.ts";
import { stackOf } from "../http/fake-view.ts";
import { runs } from "../../support/runs.ts";

function statusOf(changes: Partial<StackStatus>): StackStatus {
  return stackOf("prod", { lookedAt: 5, ...changes }).record.status;
}

/** What is told while a stack goes through states, one after the other. */
function toldOf(all: readonly Partial<StackStatus>[], from: Told = nothingTold): readonly string[] {
  let told = from;
  return all.flatMap((changes) => {
    const next = stackTelling(statusOf(changes), told, false);
    told = next.told;
    return next.notices.map(({ event, since }) => `${event}@${since}`);
  });
}

const drifted = { changes: { commit: 0, drift: 1, both: 0 } };

describe("what is told of a stack", () => {
  it.each<[string, readonly Partial<StackStatus>[], readonly string[]]>([
    [
      "nothing while all is well",
      [{ state: "unknown" }, { state: "pending", since: 1 }, { state: "synced", since: 2 }],
      [],
    ],
    [
      "a failure once, and its end",
      [
        { state: "failed", since: 1 },
        { state: "failed", since: 1, message: "another" },
        { state: "synced", since: 9 },
        { state: "synced", since: 9 },
      ],
      ["failed@1", "recovered@9"],
    ],

    [
      "no recovery while it is only tried again, and the end of it once that is known",
      [
        { state: "failed", since: 1 },
        { state: "pending", since: 2 },
        { state: "failed", since: 1 },
        { state: "pending", since: 3 },
        { state: "synced", since: 4 },
      ],
      ["failed@1", "recovered@4"],
    ],

    [
      "an orphan, which did not recover",
      [
        { state: "failed", since: 1 },
        { state: "orphaned", since: 2 },
      ],
      ["failed@1", "orphaned@2"],
    ],
    ["a brake of its own", [{ state: "waiting", reason: "brake", since: 1 }], ["braked@1"]],
    [
      "drift once while it lasts, and again when it comes back",
      [{ ...drifted }, { ...drifted, lookedAt: 6 }, {}, { ...drifted, lookedAt: 8 }],
      ["drift@5", "drift@8"],
    ],
  ])("is %s", (_, all, expected) => {
    expect(toldOf(all)).toEqual(expected);
  });

  it("leaves a brake of the account to the account", () => {
    expect(stackTelling(statusOf({ state: "waiting", reason: "brake" }), nothingTold, true).notices).toEqual([]);
    const { notices, told } = accountTelling({ since: 3 }, nothingTold);
    expect(notices).toEqual([{ event: "braked", since: 3 }]);
    expect(accountTelling({ since: 3 }, told).notices).toEqual([]);
    expect(accountTelling(null, told).told).toEqual(nothingTold);
  });

  it("tells of drift that is put back at once, and not again when it is", () => {
    const { notices, told } = healTelling(nothingTold, 7);
    expect(notices).toEqual([{ event: "drift", since: 7 }]);
    expect(healTelling(told, 8).notices).toEqual([]);
    expect(stackTelling(statusOf({}), told, false)).toEqual({ notices: [], told: nothingTold });
  });

  it("goes on with the rest when a part of it was told", () => {
    const status = statusOf({ ...drifted, state: "waiting", reason: "approval", since: 4 });
    const all = stackTelling(status, { event: "failed", since: 1, drift: 0 }, false).notices;
    expect(all.map(({ event }) => event)).toEqual(["drift", "recovered", "waiting"]);
    let told: Told = { event: "failed", since: 1, drift: 0 };
    for (const [at, notice] of all.entries()) {
      told = toldAfter(told, notice);
      expect(stackTelling(status, told, false).notices).toEqual(all.slice(at + 1));
    }
  });

  it("says nothing twice, whatever happens", () => {
    const status = fc.record({
      state: fc.constantFrom(...stackStates),
      reason: fc.constantFrom(...waitReasons),
      drift: fc.integer({ min: 0, max: 1 }),
    });
    fc.assert(
      fc.property(fc.array(status, { maxLength: 30 }), (all) => {
        let before = "";
        let since = 0;
        const changes = all.map(({ state, reason, drift }, at): Partial<StackStatus> => {
          if (before !== `${state} ${reason}`) since = at + 1;
          before = `${state} ${reason}`;
          return { state, reason, since, lookedAt: at + 1, changes: { commit: 0, drift, both: 0 } };
        });
        const told = toldOf(changes);
        expect(new Set(told).size).toBe(told.length);
        // A look that finds the same says nothing.
        expect(toldOf(changes.flatMap((each) => [each, each]))).toEqual(told);
      }),
      runs(),
    );
  });
});
