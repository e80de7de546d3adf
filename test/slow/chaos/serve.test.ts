import { describe, expect, it } from "vitest";
import { assertAllWell } from "./support/assert-all-well.ts";
import { noFigures } from "./support/figures.ts";
import { runKinds } from "./support/run-kinds.ts";
import { Agreements, type TrueChange, forbidden, surelyAllowed } from "./support/serve-truth.ts";
import { policy } from "../../serve/support/looks.ts";

// The same few fleets each time; `npm run chaos -- --kind serve` has time for thousands.
const runs = 5;

it("fleets among faults, people, pushes and kills: nothing is written that the table does not allow, and all is well in the end", async () => {
  const { applies, cuts, ends, met } = await assertAllWell("serve", runs);
  expect(applies).toBeGreaterThan(runs);
  expect(cuts["restart"]).toBeGreaterThan(0);
  expect(Object.keys(ends)).toEqual(expect.arrayContaining(["synced", "waiting: approval"]));
  expect(Object.keys(met).length).toBeGreaterThanOrEqual(12);
}, 300_000);

it("a seed gives the same afternoon every time", async () => {
  const [first, second] = [noFigures(), noFigures()];
  await runKinds["serve"]?.(4, first);
  await runKinds["serve"]?.(4, second);
  expect(first.requests).toBeGreaterThan(0);
  expect(second).toEqual(first);
});

describe("the judge of writes", () => {
  const address = "HTTPResponseBackend/b0";
  const git = { description: "of git", status_code: "200", body: "x" };
  const drifted: TrueChange = { stack: "s", address, git, live: { ...git, status_code: "404" } };
  const wire = { id: "bkdhr_1", description: "of git", status_code: 200, body: "x" };
  const apply = (commit: "never" | "cosmetic" | "routing", drift: "never" | "cosmetic" | "routing") => ({
    ...policy,
    apply: { commit, drift },
  });

  it("tells drift by what live and Git last agreed about", () => {
    const agreements = new Agreements();
    agreements.note("s", { [address]: git }, [{ stack: "s", address, wire }], true);
    expect(forbidden(drifted, apply("never", "routing"), agreements)).toBeNull();
    expect(forbidden(drifted, apply("routing", "cosmetic"), agreements)).toContain("origin drift");
    const committed = { ...drifted, git: { ...git, status_code: "503" }, live: git };
    expect(forbidden(committed, apply("routing", "never"), agreements)).toBeNull();
    expect(forbidden(committed, apply("cosmetic", "routing"), agreements)).toContain("origin commit");
  });

  it("allows no delete of what was never seen in sync, and is sure of no delete", () => {
    const agreements = new Agreements();
    const gone = { ...drifted, git: undefined };
    expect(forbidden(gone, apply("routing", "routing"), agreements)).toContain("a delete");
    agreements.note("s", { [address]: git }, [{ stack: "s", address, wire }], true);
    expect(forbidden(gone, apply("routing", "never"), agreements)).toBeNull();
    expect(surelyAllowed(gone, apply("routing", "routing"))).toBe(false);
  });
});
