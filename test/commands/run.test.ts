import { describe, expect, it } from "vitest";
import { run } from "../../src/commands/run.ts";
import { listedKinds } from "../../src/kinds/names.ts";
import { version } from "../../src/core/version.ts";
import { memoryIo } from "./memory-io.ts";

async function go(...args: string[]) {
  const io = memoryIo();
  const exit = await run(args, io);
  return { exit, out: io.out(), err: io.err() };
}

const commands = [
  "plan",
  "apply",
  "show",
  "drift",
  "pull",
  "destroy",
  "init",
  "validate",
  "graph",
  "stacks",
  "export",
  "schema",
  "explain",
  "ping",
  "sandbox",
  "completion",
];

describe("run", () => {
  it("--version goes to stdout and is that of the package", async () => {
    expect(await go("--version")).toEqual({ exit: 0, out: `${version}\n`, err: "" });
    expect(await go("-V")).toEqual({ exit: 0, out: `${version}\n`, err: "" });
  });

  it("--help lists every command, on stdout", async () => {
    const { exit, out, err } = await go("--help");
    expect(exit).toBe(0);
    expect(err).toBe("");
    for (const command of commands) expect(out).toMatch(new RegExp(`^  ${command}\\b`, "mu"));
    expect(out).toContain("EDGEWISE_API_KEY");
    expect(out).toContain("Exit codes:");
  });

  it("nothing at all shows the help on stderr and fails", async () => {
    const { exit, out, err } = await go();
    expect(exit).toBe(1);
    expect(out).toBe("");
    expect(err).toContain("Usage: edgewise");
  });

  it.each(commands)("%s --help has options in groups and examples", async (command) => {
    const { exit, out } = await go(command, "--help");
    expect(exit).toBe(0);
    expect(out).toContain(`Usage: edgewise ${command}`);
    expect(out).toContain("Examples:\n");
    expect(out).toContain(`edgewise ${command}`);
  });

  it.each([
    [["plann"], "Did you mean plan?"],
    [["plan", "--detailed-exit-code"], "Did you mean --detailed-exitcode?"],
    [["plan", "-o", "yaml"], "Allowed choices are text, json, markdown, html, github, gitlab"],
    [["drift", "-o", "pdf"], "Allowed choices are text, json, markdown, html, github, junit"],
    [["validate", "-o", "junit"], "Allowed choices are text, json, github, sarif, gitlab"],
    [["graph", "-o", "dot"], "Allowed choices are mermaid, json"],
    [["plan", "--allow", "api"], "An address is Kind/name"],
    [["plan", "--only", "TlsEdge/api"], "An address is Kind/name"],
    [["plan", "--var", "=x"], "NAME=VALUE"],
    [["plan", "--api-key=hunter2"], "unknown option '--api-key'"],
    [["plan", "extra"], "too many arguments for 'plan'"],
    [["show"], "missing required argument 'planfile'"],
    [["export", "HTTPSEdge"], `Allowed choices are ${listedKinds.join(", ")}.`],
    [["export", "--owned", "--all"], "cannot be used with"],
    [["completion", "tcsh"], "Allowed choices are bash, zsh, fish"],
  ])("%j fails with 1 and says why on stderr alone", async (args, words) => {
    const { exit, out, err } = await go(...args);
    expect(err).toContain(words);
    expect(out).toBe("");
    expect(exit).toBe(1);
  });

  it("a mistake on the command line shows no API key, even where the key was typed", async () => {
    const io = memoryIo({ env: { EDGEWISE_API_KEY: "ak_live_0123456789abcdef" } });
    expect(await run(["ak_live_0123456789abcdef"], io)).toBe(1);
    expect(io.err()).toContain("unknown command");
    expect(io.err()).not.toContain("0123456789");
  });

  it("apply without a terminal and without --auto-approve is an error before anything else", async () => {
    const { exit, out, err } = await go("apply");
    expect(exit).toBe(1);
    expect(out).toBe("");
    expect(err).toContain("--auto-approve");
  });

  it("--log-format json writes errors as JSON lines", async () => {
    const { exit, err } = await go("show", "/nowhere/plan.json", "--log-format", "json");
    expect(exit).toBe(1);
    expect(JSON.parse(err)).toMatchObject({ level: "error", code: "plan-file" });
  });
});
