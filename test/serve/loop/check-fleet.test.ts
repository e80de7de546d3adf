import { describe, expect, it } from "vitest";
import { ApiError } from "../../../src/api/api-error.ts";
import { EdgewiseError } from "../../../src/errors.ts";
import type { Client } from "../../../src/api/client.ts";
import { type CheckDeps, checkFleet } from "../../../src/serve/check-fleet.ts";
import { LoopStage, entryOf, fleetOf } from "./loop-fixture.ts";

const files = { "prod/edgewise.yaml": "stack: prod\n", "test/edgewise.yaml": "stack: test\n" };
const both = fleetOf([entryOf("prod"), entryOf("test")]);

/** A client that gets the same answer for everything. */
function client(get: () => Promise<{ status: number; body: { [member: string]: [] } }>): Client {
  return {
    baseUrl: "https://api.example.com",
    get,
    list: async () => [],
    send: async () => {
      throw new Error("a check writes nothing");
    },
    close: async () => undefined,
  };
}

const everything = new Proxy<{ [member: string]: [] }>({}, { get: () => [], has: () => true });
const well = async (): Promise<Client> => client(async () => ({ status: 200, body: everything }));

async function check(stage: LoopStage, changes: Partial<CheckDeps> = {}, fleet = both) {
  const deps = { ...stage.deps, connect: well, checkStack: async () => undefined, ...changes };
  const found = await checkFleet(fleet, deps, stage.stop.signal);
  return { found, messages: found.findings.map(({ subject, name, message }) => `${subject} ${name}: ${message}`) };
}

describe("a check of the fleet", () => {
  it("finds nothing where everything is well, and keeps nothing", async () => {
    const stage = new LoopStage();
    stage.sources.push("edge", files);
    const { found, messages } = await check(stage);
    expect(messages).toEqual([]);
    expect(found).toMatchObject({ sources: 1, accounts: 1, stacks: 2 });
    expect(stage.events).toEqual([]);
    expect((await stage.store.load()).sources.size).toBe(0);
  });

  it("names the place in the fleet file of what can't be reached, and goes on", async () => {
    const stage = new LoopStage();
    stage.sources.break("edge", "no route to host hunter2");
    const refused = async (): Promise<never> => {
      throw new EdgewiseError("config", "the key can't be read", { remedy: "Write it." });
    };
    const { found, messages } = await check(stage, { connect: refused });
    expect(messages).toEqual([
      "source edge: no route to host (secret)",
      "account main: the key can't be read. Write it.",
    ]);
    expect(found.findings.every(({ place }) => place.file === "fleet.yaml")).toBe(true);
  });

  it("finds stacks without a configuration, with one marker, and what the repository may not ask for", async () => {
    const stage = new LoopStage();
    stage.sources.push("edge", { ...files, "other/edgewise.yaml": "stack: prod\n" });
    const entries = ["prod", "test", "other", "typo"].map((name) => entryOf(name));
    const checkStack = async ({ name }: { readonly name: string }): Promise<never> => {
      throw new EdgewiseError("manifests", `${name} asks for too much`);
    };
    const { messages } = await check(stage, { checkStack }, fleetOf(entries));
    expect(messages).toHaveLength(4);
    expect(messages[0]).toContain('stack prod: prod claims the marker "prod" in accounts.main');
    expect(messages[1]).toBe("stack test: test asks for too much");
    expect(messages[2]).toContain("stack other: ");
    expect(messages[3]).toContain("stack typo: there is no typo/edgewise.yaml in the source edge");
  });

  it("accepts collections that the key may not read, unless it may read none", async () => {
    const stage = new LoopStage();
    stage.sources.push("edge", files);
    const refusal = (): ApiError =>
      new ApiError({
        method: "GET",
        path: "/edges/tls",
        status: 403,
        outcome: "answered",
        what: null,
        remedy: null,
        serverMessage: "no",
        attempts: 1,
      });
    let answered = 0;
    const some = async () => {
      if (answered++ === 0) throw refusal();
      return { status: 200, body: everything };
    };
    expect((await check(stage, { connect: async () => client(some) })).messages).toEqual([]);
    const none = async (): Promise<never> => {
      throw refusal();
    };
    expect((await check(stage, { connect: async () => client(none) })).messages).toHaveLength(1);
  });
});
