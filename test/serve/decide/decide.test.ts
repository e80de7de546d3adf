import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Impact, impacts } from "../../../src/kinds/impact.ts";
import { type Address, kindNames } from "../../../src/kinds/names.ts";
import type { Manifest } from "../../../src/manifest/manifest.ts";
import type { Action, Change, Plan } from "../../../src/plan/plan-format.ts";
import { Secret } from "../../../src/core/secret.ts";
import { decide, type Decision, type DecisionInput } from "../../../src/serve/decide/decide.ts";
import { planWithStates } from "../../../src/serve/decide/change-origins.ts";
import type { Autonomy, StackPolicy } from "../../../src/serve/fleet/fleet.ts";
import type { ChangeOrigin, WaitReason } from "../../../src/serve/records.ts";
import { Account, defaults, manifest } from "../../plan/support/account.ts";
import { backend, certificate, edge, loose, restriction, route } from "../../plan/support/manifests.ts";
import { runs } from "../../support/runs.ts";
import { allow, manifestsOf, worlds } from "../../support/worlds.ts";
import { windowsOf } from "../support/windows-of.ts";

/** A Friday at noon, UTC. */
const noon = Date.parse("2026-11-20T12:00:00Z");

const open: StackPolicy = {
  intervalMs: 600_000,
  apply: { commit: "security", drift: "security" },
  windows: [],
  suspend: null,
  approvers: null,
  brake: { stacks: { percent: 20 }, deletesPerDay: 10, writers: 3, release: [] },
  deadlineMs: 900_000,
};

const emptyPlan: Plan = new Account().plan([]);

function planOf(changes: readonly Change[], more: Partial<Plan> = {}): Plan {
  return { ...emptyPlan, changes, ...more };
}

