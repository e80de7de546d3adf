import { describe, expect, it } from "vitest";
import type { StackPolicy } from "../../../../src/serve/fleet/fleet.ts";
import { minute, policy } from "../../../serve/support/looks.ts";
import { type FleetBeginnings, SimulatedFleet } from "./simulated-fleet.ts";

const hour = 60 * minute;

/** A fleet in which everything was made and is in sync. */
async function settled(begun: Omit<FleetBeginnings, "policy"> & { readonly policy?: StackPolicy }) {
  const fleet = new SimulatedFleet({ policy, ...begun });
  await fleet.run(2 * minute);
  expect(fleet.names().map((name) => fleet.shown(name))).toEqual(fleet.names().map(() => "synced"));
  fleet.account.requests.length = 0;
  fleet.looks.length = 0;
  return fleet;
}

function methods(fleet: SimulatedFleet): readonly string[] {
  return fleet.account.writes.map((write) => write.split(" ")[0] ?? "");
}

/** Nothing is there twice, nothing is missing, and all of it is what Git says. */
function expectAllInSync(fleet: SimulatedFleet, backends = 2): void {
  for (const name of fleet.names()) {
    expect(fleet.descriptions(name)).toEqual(Array.from({ length: backends }, () => `of ${name}`));
    expect(fleet.shown(name)).toBe("synced");
  }
  expect(fleet.account.problems()).toEqual([]);
}

describe("an outage of one's own eyes", () => {
  it("writes nothing while lists fail for an hour, looks first, and then heals what was changed meanwhile", async () => {
    const fleet = await settled({ stacks: 4 });
    fleet.account.trouble = ({ method }) => (method === "GET" ? { status: 500 } : null);
    fleet.after(20 * minute, () => fleet.editByHand("s1"));
    await fleet.run(hour);
    expect(fleet.account.writes).toEqual([]);
    expect(fleet.names().map((name) => fleet.shown(name))).toEqual(fleet.names().map(() => "failed"));
    fleet.account.trouble = () => null;
    const recovered = fleet.looks.length;
    await fleet.run(40 * minute);
    const looks = fleet.looks.slice(recovered).filter(({ stack, state }) => stack === "s1" && state !== "failed");
    expect(looks[0]).toMatchObject({ state: "waiting", reason: "brake" });
    expect(looks[1]).toMatchObject({ state: "synced" });
    expect(methods(fleet)).toEqual(["PATCH"]);
    expectAllInSync(fleet);
    expect(fleet.accountRecord).toMatchObject({ brake: null, blindSince: null });
  });

  it.each([
    ["all lists are empty", () => true],
    ["half of what is listed is missing", (id: string) => Number(id.slice(-1)) % 2 === 0],
  ])("makes nothing twice while %s for an hour", async (_title, hides) => {
    const fleet = await settled({ stacks: 8 });
    fleet.account.hides = hides;
    await fleet.run(hour);
    expect(fleet.account.writes).toEqual([]);
    expect(fleet.accountRecord?.brake).toMatchObject({ cause: "stacks" });
    fleet.account.hides = () => false;
    await fleet.run(40 * minute);
    expect(fleet.account.writes).toEqual([]);
    expectAllInSync(fleet);
    expect(fleet.accountRecord?.brake).toBeNull();
  });

  it.each([
    { stacks: 1, backends: 2, title: "one stack with two", hides: () => true },

    { stacks: 1, backends: 3, title: "one stack, of which one is hidden", hides: (id: string) => id.endsWith("1") },
  ])("makes nothing twice in $title, for however long the lists lie", async ({ hides, stacks, backends }) => {
    const fleet = await settled({ stacks, backends });
    fleet.account.hides = hides;
    await fleet.run(6 * hour);
    expect(fleet.account.writes).toEqual([]);
    const hidden = fleet.looks.filter(({ message }) => message.includes("but the service still has it"));
    expect(hidden.length).toBeGreaterThan(5);
    expect(new Set(fleet.looks.slice(stacks).map(({ reason, state }) => `${state}: ${reason}`))).toEqual(
      new Set(["waiting: brake"]),
    );
    // What was deleted meanwhile is made when it is gone, and nothing else.
    fleet.account.byHand("DELETE", fleet.pathOf("s0", "b0"));
    fleet.account.hides = () => false;
    await fleet.run(hour);
    expect(methods(fleet)).toEqual(["POST"]);
    expectAllInSync(fleet, backends);
  });
});

