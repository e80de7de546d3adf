import { describe, expect, it } from "vitest";
import { Stage, backend, collection, everything, minute } from "../support/stage.ts";

const hour = 60 * minute;

class Fleet extends Stage {
  readonly names: readonly string[];
  readonly backends: readonly string[];

  constructor({ stacks, backends = 2 }: { readonly stacks: number; readonly backends?: number }) {
    super();
    this.names = Array.from({ length: stacks }, (_, at) => `s${at}`);
    this.backends = Array.from({ length: backends }, (_, at) => `b${at}`);
    this.file["defaults"] = { ...everything };
    for (const name of this.names)
      this.add(name, Object.fromEntries(this.backends.map((one) => [`${one}.yaml`, backend(one, `of ${name}`)])));
  }

  owned(stack: string) {
    return this.service
      .lists()
      .HTTPResponseBackend.filter(({ metadata }) => String(metadata).includes(`"stack":"${stack}"`));
  }

  at(stack: string, name = "b0"): string {
    const found = this.owned(stack).find(({ metadata }) => String(metadata).includes(`"${name}"`));
    return `${collection}/${String(found?.["id"])}`;
  }

  editByHand(stack: string, name = "b0", description = "by hand"): void {
    this.service.byHand("PATCH", this.at(stack, name), { description });
  }

  methods(): readonly string[] {
    return this.service.writes.map((write) => write.split(" ")[0] ?? "");
  }

  every(ms: number, what: () => void, times = 1): void {
    if (times > 0)
      void this.clock.sleep(ms).then(() => {
        what();
        this.every(ms, what, times - 1);
      });
  }
}

/** Nothing is there twice, nothing is missing, and all of it is what Git says. */
async function expectAllInSync(fleet: Fleet): Promise<void> {
  for (const name of fleet.names)
    expect(fleet.owned(name).map(({ description }) => description)).toEqual(fleet.backends.map(() => `of ${name}`));
  expect(new Set(await fleet.states(...fleet.names))).toEqual(new Set(["synced"]));
  expect(fleet.service.problems()).toEqual([]);
}

async function settled(begun: ConstructorParameters<typeof Fleet>[0]): Promise<Fleet> {
  const fleet = new Fleet(begun);
  await fleet.run(2 * minute);
  await expectAllInSync(fleet);
  fleet.service.requests.length = 0;
  fleet.events.splice(0);
  return fleet;
}

const statesOf = (fleet: Fleet, stack: string): readonly string[] =>
  fleet.named("stack-looked").flatMap((one) => (one.stack === stack ? `${one.state}: ${one.reason}` : []));

describe("an outage of one's own eyes", () => {
  it("writes nothing while lists fail for an hour, looks first, and then heals what was changed meanwhile", async () => {
    const fleet = await settled({ stacks: 4 });
    fleet.service.trouble = ({ method }) => (method === "GET" ? { status: 500 } : null);
    fleet.every(20 * minute, () => fleet.editByHand("s1"));
    await fleet.run(hour);
    expect(fleet.service.writes).toEqual([]);
    expect(new Set(await fleet.states(...fleet.names))).toEqual(new Set(["failed"]));
    fleet.service.trouble = () => null;
    fleet.events.splice(0);
    await fleet.run(40 * minute);
    const looks = statesOf(fleet, "s1").filter((state) => !state.startsWith("failed"));
    expect(looks.slice(0, 2)).toEqual(["waiting: brake", "synced: null"]);
    expect(fleet.methods()).toEqual(["PATCH"]);
    await expectAllInSync(fleet);
  });

  it.each([
    ["all lists are empty", () => true],
    ["half of what is listed is missing", (id: string) => Number(id.slice(-1)) % 2 === 0],
  ])("makes nothing twice while %s for an hour", async (_title, hides) => {
    const fleet = await settled({ stacks: 8 });
    fleet.service.hides = hides;
    await fleet.run(hour);
    expect(fleet.service.writes).toEqual([]);
    expect((await fleet.account())?.brake).toMatchObject({ cause: "stacks" });
    fleet.service.hides = () => false;
    await fleet.run(40 * minute);
    expect(fleet.service.writes).toEqual([]);
    await expectAllInSync(fleet);
    expect((await fleet.account())?.brake).toBeNull();
  });

  it.each([
    { stacks: 1, backends: 2, title: "one stack with two", hides: () => true },

    { stacks: 1, backends: 3, title: "one stack, of which one is hidden", hides: (id: string) => id.endsWith("1") },
  ])("makes nothing twice in $title, for however long the lists lie", async ({ hides, stacks, backends }) => {
    const fleet = await settled({ stacks, backends });
    fleet.service.hides = hides;
    await fleet.run(6 * hour);
    expect(fleet.service.writes).toEqual([]);
    expect(new Set(statesOf(fleet, "s0"))).toEqual(new Set(["waiting: brake"]));
    fleet.service.byHand("DELETE", fleet.at("s0", "b0"));
    fleet.service.hides = () => false;
    await fleet.run(hour);
    expect(fleet.methods()).toEqual(["POST"]);
    await expectAllInSync(fleet);
  });
});

