import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { commandIo } from "../../src/commands/support/command-io.ts";
import type { Flags } from "../../src/commands/support/command-options.ts";
import { validateCommand } from "../../src/commands/validate.ts";
import { type Files, withFiles } from "../manifest/support/load-text.ts";
import { violations } from "../schemas/all-schemas.ts";
import { memoryIo } from "./memory-io.ts";
import { backend, stage } from "./stage.ts";

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

async function run(files: Files, flags: Flags = {}, cwd = ""): Promise<Ran> {
  return withFiles(files, async (root) => {
    const io = memoryIo({ cwd: join(root, cwd) });
    const exit = await validateCommand(commandIo(io, flags), [], flags);
    return { exit, out: io.out(), err: io.err() };
  });
}

it("validate, plan and apply refuse a reference of the wrong kind", async () => {
  const { run: runCommand, write, writes } = await stage();
  const spec = '{hostports: ["a.example:443"], backend: {backend: {id: edgtls_x}}}';
  await write("edge/a.yaml", `apiVersion: edgewise/v1\nkind: TLSEdge\nmetadata: {name: a}\nspec: ${spec}\n`);
  for (const args of [["validate"], ["plan"], ["apply", "-y"]]) {
    const { err, exit, out } = await runCommand(...args);
    expect([exit, `${out}${err}`]).toEqual([1, expect.stringMatching(/edge\/a\.yaml:4:[^]*\[reference-kind\]/u)]);
  }
  expect(writes()).toBe(0);
});

describe("what no service could take", () => {
  it.each([
    ["a name that no header can have", '{status_code: 200, headers: {"retry after": x}}', "header-invalid"],
    ["half a character", '{status_code: 200, body: "\\uD83D"}', "yaml-text"],
  ])("is an error before anything is written: %s", async (_what, spec, code) => {
    const { run: runCommand, write, writes } = await stage();
    await write("edge/ok.yaml", good);
    await write(
      "edge/a.yaml",
      `apiVersion: edgewise/v1\nkind: HTTPResponseBackend\nmetadata: {name: a}\nspec: ${spec}\n`,
    );
    for (const args of [["validate"], ["plan"], ["apply", "-y"]]) {
      const { err, exit, out } = await runCommand(...args);
      expect([exit, `${out}${err}`]).toEqual([1, expect.stringContaining(`[${code}]`)]);
    }
    expect(writes()).toBe(0);
  });
});

describe("the id of a manifest's own resource", () => {
  it.each([
    ["metadata.id", "{name: a, id: bkdhr_1}", ""],
    ["adopt", "{name: a}", "adopt: {TLSEdge/a: ipp_1}\n"],
  ])("must not be that of another kind: from %s", async (_from, metadata, more) => {
    const { read, run: runCommand, write, writes } = await stage();
    await write("edgewise.yaml", `${await read("edgewise.yaml")}${more}`);
    await write(
      "edge/a.yaml",
      `apiVersion: edgewise/v1\nkind: TLSEdge\nmetadata: ${metadata}\nspec: {hostports: ["a.example:443"]}\n`,
    );
    for (const args of [["validate"], ["plan"], ["apply", "-y"]]) {
      const { err, exit, out } = await runCommand(...args);
      expect([exit, `${out}${err}`]).toEqual([1, expect.stringContaining("[id-kind]")]);
    }
    expect(writes()).toBe(0);
  });
});

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

  it("names files from the repository's root where a forge reads them", async () => {
    await withFiles({ "infra/edgewise.yaml": config, "infra/edge/a.yaml": bad }, async (root) => {
      await mkdir(join(root, ".git"));
      const io = memoryIo({ cwd: join(root, "infra/edge") });
      await validateCommand(commandIo(io, { output: "github" }), [], {});
      expect(io.out()).toContain("file=infra/edge/a.yaml,");
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

  it("says what to do about an empty name", async () => {
    const { out } = await run({ "edgewise.yaml": config.replace("stack: demo", 'stack: ""') });
    expect(out).toContain("Give it a value, or leave it out.\n\n1 error");
  });

  it("doesn't call nothing fine", async () => {
    await expect(run({ "edge/a.yaml": good }, { stack: "demo" })).rejects.toThrow("no manifests are configured");
  });

  it.each(["gitlab", "sarif"])("-o %s names what is wrong, from the repository's root", async (output) => {
    const files = { ".git/HEAD": "", "infra/edgewise.yaml": config, "infra/edge/b.yaml": bad };
    const { exit, out } = await run(files, { output }, "infra");
    expect(exit).toBe(1);
    expect(out).toContain("infra/edge/b.yaml");
    if (output === "gitlab") expect(violations("code-quality", JSON.parse(out))).toEqual([]);
    else expect(JSON.parse(out)).toMatchObject({ version: "2.1.0" });
  });
});

describe("a configuration that is incomplete without an environment", () => {
  const environment = (name: string) =>
    `  ${name}: {stack: demo-${name}, variables: {code: 503}, api: {baseUrl: https://${name}.example}}\n`;

  it("names the environments, and is checked offline with one of them", async () => {
    const at = await stage();
    const head = "apiVersion: edgewise/v1\nkind: Config\nmanifests: [edge/]\n";
    await at.write("edgewise.yaml", `${head}environments:\n${environment("staging")}${environment("prod")}`);
    const uses = Array.from({ length: 11 }, (_, index) => backend(`b${index}`, 'status_code: "${{ vars.code }}"'));
    await at.write("edge/all.yaml", uses.join(""));
    for (const command of ["validate", "graph", "plan"]) {
      const { err, exit, out } = await at.run(command);
      expect([exit, out + err]).toEqual([1, expect.stringMatching(/-e \(staging, prod\)|-e staging or -e prod/u)]);
    }
    expect(at.sandbox.requests().log).toEqual([]);
    // The address of the environment is not that of EDGEWISE_BASE_URL, which only what contacts the service minds.
    expect(await at.run("validate", "-e", "prod")).toMatchObject({ exit: 0 });
    expect((await at.run("policy", "test", "-e", "prod")).err).toContain("no policies are configured");
    expect((await at.run("plan", "-e", "prod")).err).toContain("base-url-elsewhere");
  });
});
