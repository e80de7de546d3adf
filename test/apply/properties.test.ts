import fc from "fast-check";
import { expect, it } from "vitest";
import type { ApplyReport } from "../../src/apply/result.ts";

import { isObject } from "../../src/core/json.ts";
import { readMarker } from "../../src/kinds/marker.ts";
import type { Operation, WaitReason } from "../../src/plan/plan-format.ts";
import { Bench } from "./support/bench.ts";
import type { Fault, Seen } from "./support/fake-service.ts";
import { create, patch, remove } from "./support/operations.ts";
import { runs } from "../support/runs.ts";

const reasons: readonly WaitReason[] = ["same", "use", "unuse", "free", "late", "last"];
const faults: readonly Fault[] = [
  "ok",
  "not-sent",
  { refuse: 403 },
  { refuse: 400 },
  { refuse: 404 },
  { lost: "done" },
  { lost: "not-done" },
  { lost: "done", status: 503 },
];

interface Case {
  readonly operations: readonly Operation[];
  /** What each try of each operation meets; then nothing more goes wrong. */
  readonly faults: readonly (readonly Fault[])[];
  readonly concurrency: number;
  /** After how many requests a signal comes, and which; null = never. */
  readonly cut: { readonly after: number; readonly signal: "soft" | "hard" } | null;
}

const someCase: fc.Arbitrary<Case> = fc.integer({ min: 1, max: 10 }).chain((count) =>
  fc.record({
    operations: fc.tuple(...Array.from({ length: count }, (_, index) => someOperation(index))),
    faults: fc.tuple(...Array.from({ length: count }, () => someFaults)),
    concurrency: fc.integer({ min: 1, max: 4 }),
    cut: fc.option(
      fc.record({
        after: fc.integer({ min: 0, max: count }),
        signal: fc.constantFrom("soft" as const, "hard" as const),
      }),
    ),
  }),
);

const someFaults = fc.oneof(
  { weight: 2, arbitrary: fc.constant<Fault[]>([]) },
  { weight: 1, arbitrary: fc.array(fc.constantFrom(...faults), { maxLength: 4 }) },
);

function someOperation(index: number): fc.Arbitrary<Operation> {
  const before = Array.from({ length: index }, (_, other) => other);
  const waits = fc
    .subarray(before, { maxLength: Math.min(3, index) })
    .chain((chosen) =>
      fc.tuple(...chosen.map((other) => fc.tuple(fc.constant(`op-${other}`), fc.constantFrom(...reasons)))),
    )
    .map((pairs) => Object.fromEntries(pairs));
  return fc.tuple(fc.nat(2), waits).map(([which, chosen]) => {
    const [id, name, extra] = [`op-${index}`, `n${index}`, { waits: chosen }];
    if (which === 0) return create(id, `HTTPResponseBackend/${name}`, {}, extra);
    return which === 1 ? patch(id, name, { description: "x" }, extra) : remove(id, name, extra);
  });
}

function indexOf(request: Pick<Seen, "method" | "path" | "body">): number {
  const marker = isObject(request.body) ? readMarker(request.body["metadata"]).marker : null;
  const name = request.method === "POST" ? (marker?.name ?? "") : request.path;
  return Number(/n(\d+)$/u.exec(name)?.[1]);
}

async function run(given: Case): Promise<{ readonly bench: Bench; readonly report: ApplyReport }> {
  const bench = new Bench();
  bench.deps = { ...bench.deps, concurrency: given.concurrency };
  bench.service.latency = (request) => 10 + 7 * (indexOf(request) % 3);
  bench.service.fault = (request) => {
    const index = indexOf(request);
    const tries = bench.service.seen.filter((seen) => indexOf(seen) === index).length;
    return given.faults[index]?.[tries - 1] ?? "ok";
  };
  const { cut } = given;
  const abort = (): void => (cut?.signal === "hard" ? bench.hard : bench.soft).abort();
  if (cut?.after === 0) abort();
  bench.service.onSend = () => {
    if (bench.service.seen.length === cut?.after) abort();
  };
  return { bench, report: await bench.apply(given.operations) };
}

it("every operation has one end, and tells the truth about it", async () => {
  await fc.assert(
    fc.asyncProperty(someCase, async (given) => {
      const { bench, report } = await run(given);
      expect(report.operations.map(({ id }) => id)).toEqual(given.operations.map(({ id }) => id));
      const ends = bench.events.filter(({ event }) => event === "operation-ended");
      expect(ends).toHaveLength(given.operations.length);
      for (const [index, { status, httpStatus }] of report.operations.entries()) {
        const seen = bench.service.seen.filter((request) => indexOf(request) === index);
        const really = seen.some(({ done }) => done);
        if (status === "done") expect(really || httpStatus === 404).toBe(true);
        if (status === "failed") expect(really).toBe(false);
        if (status === "skipped") expect(seen).toEqual([]);
      }
    }),
    runs(80),
  );
});

it("nothing begins before what it waits for has ended, nor when what it needs was not done", async () => {
  await fc.assert(
    fc.asyncProperty(someCase, async (given) => {
      const { bench, report } = await run(given);
      const status = new Map(report.operations.map((result) => [result.id, result.status]));
      const when = (event: string, id: string): number =>
        bench.events.findIndex((told) => told.event === event && "op" in told && told.op === id);
      for (const operation of given.operations) {
        const begun = when("operation-started", operation.id);
        const lost = operation.after.filter((id) => operation.waits[id] !== "last" && status.get(id) !== "done");
        if (begun >= 0) {
          expect(lost).toEqual([]);
          for (const id of operation.after) expect(when("operation-ended", id)).toBeLessThan(begun);
        } else if (given.cut === null) {
          expect(lost).not.toEqual([]);
        }
      }
    }),
    runs(80),
  );
});

it("no more are in flight than may be, nothing is made twice, and the outcome fits", async () => {
  await fc.assert(
    fc.asyncProperty(someCase, async (given) => {
      const { bench, report } = await run(given);
      expect(bench.service.mostInFlight).toBeLessThanOrEqual(given.concurrency);
      const names = [...bench.service.resources.values()].flatMap(
        (wire) => readMarker(wire["metadata"]).marker?.name ?? [],
      );
      expect(new Set(names).size).toBe(names.length);
      const changed = bench.service.seen.some(({ done }) => done);
      if (changed) expect(["applied", "partial"]).toContain(report.outcome);
      if (report.outcome === "applied") expect(report.operations.every(({ status }) => status === "done")).toBe(true);
      expect(bench.events.at(-1)).toMatchObject({ event: "run-ended", outcome: report.outcome });
    }),
    runs(80),
  );
});
