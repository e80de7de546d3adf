import { describe, expect, it } from "vitest";
import { violations } from "../schemas/all-schemas.ts";
import { address, backend, edge, type Stage, stage } from "./stage.ts";

async function world(): Promise<Stage> {
  const on = await stage();
  await on.write(
    "edge/all.yaml",
    [
      backend("page"),
      address("tcp"),
      edge("api", "api.example:443", ", backend: {backend: {name: page}}"),
      "apiVersion: edgewise/v1\nkind: TLSEdge\nmetadata: {name: broker}\nspec: {hostports: [{address: tcp}]}\n",
    ].join(""),
  );
  expect((await on.run("apply", "-y")).exit).toBe(0);
  await on.write("other/edge.yaml", edge("theirs", "theirs.example:443", ", description: theirs"));
  const other = await on.run("apply", "-y", "--stack", "other-stack", "-f", "other/edge.yaml");
  expect(other.exit, other.err).toBe(0);
  on.behind("POST", "/edges/tls", { hostports: ["nobody.example:443"], description: "made by hand" });
  return on;
}

interface Listed {
  readonly [member: string]: unknown;
  readonly kind: string;
  readonly address: string | null;
}

const listed = (out: string) =>
  JSON.parse(out) as { resources: readonly Listed[]; summary: object; warnings: object[] };

