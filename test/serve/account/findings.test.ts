import { describe, expect, it } from "vitest";
import { decideStack } from "../../../src/serve/account/decide-stack.ts";
import { fromDecision } from "../../../src/serve/account/findings.ts";
import { noBrake } from "../../../src/serve/decisions/brake.ts";
import { newStackMemory } from "../../../src/serve/records.ts";
import { emptyPlan } from "../decisions/support.ts";
import { entryWith, targetOf } from "../fleet/fleet-data.ts";
import { policy } from "./support/stage.ts";

describe("what a pass found", () => {
  it("counts secrets that can't be compared as its message does: one that a resource uses twice is one", () => {
    const [address, other] = ["TLSEdge/api", "TLSEdge/www"] as const;
    const source = "env KEY";
    const plan = {
      ...emptyPlan,
      unavailableSecrets: [
        { address, source },
        { address, source },
        { address: other, source },
      ],
    };
    const sight = { plan, states: new Map(), origins: new Map(), closures: new Map(), sources: {}, began: 1 };
    const memory = newStackMemory;
    const decision = decideStack(sight, { policy, memory, paused: false, brake: noBrake, now: 1 });
    const due = { target: targetOf(entryWith()), record: null, commit: null, unfollowed: null };
    const { differs, message, state } = fromDecision({ due, marker: "edge", sight, memory }, decision);
    expect([state, message, differs?.uncomparedSecrets]).toEqual([
      "synced",
      "live is what Git says; 2 secrets can't be compared",
      2,
    ]);
  });
});
