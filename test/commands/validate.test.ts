import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { CommonFlags } from "../../src/commands/support/flags.ts";
import { validateCommand } from "../../src/commands/validate.ts";
import { type Files, withFiles } from "../manifest/support/load-text.ts";
import { memoryIo } from "./memory-io.ts";

const config = "apiVersion: edgewise/v1\nkind: Config\nstack: demo\nmanifests: [edge]\nvariables: {host: a.example}\n";
const good =
  'apiVersion: edgewise/v1\nkind: TLSEdge\nmetadata: {name: a}\nspec: {hostports: ["${{ vars.host }}:443"]}\n';
const bad = good.replace("hostports", "hostport");
const policy = good.replace("spec: {", "spec: {traffic_policy: {value: {on_x: []}}, ");

interface Ran {
  readonly exit: number;
  readonly out: string;
  readonly err: string;
}

async function run(files: Files, flags: CommonFlags = {}, cwd = ""): Promise<Ran> {
  return withFiles(files, async (root) => {
    const io = memoryIo({ cwd: join(root, cwd) });
    const exit = await validateCommand(flags, io);
    return { exit, out: io.out(), err: io.err() };
  });
}

describe("validate", () => {
  it("says that nothing is wrong, and ends with 0", async () => {
    expect(await run({ "edgewise.yaml": config, "edge/a.yaml": good })).toEqual({
      exit: 0,
      out: "1 manifest checked: nothing is wrong.\n",
      err: "",
    });
  });

  it("shows problems on stdout, and ends with 1", async () => {
    const { exit, out, err } = await run({ "edgewise.yaml": config, "edge/a.yaml": bad });
    expect([exit, err]).toEqual([1, ""]);
    expect(out).toContain(
      "edge/a.yaml:4:8: error TLSEdge/a: spec.hostport is not known: did you mean hostports? [unknown-member]",
    );
  });

  it("ends with 0 for warnings alone, which --quiet leaves out", async () => {
    const files = { "edgewise.yaml": config, "edge/a.yaml": policy };
    const loud = await run(files);
    expect([loud.exit, loud.out]).toEqual([0, expect.stringContaining("1 warning in 1 file.")]);
    expect(await run(files, { quiet: true })).toEqual({ exit: 0, out: "", err: "" });
  });

  it.each(["json", "sarif", "github"])("speaks %s", async (output) => {
    const { exit, out } = await run({ "edgewise.yaml": config, "edge/a.yaml": bad }, { output });
    expect(exit).toBe(1);
    if (output === "github")
      expect(out).toMatch(/^::error file=edge\/a\.yaml,line=4,col=8,title=unknown-member TLSEdge\/a::/);
    else expect(JSON.stringify(JSON.parse(out))).toContain("unknown-member");
  });

  it("names files from the repository's root where a forge reads them", async () => {
    await withFiles({ "infra/edgewise.yaml": config, "infra/edge/a.yaml": bad }, async (root) => {
      await mkdir(join(root, ".git"));
      const io = memoryIo({ cwd: join(root, "infra/edge") });
      await validateCommand({ output: "github" }, io);
      expect(io.out()).toContain("file=infra/edge/a.yaml,");
    });
    await withFiles({ "infra/edgewise.yaml": config.replace("stack:", "stak:"), "infra/edge/": "" }, async (root) => {
      await mkdir(join(root, ".git"));
      const io = memoryIo({ cwd: join(root, "infra/edge") });
      await validateCommand({ output: "github" }, io);
      expect(io.out()).toContain("file=infra/edgewise.yaml,line=3,");
    });
  });

  it("reads -f relative to the working directory, and then misses no names", async () => {
    const text = good.replace("hostports: [", "hostports: [{address: gone}, ");
    const files = { "edgewise.yaml": config, "edge/a.yaml": text };
    expect((await run(files)).exit).toBe(1);
    expect((await run(files, { file: ["a.yaml"] }, "edge")).exit).toBe(0);
    expect((await run(files, { file: ["edge/a.yaml"] }, "edge")).exit).toBe(1);
  });

  it("reports a broken configuration in the same format", async () => {
    const { exit, out } = await run({ "edgewise.yaml": config.replace("stack:", "stak:") }, { output: "json" });
    expect(exit).toBe(1);
    expect(JSON.parse(out)).toMatchObject({ diagnostics: [{ file: "edgewise.yaml", line: 3, severity: "error" }] });
  });

  it("doesn't call nothing fine", async () => {
    await expect(run({ "edge/a.yaml": good }, { stack: "demo" })).rejects.toThrow("no manifests are configured");
  });

  it("writes into --output-file without colours", async () => {
    await withFiles({ "edgewise.yaml": config, "edge/a.yaml": bad }, async (root) => {
      const io = memoryIo({ cwd: root, color: true });
      expect(await validateCommand({ outputFile: "out.txt" }, io)).toBe(1);
      expect(io.out()).toBe("");
      expect(await readFile(join(root, "out.txt"), "utf8")).toMatch(/^edge\/a\.yaml:4:8: error /);
    });
  });
});