describe("list", () => {
  it("shows address or id, owner, what identifies each resource, and who refers to it", async () => {
    const on = await world();
    const { exit, out, err } = await on.run("list");
    expect({ exit, err }).toEqual({ exit: 0, err: "" });
    const nobodys = on.id("TLSEdge", { description: "made by hand" });
    const theirs = on.id("TLSEdge", { description: "theirs" });
    const addr = on.sandbox.world().lists.ReservedAddress[0]?.["addr"];
    const { resources } = listed((await on.run("list", "-o", "json")).out);
    const idOf = (named: string) => resources.find((each) => each.address === named)?.["id"];
    const lines = out.split("\n").map((line) => line.split(/ {2,}/u));
    expect(lines).toEqual([
      ["RESOURCE", "ID", "OWNER", "IDENTIFIED BY", "REFERRED TO BY"],
      ["TLSEdge/api", idOf("TLSEdge/api"), "this stack", "api.example:443"],
      ["TLSEdge/broker", idOf("TLSEdge/broker"), "this stack", addr],
      ["TLSEdge", theirs, "other-stack (theirs)", "theirs.example:443"],
      ["TLSEdge", nobodys, "none", "nobody.example:443"],
      ["ReservedAddress/tcp", on.id("ReservedAddress"), "this stack", addr, "TLSEdge/broker"],
      ["HTTPResponseBackend/page", on.id("HTTPResponseBackend"), "this stack", "503", "TLSEdge/api"],
      [""],
      ["6 resources: 4 of demo, 1 of other stacks, 1 of no stack."],
      ["HTTPResponseBackend: HTTPS edges may refer to it too; the API can't list them."],
      [""],
    ]);
  });

  it("gives the same as JSON that matches its schema", async () => {
    const on = await world();
    const { out } = await on.run("list", "-o", "json");
    expect(violations("list", JSON.parse(out))).toEqual([]);
    const { resources, summary } = listed(out);
    expect(summary).toEqual({ this: 4, other: 1, none: 1 });
    expect(resources.find((each) => each.address === "HTTPResponseBackend/page")).toEqual({
      kind: "HTTPResponseBackend",
      address: "HTTPResponseBackend/page",
      id: on.id("HTTPResponseBackend"),
      ownership: "this",
      owner: { stack: "demo", name: "page" },
      description: null,
      identity: { status_code: 503 },
      expires: null,
      referredToBy: ["TLSEdge/api"],
    });
    expect(resources.find(({ ownership }) => ownership === "none")).toMatchObject({
      address: null,
      owner: null,
      description: "made by hand",
      identity: { hostports: ["nobody.example:443"] },
    });
  });

  it("takes kinds, and shows who refers to them from other kinds", async () => {
    const on = await world();
    const { resources } = listed((await on.run("list", "HTTPResponseBackend", "-o", "json")).out);
    expect(resources.map((each) => [each.address, each["referredToBy"]])).toEqual([
      ["HTTPResponseBackend/page", ["TLSEdge/api"]],
    ]);
    const two = listed((await on.run("list", "ReservedAddress", "TLSEdge", "-o", "json")).out).resources;
    expect([...new Set(two.map(({ kind }) => kind))]).toEqual(["TLSEdge", "ReservedAddress"]);
    const { exit, err } = await on.run("list", "TLSEgde");
    expect(exit).toBe(1);
    expect(err).toContain("Allowed choices are IPRestriction, TLSEdge, ");
    expect((await on.run("list", "HTTPSEdge")).exit).toBe(1);
    expect((await on.run("export", "TLSEdge")).out).toContain("kind: TLSEdge");
  });

  it("shows only this stack's with --owned, and only nobody's with --unowned", async () => {
    const on = await world();
    const owners = async (...flags: readonly string[]) =>
      listed((await on.run("list", "-o", "json", ...flags)).out).resources.map(({ ownership }) => ownership);
    expect(await owners("--owned")).toEqual(["this", "this", "this", "this"]);
    expect(await owners("--unowned")).toEqual(["none"]);
    expect((await on.run("list", "--owned", "--unowned")).exit).toBe(1);
    expect((await on.run("list", "IPRestriction")).out).toBe("No resources.\n");
  });

  it("needs no manifests and no stack: then every owner is shown by name", async () => {
    const on = await world();
    await on.write("edge/all.yaml", "not: [yaml");
    await on.write("edgewise.yaml", "apiVersion: edgewise/v1\nkind: Config\nmanifests: [edge/]\n");
    const { exit, out } = await on.run("list", "TLSEdge");
    expect(exit).toBe(0);
    expect(out).toMatch(/^TLSEdge +edgtls_\w+ +demo \(api\) +api\.example:443$/mu);
    expect(out).toContain("4 resources: 3 of stacks, 1 of no stack.");
    expect(listed((await on.run("list", "-o", "json")).out)).toMatchObject({ stack: null });
    expect((await on.run("list", "--owned")).err).toContain("no stack is configured");
    await on.write("edgewise.yaml", "apiVersion: edgewise/v1\nkind: Config\nstack: new\npreviousStacks: [demo]\n");
    expect((await on.run("list", "--owned", "TLSEdge")).out).toContain("TLSEdge/api");
  });

  it("shows no body, header or secret", async () => {
    const [TLSEdge, HTTPResponseBackend] = [
      [
        {
          id: "edgtls_1",
          hostports: ["a.example:443"],
          metadata: "",
          traffic_policy: { value: '{"password":"hunter22"}' },
        },
      ],
      [{ id: "bkdhr_1", status_code: 200, body: "hunter22", headers: { authorization: "hunter22" }, metadata: "" }],
    ];
    const on = await stage({ lists: { TLSEdge, HTTPResponseBackend } });
    for (const output of ["text", "json"]) {
      const { exit, out, err } = await on.run("list", "-o", output);
      expect(exit, err).toBe(0);
      expect(out + err).not.toContain("hunter22");
    }
  });

  it("warns of a collection that is gone, and fails when it was asked for", async () => {
    const on = await stage({ faults: ["path=/ip_restrictions,status=403"] });
    const { exit, out, err } = await on.run("list", "-o", "json");
    expect(exit).toBe(0);
    expect(listed(out).warnings).toMatchObject([{ code: "kind-unreadable" }]);
    expect(violations("list", JSON.parse(out))).toEqual([]);
    expect(err).toContain("warning: IPRestriction can't be listed: the service refuses with 403, so none is shown");
    expect((await on.run("list", "IPRestriction")).exit).toBe(1);
  });
});