function inputOf(plan: Plan, origin: ChangeOrigin, more: Partial<DecisionInput> = {}): DecisionInput {
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

const origins: readonly ChangeOrigin[] = ["commit", "drift", "both"];
const autonomies: readonly Autonomy[] = ["never", "none", "cosmetic", "routing", "security"];
const actions: readonly Action[] = ["create", "update", "replace", "delete", "adopt", "orphan"];

const passes: { readonly [A in Autonomy]: readonly Impact[] } = {
  never: [],
  none: ["none"],
  cosmetic: ["none", "cosmetic"],
  routing: ["none", "cosmetic", "routing"],
  security: ["none", "cosmetic", "routing", "security"],
};

function isUnasked(
  change: Pick<Change, "action" | "impact">,
  origin: ChangeOrigin,
  apply: StackPolicy["apply"],
): boolean {
  const removes = change.action === "delete" || change.action === "replace";
  const table: { readonly [O in ChangeOrigin]: boolean } = {
    commit: passes[apply.commit].includes(change.impact),
    drift: passes[apply.drift].includes(change.impact) && !removes,
    both: passes[apply.commit].includes(change.impact) && passes[apply.drift].includes(change.impact) && !removes,
  };
  return table[origin];
}

const obstacles: readonly { readonly reason: WaitReason; readonly put: (input: DecisionInput) => DecisionInput }[] = [
  { reason: "paused", put: (input) => ({ ...input, paused: true }) },
  {
    reason: "suspended",
    put: (input) => ({ ...input, policy: { ...input.policy, suspend: { until: null, reason: "audit" } } }),
  },
  {
    reason: "window",
    put: (input) => ({ ...input, policy: { ...input.policy, windows: windowsOf("sat 00:00-24:00 UTC") } }),
  },
  { reason: "brake", put: (input) => ({ ...input, brake: { ...input.brake, stopped: "too many stacks" } }) },
  {
    reason: "brake",
    put: (input) => ({
      ...input,
      brake: {
        ...input.brake,
        resources: new Map(input.plan.changes.map(({ address }) => [address, "somebody else"])),
      },
    }),
  },
  {
    reason: "approval",
    put: (input) => ({
      ...input,
      plan: {
        ...input.plan,
        changes: input.plan.changes.map((change) => ({
          ...change,
          fields: [
            {
              path: "spec.x",
              before: null,
              after: null,
              unavailable: ["env KEY"],
              impact: "none" as const,
              reason: null,
            },
          ],
        })),
      },
    }),
  },
];

function expectDecision(decision: Decision, change: Change, origin: ChangeOrigin, reason: WaitReason | null): void {
  const { address, impact } = change;
  expect(decision).toMatchObject({
    ...(reason === null
      ? { state: "pending", reason: null, apply: [address], held: [] }
      : { state: "waiting", reason, apply: [], held: [{ address, reason }] }),
    impact,
    changes: { commit: 0, drift: 0, both: 0, [origin]: 1 },
  });
  expect(decision.message).not.toBe("");
  for (const { message } of decision.held) expect(message.length).toBeGreaterThan(10);
}

const sample: Change = {
  address: "TLSEdge/x",
  action: "update",
  id: "x_1",
  source: { file: "edge/x.yaml", line: 1 },
  fields: [],
  impact: "none",
  reason: null,
  origin: null,
  notes: [],
};

describe("one change", () => {
  const all = origins.flatMap((origin) => actions.map((action) => [origin, action] as const));

  it.each(all)(
    "of origin %s that is a %s is carried out exactly where the policies let its impact pass",
    (origin, action) => {
      for (const kind of kindNames) {
        for (const impact of impacts) {
          const change: Change = { ...sample, address: `${kind}/x`, action, impact };
          for (const commit of autonomies) {
            for (const drift of autonomies) {
              const policy = { ...open, apply: { commit, drift } };
              const reason = isUnasked(change, origin, policy.apply) ? null : "approval";
              expectDecision(decide(inputOf(planOf([change]), origin, { policy })), change, origin, reason);
            }
          }
        }
      }
    },
  );

  it.each(all)("of origin %s that is a %s waits for the gravest of what stands in its way", (origin, action) => {
    for (const impact of impacts) {
      const change: Change = { ...sample, action, impact };
      for (let chosen = 1; chosen < 2 ** obstacles.length; chosen += 1) {
        const put = obstacles.filter((_, at) => ((chosen >> at) & 1) === 1);
        const input = put.reduce<DecisionInput>(
          (made, obstacle) => obstacle.put(made),
          inputOf(planOf([change]), origin),
        );
        for (const approved of [new Set<Address>(), new Set([change.address])])
          expectDecision(decide({ ...input, approved }), change, origin, put[0]?.reason ?? null);
      }
    }
  });

  it("is applied although it is never done unasked, once it was approved", () => {
    const plan = planOf([{ ...sample, action: "delete", impact: "irreversible" }]);
    const { address } = sample;
    const approved = decide(inputOf(plan, "drift", { approved: new Set([address]) }));
    expect(approved).toMatchObject({ state: "pending", apply: [address], unapproved: [] });
    expect(decide(inputOf(plan, "drift"))).toMatchObject({ reason: "approval", apply: [], unapproved: [address] });
  });
});

const real: readonly (readonly [Address, Action, Impact, readonly Manifest[], readonly Manifest[]])[] = [
  ["TLSEdge/e", "update", "cosmetic", [edge("e", { description: "a" })], [edge("e", { description: "b" })]],
  ["TLSEdge/e", "delete", "routing", [edge("e")], []],
  ["ReservedAddress/a", "replace", "irreversible", [loose("a", { region: "us" })], [loose("a", { region: "eu" })]],
  ["ReservedAddress/a", "delete", "irreversible", [loose("a")], []],
  ["TLSCertificate/c", "replace", "security", [certificate("c", "A")], [certificate("c", "B")]],
  ["HTTPSEdgeRoute/r", "update", "routing", [], [route("r", { traffic_policy: { value: "{}" } })]],
];

function realPlan(before: readonly Manifest[], after: readonly Manifest[]): Plan {
  const account = new Account();
  account.watch("HTTPSEdgeRoute", "edghtr_1", "/edges/https/edghts_1/routes/edghtr_1");
  account.apply(before);
  const made = account.plan(after, { allow: ["ReservedAddress/a"], allowEmpty: true });
  expect(made.refusals).toEqual([]);
  return made;
}

describe("a change that the planner made", () => {
  it.each(real)(
    "of %s, a %s of impact %s, is carried out as the table says",
    (which, action, impact, before, after) => {
      const plan = realPlan(before, after);
      expect(plan.changes).toMatchObject([{ address: which, action, impact }]);
      const [change = sample] = plan.changes;
      for (const origin of origins) {
        for (const commit of autonomies) {
          for (const drift of autonomies) {
            const policy = { ...open, apply: { commit, drift } };
            const reason = isUnasked(change, origin, policy.apply) ? null : "approval";
            expectDecision(decide(inputOf(plan, origin, { policy })), change, origin, reason);
          }
        }
      }
    },
  );

  it("waits for a secret that can't be read when it has to send it, and for no other", () => {
    const missing = Secret.unavailable("file keys/c.pem", "there is no such file");
    const made = realPlan([], [certificate("c", "A", {}, { private_key_pem: missing })]);
    const waiting = decide(inputOf(made, "commit"));
    expect(waiting).toMatchObject({ state: "waiting", reason: "approval", held: [{ reason: "approval" }] });
    expect(waiting.held[0]?.message).toContain("file keys/c.pem");
    const before = certificate("c", "A");
    const after = certificate("c", "A", {}, { private_key_pem: missing, description: "another" });
    expect(decide(inputOf(realPlan([before], [after]), "commit"))).toMatchObject({ state: "pending" });
  });

  it("waits for a secret of a module that is sent as a whole, though the secret is no difference", () => {
    const account = new Account();
    account.watch("HTTPSEdgeRoute", "edghtr_1", "/edges/https/edghts_1/routes/edghtr_1");
    const hook = (provider: string, secret: Secret): Manifest =>
      route("r", { webhook_verification: { provider, secret } });
    account.apply([hook("GITHUB", Secret.of("s", "env HOOK"))]);
    const missing = Secret.unavailable("env HOOK", "it is not set");
    const changed = account.plan([hook("SLACK", missing)]);
    expect(decide(inputOf(changed, "commit")).held).toMatchObject([{ reason: "approval" }]);
    const unchanged = account.plan([hook("GITHUB", missing)]);
    expect(unchanged.changes).toEqual([]);
    expect(decide(inputOf(unchanged, "commit"))).toMatchObject({
      state: "synced",
      message: "live matches Git; 1 secret can't be compared",
    });
  });
});

describe("a whole plan", () => {
  it("is synced when it has no changes, whatever stands in the way of writes", () => {
    const input = inputOf(emptyPlan, "commit", { paused: true });
    expect(decide(input)).toEqual({
      state: "synced",
      reason: null,
      message: "live matches Git",
      apply: [],
      held: [],
      unapproved: [],
      impact: "none",
      changes: { commit: 0, drift: 0, both: 0 },
    });
  });

  it("is refused as a whole by any guard, before anything else counts", () => {
    const account = new Account();
    account.apply([manifest("ReservedAddress", "a", {}), backend("b")]);
    const plan = account.plan([backend("b", { status_code: 200 })]);
    expect(plan.refusals).not.toEqual([]);
    for (const more of [{}, { paused: true }, { approved: new Set(plan.changes.map(({ address }) => address)) }]) {
      const decision = decide(inputOf(plan, "commit", more));
      expect(decision).toMatchObject({ state: "refused", reason: null, apply: [], held: [], impact: "irreversible" });
      expect(decision.message).toContain("deletion-protected ReservedAddress/a: ");
      expect(decision.message).toContain("serve has no flags: a commit may set `guards`");
    }
  });

  it("is refused when it would delete more than may be deleted within 24 hours, replacements counted", () => {
    const account = new Account();
    account.apply([backend("one"), backend("two"), restriction("r")]);
    const plan = account.plan([restriction("r", { type: "endpoints" })], { maxDeletes: { count: 10 } });
    expect(plan.refusals).toEqual([]);
    const hour = 3_600_000;
    const judged = (deletes: readonly number[], deletesPerDay: number): Decision =>
      decide(inputOf(plan, "commit", { deletes, policy: { ...open, brake: { ...open.brake, deletesPerDay } } }));
    expect(judged([], 3)).toMatchObject({ state: "pending" });
    expect(judged([], 2)).toMatchObject({ state: "refused", apply: [] });
    expect(judged([], 2).message).toContain("3 resources would be deleted, and brake.deletesPerDay is 2");
    expect(judged([noon - 24 * hour, noon - 30 * hour], 3)).toMatchObject({ state: "pending" });
    // What another stack still refers to is not deleted, so it does not count.
    const [address] = plan.operations.flatMap((one) => (one.kind === "delete" ? [one.address] : []));
    const held = {
      code: "still-referenced",
      message: "b refers to it",
      remedy: "wait",
      stacks: ["b"],
      address: address ?? "TLSEdge/none",
    } as const;
    const lessHeld = inputOf({ ...plan, refusals: [held] }, "commit", {
      policy: { ...open, brake: { ...open.brake, deletesPerDay: 2 } },
    });
    expect(decide(lessHeld).state).not.toBe("refused");
    const fits = judged([noon - 23 * hour, noon - hour, noon - 2 * hour], 5);
    expect(fits).toMatchObject({ state: "refused" });
    expect(fits.message).toContain("with 3 in the last 24 hours");
    // Somebody set the clock back: what was deleted "later" was deleted.
    expect(judged([noon + hour], 3)).toMatchObject({ state: "refused" });
    const quiet = account.plan([backend("one"), backend("two", { status_code: 200 }), restriction("r")]);
    expect(decide(inputOf(quiet, "commit", { deletes: Array.from({ length: 50 }, () => noon) }))).toMatchObject({
      state: "pending",
    });
  });

  it("is suspended until the time that is given, and no longer", () => {
    const plan = realPlan([], [backend("b")]);
    const at = (until: number | null): Decision =>
      decide(inputOf(plan, "commit", { policy: { ...open, suspend: { until, reason: "audit" } } }));
    expect(at(noon + 1).message).toContain("the stack is suspended until 2026-11-20T12:00:00.001Z: audit");
    expect(at(null)).toMatchObject({ state: "waiting", reason: "suspended" });
    expect(at(noon)).toMatchObject({ state: "pending" });
  });

  it("says when the next window opens", () => {
    const plan = realPlan([], [backend("b")]);
    const within = (...windows: readonly string[]): Decision =>
      decide(inputOf(plan, "commit", { policy: { ...open, windows: windowsOf(...windows) } }));
    expect(within("fri 11:00-13:00 UTC")).toMatchObject({ state: "pending" });
    expect(within("sat 07:00-17:00 Europe/Berlin").message).toContain("the next one opens at 2026-11-21T06:00:00.000Z");
    expect(within("sat 07:00-17:00 UTC", "fri 11:00-13:00 UTC")).toMatchObject({ state: "pending" });
  });

  it("holds who needs what is held, and says so", () => {
    const account = new Account();
    account.apply([edge("e"), backend("other")]);
    const using = edge("e", { backend: { backend: { name: "b" } } });
    const { plan, closures } = planWithStates(
      [using, backend("b"), backend("other", { description: "x" })],
      account.live(),
      { ...defaults },
    );
    const decision = decide({
      ...inputOf(plan, "commit"),
      closures,
      brake: { stopped: null, resources: new Map([["HTTPResponseBackend/b", "somebody else writes it"]]) },
    });
    expect(decision).toMatchObject({ state: "pending", apply: ["HTTPResponseBackend/other"] });
    expect(decision.held).toEqual([
      {
        address: "TLSEdge/e",
        reason: "brake",
        message: "it goes along with HTTPResponseBackend/b, which is held",
        along: "HTTPResponseBackend/b",
      },
      { address: "HTTPResponseBackend/b", reason: "brake", message: "somebody else writes it" },
    ]);
    expect(decision.message).toContain("2 changes wait (brake): HTTPResponseBackend/b: somebody else writes it");
  });

  it("lets no edge give up a hostport whose taker is held", () => {
    const account = new Account();
    account.apply([edge("a", { hostports: ["a.example.com:443", "p.example.com:443"] }), edge("b")]);
    const desired = [edge("a"), edge("b", { hostports: ["b.example.com:443", "p.example.com:443"] })];
    const { plan, closures } = planWithStates(desired, account.live(), defaults);
    const decision = decide({
      ...inputOf(plan, "commit"),
      closures,
      brake: { stopped: null, resources: new Map([["TLSEdge/b", "somebody else writes it"]]) },
    });
    expect(decision).toMatchObject({ state: "waiting", reason: "brake", apply: [] });
  });

  it("is divided into the largest part that can be applied alone, and the rest", () => {
    fc.assert(
      fc.property(
        worlds,
        worlds,
        fc.infiniteStream(fc.constantFrom(...origins)),
        fc.constantFrom(...autonomies),
        fc.constantFrom(...autonomies),
        (from, to, stream, commit, drift) => {
          const moduleEndpoints = ["backend", "ip_restriction"] as const;
          const account = new Account({ moduleEndpoints, deleteReferenced: "refuse" });
          const options = { ...defaults, moduleEndpoints, allow, maxDeletes: { count: 1000 }, allowEmpty: true };
          account.run(account.plan(manifestsOf(from), options));
          const desired = manifestsOf(to);
          const { plan, closures } = planWithStates(desired, account.live(), options);
          const told = new Map(plan.changes.map(({ address }) => [address, stream.next().value ?? "both"]));
          const addresses = plan.changes.map(({ address }) => address);
          const policy = { ...open, apply: { commit, drift }, brake: { ...open.brake, deletesPerDay: 1000 } };
          const decision = decide({ ...inputOf(plan, "both"), origins: told, closures, policy });
          const held = decision.held.map(({ address }) => address);
          expect([...decision.apply, ...held].toSorted()).toEqual(addresses.toSorted());
          const forbidden = plan.changes
            .filter((change) => !isUnasked(change, told.get(change.address) ?? "both", policy.apply))
            .map(({ address }) => address);
          for (const address of forbidden) expect(held).toContain(address);
          for (const address of decision.apply)
            for (const other of closures.get(address) ?? []) expect(held).not.toContain(other);
          if (forbidden.length === 0) expect(held).toEqual([]);
          if (decision.apply.length === 0) return;
          const part = account.plan(desired, { ...options, only: decision.apply });
          expect(part).toMatchObject({ refusals: [], rehearsal: { converges: true } });
          expect(part.changes.map(({ address }) => address)).toEqual(decision.apply);
          for (const change of part.changes)
            expect(isUnasked(change, told.get(change.address) ?? "both", policy.apply)).toBe(true);
          expect(account.run(part).troubles).toEqual([]);
        },
      ),
      runs(30),
    );
  });
});
