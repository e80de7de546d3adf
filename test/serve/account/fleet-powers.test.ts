import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { Redactor } from "../../../src/redact.ts";
import { fleetPowers } from "../../../src/serve/account/fleet-powers.ts";
import type { Fleet } from "../../../src/serve/fleet/fleet.ts";
import { Stage, account, backend, edgeWithSecret, secretText, source } from "./support/stage.ts";

const directory = mkdtempSync(join(tmpdir(), "edgewise-powers-"));
afterAll(() => rmSync(directory, { recursive: true }));

const fleet: Fleet = {
  file: "/etc/fleet.yaml",
  pause: false,
  sources: new Map([["edge", source]]),
  accounts: new Map([["main", account]]),
  entries: [],
  forgotten: new Set(),
  http: { host: "127.0.0.1", port: 7070, token: null },
  notify: [],
  historyMs: 1,
};

describe("a pass with the powers of a fleet file", () => {
  it("reads secrets from the stack's directory alone, and looks anew when one changes", async () => {
    process.env["KEY"] = "of the process";
    writeFileSync(join(directory, "KEY"), secretText, { mode: 0o600 });
    const stage = new Stage(fleetPowers(() => fleet, new Redactor()));
    stage.add("shop", { "a.yaml": backend("sorry", "Back soon"), "b.yaml": edgeWithSecret }, { secrets: directory });
    stage.add("bare", { "b.yaml": edgeWithSecret.replaceAll("api", "bare"), "a.yaml": backend("sorry", "Bare") });
    await stage.pass();
    delete process.env["KEY"];
    expect(await stage.stateOf("shop")).toBe("synced");
    expect(JSON.stringify(stage.service.lists().TLSEdge)).toContain("C4n4ry");
    expect(JSON.stringify(stage.service.lists().TLSEdge)).not.toContain("of the process");
    expect(await stage.stateOf("bare")).not.toBe("synced");

    writeFileSync(join(directory, "KEY"), "rotated-secret-2", { mode: 0o600 });
    await stage.pass();
    expect(JSON.stringify(await stage.store.readPlan("shop"))).toContain("TLSEdge/api");
    expect(JSON.stringify([...(await stage.store.load()).stacks, stage.events])).not.toContain("rotated-secret-2");
  });

  it("refuses what the fleet file does not allow, and names its line", async () => {
    const stage = new Stage(fleetPowers(() => fleet, new Redactor()));
    stage.add("heir", { "a.yaml": backend("sorry", "x") }, { config: "previousStacks: [shop]\n" });
    stage.add("adopter", { "a.yaml": backend("sorry", "x").replace("{name: sorry}", "{name: sorry, id: bkdhr_1}") });
    stage.add("broken", { "a.yaml": backend("sorry", "x").replace("status_code", "status") });
    await stage.pass();
    const broken = (await stage.recordOf("broken")).status;
    expect(broken.message).toMatch(/^broken\/m\/a\.yaml:4:1: /u);
    for (const name of ["heir", "adopter"]) {
      const { message, state } = (await stage.recordOf(name)).status;
      expect([name, state]).toEqual([name, "failed"]);
      expect(message).toContain(`stacks.${name} (fleet.yaml:3:3)`);
      expect(message).toMatch(new RegExp(`^${name}/(m/a|edgewise)\\.yaml:\\d+:\\d+: `, "u"));
    }
    expect(stage.service.writes).toEqual([]);
  });

  it("says where a pattern is written, and which environments have a variable", async () => {
    const stage = new Stage(fleetPowers(() => fleet, new Redactor()));
    const text = backend("sorry", "${{ vars.text }}");
    stage.add("chosen", { "a.yaml": text }, { config: "environments: {prod: {variables: {text: x}}}\n" });
    stage.add("lost", {});
    await stage.pass();
    expect((await stage.recordOf("chosen")).status.message).toContain("only an environment sets it: prod");
    expect((await stage.recordOf("lost")).status.message).toMatch(
      /^lost\/edgewise\.yaml:4:\d+: the pattern "m\/?" matches no manifest/u,
    );
  });
});
