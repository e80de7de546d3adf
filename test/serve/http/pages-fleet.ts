import type { HistoryEntry } from "../../../src/serve/records.ts";
import { samplePlan } from "../../report/sample-plan.ts";
import { type FakeFleet, commit, fakeFleet, stackOf } from "./fake-view.ts";

const minute = 60_000;
export const digest = "3f9a".repeat(16);

export function fleetForPages(): FakeFleet {
  const fleet = fakeFleet([
    stackOf("prod", {
      state: "waiting",
      reason: "approval",
      message:
        "2 changes wait for an approval: their impact is security, and a commit may change up to routing unasked",
      digest,
      impact: "security",
      changes: { commit: 2, drift: 1, both: 0 },
      since: Date.now() - 42 * minute,
    }),
    stackOf("staging"),
    stackOf("preview", {
      state: "pending",
      impact: "routing",
      changes: { commit: 1, drift: 0, both: 0 },
      message: "1 change is on its way",
    }),
    stackOf("tenants/acme", { state: "failed", message: "edge/api.yaml:12:7: unknown field hostnam" }),
    stackOf("tenants/globex", {
      state: "waiting",
      reason: "window",
      impact: "routing",
      changes: { commit: 0, drift: 3, both: 0 },
      message: "it waits for its next window, which opens on 2026-11-23 at 07:00",
    }),
    stackOf("tenants/initech", {
      state: "refused",
      impact: "irreversible",
      changes: { commit: 9, drift: 0, both: 0 },
      message: "9 of 12 resources would be deleted, more than maxDeletes allows (20 %)",
    }),
    stackOf("old", { lookedAt: Date.now() - 31 * minute }),
    stackOf("gone", { state: "orphaned", message: "nothing describes it any more" }),
  ]);
  fleet.plans.set("prod", samplePlan());
  fleet.entries.set("prod", [
    entryOf("state", "waiting", "2 changes wait for an approval"),
    { ...entryOf("apply", "applied", "applied 3 operations, and verified"), impact: "routing" },
    entryOf("state", "synced", ""),
  ]);
  return fleet;
}

function entryOf(event: string, outcome: string, message: string): HistoryEntry {
  const at = "2026-11-21T08:00:05.000Z";
  return { at, stack: "prod", commit, event, outcome, impact: "none", operations: [], approval: null, message };
}
