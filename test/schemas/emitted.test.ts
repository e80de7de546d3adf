import { describe, expect, it } from "vitest";
import { address, backend, edge, stage, type Stage } from "../commands/stage.ts";
import { violations } from "./all-schemas.ts";

async function expectValid(name: string, at: Stage, exit: number, ...args: readonly string[]): Promise<void> {
  const ran = await at.run(...args, "-o", "json");
  expect(ran.exit, ran.err + ran.out).toBe(exit);
  expect(violations(name, JSON.parse(ran.out)), args.join(" ")).toEqual([]);
}

const first = [
  edge("api", "a.example:443", ", backend: {backend: {name: soon}}, tls_termination: {min_version: '1.2'}"),
  backend("soon"),
  address("tcp"),
].join("");

describe("JSON output of commands", () => {
  it("matches its schema, from the first plan to the last", async () => {
    const at = await stage({ manifests: first });
    await expectValid("ping", at, 0, "ping");
    await expectValid("version", at, 0, "version");
    await expectValid("graph", at, 0, "graph");
    await expectValid("diagnostics", at, 0, "validate");
    await expectValid("plan", at, 0, "plan", "--out", "plan.json");
    expect(violations("plan", JSON.parse(await at.read("plan.json")))).toEqual([]);
    await expectValid("plan", at, 0, "show", "plan.json");
    await expectValid("result", at, 0, "apply", "plan.json", "-y", "--journal", "journal.ndjson");
    const journal = (await at.read("journal.ndjson")).trim().split("\n");
    expect(journal.length).toBeGreaterThan(5);
    for (const line of journal) expect(violations("journal", JSON.parse(line)), line).toEqual([]);
    await expectValid("export", at, 0, "export", "--all");
    await expectValid("list", at, 0, "list");

    at.behind("PATCH", `/edges/tls/${at.id("TLSEdge")}`, { description: "by hand" });
    at.behind("POST", "/backends/http_response", { status_code: 200 });
    await expectValid("drift", at, 2, "drift", "--unmanaged");
    await expectValid("pull", at, 0, "pull", "-y");
    await at.write("edge/all.yaml", [edge("api", "b.example:443"), backend("late", "status_code: 404")].join(""));
    await expectValid("plan", at, 0, "plan");
    await expectValid("result", at, 4, "apply", "-y");
    const allowed = ["--allow", "ReservedAddress/tcp", "--allow", "HTTPResponseBackend/soon"];
    // The sandbox refuses to delete a backend that an edge refers to.
    await expectValid("result", at, 3, "apply", "-y", ...allowed);
  });

  it("matches its schema when there are problems", async () => {
    const at = await stage({ manifests: edge("Api", "a.example") });
    await expectValid("diagnostics", at, 1, "validate");
  });
});
