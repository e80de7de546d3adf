import { describe, expect, it } from "vitest";
import { buildProgram } from "../../src/commands/run.ts";
import { flagsForSaved } from "../../src/commands/support/saved-plan.ts";
import type { Plan } from "../../src/plan/plan-format.ts";
import { edge, stage } from "./stage.ts";

const recorded: { readonly [flag: string]: string } = {
  only: "--only TLSEdge/api",
  exclude: "--exclude TLSEdge/api",
  label: "--label team=edge",
  file: "--file edge/api.yaml",
  prune: "--no-prune",
  allow: "--allow TLSEdge/api",
  maxDeletes: "--max-deletes 3",
  allowEmpty: "--allow-empty",
  takeOver: "--take-over",
};

/** Those that only say where things are, how they are read or shown; or that apply checks by planning again. */
const others =
  "all allowInlineSecrets allowInsecureHttp allowOrigin apiKeyFile base baseUrl changedSince color compact concurrency config detailedExitcode environment failOn logFormat offline out output outputFile pageCache quiet ref stack var verbose versionHeader";

describe("the flags of plan", () => {
  it("are known to be recorded in saved plans, or to need no record", async () => {
    const [plan] = (await buildProgram(() => async () => {}, "plan")).commands;
    const flags = plan?.options.map((option) => option.attributeName());
    expect(flags?.toSorted()).toEqual([...Object.keys(recorded), ...others.split(" ")].toSorted());
  });

  it.each(Object.entries(recorded))("are recorded and used again: %s", async (flag, use) => {
    const { read, run, write } = await stage();
    const manifest = edge("api", "api.example.com:443").replace("name: api", "name: api, labels: {team: edge}");
    await write("edge/api.yaml", manifest);
    const again = async (...flags: readonly string[]): Promise<unknown> => {
      expect(await run("plan", "--out", "plan.json", ...flags)).toMatchObject({ exit: 0 });
      const plan = JSON.parse(await read("plan.json")) as Plan;
      return Reflect.get(flagsForSaved(plan, { approved: plan.hash }), flag);
    };
    expect(await again(...use.split(" "))).not.toEqual(await again());
  });
});
