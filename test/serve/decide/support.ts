import type { Address } from "../../../src/kinds/names.ts";
import type { DecisionInput } from "../../../src/serve/decide/decide.ts";
import type { Change, Plan } from "../../../src/plan/plan-format.ts";
import type { ChangeOrigin } from "../../../src/serve/records.ts";
import type { StackPolicy } from "../../../src/serve/fleet/fleet.ts";
import { Account } from "../../plan/support/account.ts";

/** A Friday at noon, UTC. */
export const noon = Date.parse("2026-11-20T12:00:00Z");

export const open: StackPolicy = {
  intervalMs: 600_000,
  apply: { commit: "security", drift: "security" },
  windows: [],
  suspend: null,
  approvers: null,
  brake: { stacks: { percent: 20 }, deletesPerDay: 10, writers: 3, release: [] },
  deadlineMs: 900_000,
};

export const emptyPlan: Plan = new Account().plan([]);

export function planOf(changes: readonly Change[], more: Partial<Plan> = {}): Plan {
  return { ...emptyPlan, changes, ...more };
}

export function inputOf(plan: Plan, origin: ChangeOrigin, more: Partial<DecisionInput> = {}): DecisionInput {
  const addresses = plan.changes.map(({ address }) => address);
  return {
    plan,
    origins: new Map(addresses.map((address) => [address, origin])),
    closures: new Map(addresses.map((address) => [address, new Set<Address>([address])])),
    policy: open,
    now: noon,
    paused: false,
    deletes: [],
    brake: { stopped: null, resources: new Map() },
    ...more,
  };
}
