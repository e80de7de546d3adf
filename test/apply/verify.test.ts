import { describe, expect, it } from "vitest";
import type { OperationStatus, Verification } from "../../src/apply/result.ts";
import { verify } from "../../src/apply/verify.ts";
import type { Change, Plan, Warning } from "../../src/plan/plan-format.ts";
import { changeOf, patch, planOf } from "./support/operations.ts";
import { SimulatedClock } from "../serve/support/simulated-clock.ts";

interface Verified extends Verification {
  readonly looks: number;
  readonly elapsed: number;
}

/** Verifies a run that wrote TLSEdge/api. */
async function verifying(
  plans: readonly Plan[],
  {
    status = "done",
    stopAtPause = 0,
    settleMs = 30_000,
    lookMs = 10,
    warnings = [],
  }: {
    readonly status?: OperationStatus;
    readonly stopAtPause?: number;
    readonly settleMs?: number;
    readonly lookMs?: number;
    readonly warnings?: readonly Warning[];
  } = {},
): Promise<Verified> {
  const clock = new SimulatedClock();
  const stop = new AbortController();
  let looks = 0;
  let pauses = 0;
  const { id, address, kind } = patch("op-1", "api", {});
  const operation = { id, address, kind, status, httpStatus: 200, resourceId: null, error: null };
  const found = await verify(
    { plan: planOf([patch("op-1", "api", {})], { changes: [api] }), report: { operations: [operation], warnings } },
    {
      replan: async () => {
        looks += 1;
        await clock.sleep(lookMs);
        return plans[Math.min(looks, plans.length) - 1] ?? empty;
      },
      settleMs,
      clock,
      signal: stop.signal,
      onPause: () => {
        pauses += 1;
        if (pauses === stopAtPause) stop.abort();
      },
    },
  );
  return { ...found, looks, elapsed: clock.elapsed };
}

const empty = planOf([]);
const api: Change = changeOf("TLSEdge/api", 1);
const pending = planOf([patch("op-1", "api", {})], { changes: [api] });

describe("planning again", () => {
  it("that gives nothing verifies, at the first look", async () => {
    expect(await verifying([empty])).toMatchObject({ verified: true, warnings: [], looks: 1 });
  });

  it("that gives changes names each with its fields", async () => {
    const { verified, warnings } = await verifying([pending]);
    expect(verified).toBe(false);
    expect(warnings).toEqual([
      {
        code: "not-converged",
        message: "TLSEdge/api is still to be changed (update: spec.hostports)",
        address: "TLSEdge/api",
      },
    ]);
  });

  it("that is refused for twins says so at once: they stay", async () => {
    const refusal = { code: "duplicate-marker", address: "TLSEdge/api", message: "m: 1, 2", remedy: "r" } as const;
    expect(await verifying([planOf([], { refusals: [refusal] })])).toMatchObject({
      verified: false,
      warnings: [{ code: "duplicate-marker", message: "m: 1, 2: r", address: "TLSEdge/api" }],
      looks: 1,
    });
  });
});

describe("lists that lag", () => {
  it("are looked at again until they show what was written", async () => {
    expect(await verifying([pending, pending, pending, empty])).toMatchObject({
      verified: true,
      warnings: [],
      looks: 4,
      // After half a second, a second, two seconds; each look takes 10 ms.
      elapsed: 3500 + 40,
    });
  });

  it("are believed in the end, not before all of the time has passed", async () => {
    const { verified, warnings, elapsed, looks } = await verifying([pending]);
    expect({ verified, codes: warnings.map(({ code }) => code) }).toEqual({
      verified: false,
      codes: ["not-converged"],
    });
    expect(elapsed).toBe(30_000 + 10);
    expect(looks).toBe(8);
    expect(await verifying([pending], { settleMs: 700 })).toMatchObject({ looks: 3 });
  });

  it("are not the reason when an updated resource is gone, or was given back what it released", async () => {
    const gone = planOf([], { changes: [{ ...api, action: "create" }] });
    expect(await verifying([gone])).toMatchObject({ verified: false, looks: 1 });
    const warnings = [{ code: "released-hostport-restored", message: "m", address: "TLSEdge/api" }] as const;
    expect(await verifying([pending], { warnings })).toMatchObject({ verified: false, looks: 1 });
  });

  it.each([
    ["another resource", planOf([], { changes: [api, changeOf("TLSEdge/b", 1)] })],
    ["another field of the same resource", planOf([], { changes: [otherField(api)] })],
    [
      "another refusal",
      planOf([], {
        changes: [api],
        refusals: [{ code: "address-in-use", address: "TLSEdge/b", message: "", remedy: "" }],
      }),
    ],
  ])("are not the reason when %s differs: nobody waits", async (_, plan) => {
    expect(await verifying([plan])).toMatchObject({ verified: false, looks: 1 });
  });

  it("are given up at a signal, with what was not seen", async () => {
    expect(await verifying([pending], { stopAtPause: 2 })).toMatchObject({
      verified: null,
      warnings: [{ code: "verify-interrupted", message: expect.stringContaining("TLSEdge/api") }],
      looks: 2,
      elapsed: 500 + 20,
    });
  });
});

function otherField(change: Change): Change {
  return { ...change, fields: change.fields.map((field) => ({ ...field, path: "spec.description" })) };
}
