import { describe, expect, it } from "vitest";
import { type StackClaim, claimProblems, expandEntries } from "../../../src/serve/fleet/expand-entries.ts";
import { matchOf } from "../../../src/serve/fleet/same-stacks.ts";
import { accountWith, entryWith, targetOf } from "./fleet-data.ts";

const tenants = entryWith({
  name: "tenants",
  config: { pattern: "tenants/*/edgewise.yaml" },
  stack: "tenant-*",
  secrets: "/run/secrets/*",
});

function found(match: string) {
  return { path: `tenants/${match}/edgewise.yaml`, match };
}

describe("expandEntries", () => {
  it("makes one stack of an entry with a path, even before there is a commit", () => {
    const prod = entryWith({ stack: "edge-prod", secrets: "/run/secrets/prod" });
    expect(expandEntries([prod], new Map())).toEqual({
      targets: [
        { name: "prod", entry: prod, config: "edgewise.yaml", stack: "edge-prod", secrets: "/run/secrets/prod" },
      ],
      problems: [],
    });
  });

  it("makes one stack of each match, and fills in marker and secrets", () => {
    const { targets, problems } = expandEntries([tenants], new Map([["tenants", [found("acme"), found("$&")]]]));
    expect(problems).toEqual([]);
    expect(targets.map(({ name, config, stack, secrets }) => [name, config, stack, secrets])).toEqual([
      ["tenants/acme", "tenants/acme/edgewise.yaml", "tenant-acme", "/run/secrets/acme"],
      ["tenants/$&", "tenants/$&/edgewise.yaml", "tenant-$&", "/run/secrets/$&"],
    ]);
  });

  it.each([
    "a~b",

    "a..b",
    "a@{b",
    ".a",

    "a.lock",
    "@",

    "..",
    "x".repeat(101),
  ])("refuses %j by name", (match) => {
    const { targets, problems } = expandEntries([tenants], new Map([["tenants", [found(match), found("b")]]]));
    expect(targets.map(({ name }) => name)).toEqual(["tenants/b"]);
    expect(problems).toHaveLength(1);
    expect(problems[0]?.name).toBe(`tenants/${match}`);
    expect(problems[0]?.message).toContain("configs of stacks.tenants (fleet.yaml:8:3)");
  });

  it("refuses a match that its pattern doesn't give", () => {
    const { targets, problems } = expandEntries(
      [tenants],
      new Map([["tenants", [{ path: "tenants/acme/edgewise.yaml", match: "other" }]]]),
    );
    expect(targets).toEqual([]);
    expect(problems).toHaveLength(1);
  });
});

describe("matchOf", () => {
  it("takes a * for a part of a name that is not empty", () => {
    expect(matchOf("tenants/*/edgewise.yaml", "tenants/acme/edgewise.yaml")).toBe("acme");
    expect(matchOf("tenants/*/edgewise.yaml", "tenants/a/b/edgewise.yaml")).toBeNull();
    expect(matchOf("tenants/*/edgewise.yaml", "tenants//edgewise.yaml")).toBeNull();
    expect(matchOf("a-*-a.yaml", "a-a.yaml")).toBeNull();
    expect(matchOf("edgewise-*.yaml", "edgewise-x.yaml")).toBe("x");
  });
});

describe("claimProblems", () => {
  const claim = (name: string, marker: string | null, changes: Partial<StackClaim> = {}): StackClaim => ({
    target: targetOf(entryWith({ name })),
    account: accountWith(),
    marker,
    previousStacks: [],
    ...changes,
  });
  const names = (claims: readonly StackClaim[]) =>
    claimProblems(claims).map(({ name, message }) => `${name}: ${message}`);

  it("finds nothing where all differ, or where a marker is not known", () => {
    const other = accountWith({ name: "other", key: { env: "OTHER" } });
    expect(
      names([
        claim("a", "x"),
        claim("b", "y"),
        claim("c", "x", { account: other }),
        claim("d", null),
        claim("e", null),
      ]),
    ).toEqual([]);
  });

  it("names every stack that claims one marker in one account, also where the account has two names", () => {
    expect(names([claim("a", "x"), claim("b", "x", { account: accountWith({ name: "again" }) })])).toEqual([
      'a: a claims the marker "x" in accounts.main, which b (fleet.yaml:8) claims too',
      'b: b claims the marker "x" in accounts.main, which a (fleet.yaml:8) claims too',
    ]);
  });

  it("counts former markers", () => {
    expect(names([claim("a", "x"), claim("b", "y", { previousStacks: ["x"] })])).toHaveLength(2);
    expect(names([claim("a", "x", { previousStacks: ["x"] })])).toEqual([]);
  });

  it("names two stacks with one name, and two that may manage the modules of one HTTPS edge", () => {
    expect(names([claim("a", "x"), claim("a", "y")])).toHaveLength(2);
    const allow = { ...entryWith().allow, modulesOf: ["edghts_1"] };
    const shared = entryWith({ ...tenants, allow });
    const { targets } = expandEntries([shared], new Map([["tenants", [found("a"), found("b")]]]));
    expect(names(targets.map((target) => claim("", target.stack, { target })))).toEqual([
      "tenants/a: tenants/a claims the modules of edghts_1, which tenants/b (fleet.yaml:8) claims too",
      "tenants/b: tenants/b claims the modules of edghts_1, which tenants/a (fleet.yaml:8) claims too",
    ]);
  });
});