describe("a writer that fights", () => {
  it("is fought so often, then named and left alone, while others are healed; and it is over when it stops", async () => {
    const quick = { ...policy, intervalMs: 5 * minute };
    const fleet = await settled({ stacks: 6, policy: quick });
    fleet.every(minute, () => fleet.editByHand("s0", "b0", "mine"), 239);
    fleet.after(2 * hour, () => fleet.editByHand("s1", "b1"));
    fleet.after(3 * hour, () => fleet.editByHand("s0", "b1"));
    await fleet.run(4 * hour);
    const fought = fleet.pathOf("s0", "b0");
    const heals = fleet.account.writes.filter((write) => write.endsWith(fought));
    expect(heals).toHaveLength(3);
    const others = fleet.account.writes.filter((write) => !write.endsWith(fought));
    expect(others).toEqual([`PATCH ${fleet.pathOf("s1", "b1")}`, `PATCH ${fleet.pathOf("s0", "b1")}`]);
    expect(fleet.shown("s0")).toBe("waiting: brake");
    const [last] = fleet.looks.filter(({ stack }) => stack === "s0").toReversed();
    expect(last?.message).toContain("HTTPResponseBackend/b0: spec.description was put back 3 times within an hour");
    // It gives up, and sets what Git says.
    fleet.after(2 * minute, () => fleet.editByHand("s0", "b0", "of s0"));
    await fleet.run(20 * minute);
    expect(fleet.shown("s0")).toBe("synced");
    fleet.editByHand("s0", "b0", "once more");
    await fleet.run(6 * minute);
    expectAllInSync(fleet);
    expect(fleet.account.writes.filter((write) => write.endsWith(fought))).toHaveLength(4);
  });
});

describe("a script that changes most stacks", () => {
  const edited = ["s0", "s1", "s2", "s3", "s4", "s5"];
  const editAll = (fleet: SimulatedFleet): void => edited.forEach((name) => fleet.editByHand(name));

  it("is held, commits too, until the cause has been gone for an interval", async () => {
    const fleet = await settled({ stacks: 10 });
    editAll(fleet);
    await fleet.run(12 * minute);
    const healedFirst = fleet.account.writes.length;
    // Looks of one pass come together; before the brake no more than its limit can have been healed.
    expect(healedFirst).toBeLessThanOrEqual(2);
    expect(fleet.accountRecord?.brake?.cause).toBe("stacks");
    const manifest = "s9/manifests/b0.yaml";
    const head = "apiVersion: edgewise/v1\nkind: HTTPResponseBackend\nmetadata: {name: b0}\n";
    fleet.sources.edit("edge", { [manifest]: `${head}spec: {description: new, status_code: 503}\n` });
    await fleet.run(2 * hour);
    expect(fleet.account.writes).toHaveLength(healedFirst);
    expect(fleet.shown("s9")).toBe("waiting: brake");
    for (const name of edited) fleet.editByHand(name, "b0", `of ${name}`);
    await fleet.run(35 * minute);
    expect(fleet.accountRecord?.brake).toBeNull();
    expect(fleet.shown("s9")).toBe("synced");
    expect(fleet.account.writes).toHaveLength(healedFirst + 1);
  });

  it("is healed when the operator says so by its id, and only this once", async () => {
    const fleet = await settled({ stacks: 10 });
    editAll(fleet);
    await fleet.run(30 * minute);
    const id = fleet.accountRecord?.brake?.id ?? "";
    expect(fleet.looks.at(-1)?.message ?? "").toMatch(/live is what Git says|brake: \{release: \[stacks-/u);
    await fleet.changePolicy({ ...policy, brake: { ...policy.brake, release: [id] } });
    await fleet.run(15 * minute);
    expect(fleet.accountRecord?.brake).toBeNull();
    await fleet.run(15 * minute);
    expectAllInSync(fleet);
    await fleet.run(hour);
    editAll(fleet);
    await fleet.run(30 * minute);
    expect(fleet.accountRecord?.brake?.cause).toBe("stacks");
    expect(fleet.accountRecord?.brake?.id).not.toBe(id);
  });
});