describe("a writer that fights", () => {
  it("is fought so often, then named and left alone, while others are healed; and it is over when it stops", async () => {
    const fleet = await settled({ stacks: 6 });
    fleet.file["defaults"] = { ...everything, interval: "5m" };
    await fleet.reload();
    fleet.every(minute, () => fleet.editByHand("s0", "b0", "mine"), 239);
    fleet.every(2 * hour, () => fleet.editByHand("s1", "b1"));
    fleet.every(3 * hour, () => fleet.editByHand("s0", "b1"));
    await fleet.run(4 * hour);
    const fought = fleet.at("s0", "b0");
    const heals = fleet.service.writes.filter((write) => write.endsWith(fought));
    expect(heals).toHaveLength(3);
    const others = fleet.service.writes.filter((write) => !write.endsWith(fought));
    expect(others).toEqual([`PATCH ${fleet.at("s1", "b1")}`, `PATCH ${fleet.at("s0", "b1")}`]);
    expect(await fleet.state("s0")).toBe("waiting: brake");
    expect((await fleet.status("s0")).message).toContain(
      "HTTPResponseBackend/b0: spec.description was put back 3 times within an hour",
    );
    fleet.every(2 * minute, () => fleet.editByHand("s0", "b0", "of s0"));
    await fleet.run(20 * minute);
    expect(await fleet.state("s0")).toBe("synced");
    fleet.editByHand("s0", "b0", "once more");
    await fleet.run(6 * minute);
    await expectAllInSync(fleet);
    expect(fleet.service.writes.filter((write) => write.endsWith(fought))).toHaveLength(4);
  });
});

describe("a script that changes most stacks", () => {
  const edited = ["s0", "s1", "s2", "s3", "s4", "s5"];
  const editAll = (fleet: Fleet): void => edited.forEach((name) => fleet.editByHand(name));

  it("is held, commits too, until the cause has been gone for an interval", async () => {
    const fleet = await settled({ stacks: 10 });
    editAll(fleet);
    await fleet.run(12 * minute);
    const healedFirst = fleet.service.writes.length;
    // Looks of one pass come together; before the brake no more than its limit can have been healed.
    expect(healedFirst).toBeLessThanOrEqual(2);
    expect((await fleet.account())?.brake?.cause).toBe("stacks");
    fleet.commit({ "s9/m/b0.yaml": backend("b0", "new") });
    await fleet.run(2 * hour);
    expect(fleet.service.writes).toHaveLength(healedFirst);
    expect(await fleet.state("s9")).toBe("waiting: brake");
    for (const name of edited) fleet.editByHand(name, "b0", `of ${name}`);
    await fleet.run(35 * minute);
    expect((await fleet.account())?.brake).toBeNull();
    expect(await fleet.state("s9")).toBe("synced");
    expect(fleet.service.writes).toHaveLength(healedFirst + 1);
  });
});
