import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { CommonFlags } from "../../src/commands/support/flags.ts";
import { validateCommand } from "../../src/commands/validate.ts";
import type { JsonObject } from "../../src/json.ts";
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

async function run(files: Files, flags: CommonFlags = {}, cwd = ""): Promise<Ran> {
  return withFiles(files, async (root) => {
    const io = memoryIo({ cwd: join(root, cwd) });
    const exit = await validateCommand(flags, io);
    return { exit, out: io.out(), err: io.err() };
  });
}

/** Fields with references in the manifest and in the request, and ids that are not of their kinds. */
const wrongKinds: readonly (readonly [string, string, string, JsonObject])[] = [
  [
    "TLSEdge",
    '{hostports: ["a.example:443"], backend: {backend: {id: edgtls_x}}}',
    "/edges/tls",
    { hostports: ["a.example:443"], backend: { backend_id: "edgtls_x" } },
  ],
  [
    "TLSEdge",
    '{hostports: ["a.example:443"], ip_restriction: {ip_policies: [{id: ca_1}]}}',
    "/edges/tls",
    { hostports: ["a.example:443"], ip_restriction: { ip_policy_ids: ["ca_1"] } },
  ],
  [
    "ReservedAddress",
    "{endpoint_configuration: {id: zz_1}}",
    "/reserved_addrs/ID",
    { endpoint_configuration_id: "zz_1" },
  ],
];

describe("validate, plan and the sandbox", () => {
  it.each(wrongKinds)("refuse a reference of the wrong kind in a %s: %s", async (kind, spec, path, body) => {
    const { behind, run: runCommand, sandbox, write, writes } = await stage();
    await write("edge/a.yaml", `apiVersion: edgewise/v1\nkind: ${kind}\nmetadata: {name: a}\nspec: ${spec}\n`);
    const validated = await runCommand("validate", "-o", "json");
    expect(validated.exit).toBe(1);
    expect(JSON.parse(validated.out).diagnostics).toMatchObject([
      { code: "reference-kind", severity: "error", line: 4 },
    ]);
    for (const args of [["plan"], ["apply", "-y"]]) {
      const { err, exit } = await runCommand(...args);
      expect(exit).toBe(1);
      expect(err).toContain("reference-kind");
    }
    expect(writes()).toBe(0);
    const { id } = behind("POST", "/reserved_addrs", {});
    const method = path.endsWith("ID") ? "PATCH" : "POST";
    const { body: answer, status } = sandbox.direct({ method, path: path.replace("ID", String(id)), body });
    expect([status, JSON.stringify(answer)]).toEqual([400, expect.stringMatching(/begins? with/u)]);
  });
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
    ["a variable", '{name: a, id: "${{ vars.id }}"}', "variables: {id: cert_1}\n"],
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

  it.each(["sarif", "github"])("speaks %s", async (output) => {
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

  it.each(["gitlab"])("-o %s names what is wrong, from the repository's root", async (format) => {
    const files = {
      ".git/HEAD": "",
      "infra/edgewise.yaml": config,
      "infra/edge/a.yaml": good,
      "infra/edge/b.yaml": bad,
    };
    const { exit, out } = await run(files, { output: format }, "infra");
    expect(exit).toBe(1);
    expect(out).toContain("infra/edge/b.yaml");
    expect(out).toContain("hostport");
    if (format === "gitlab") expect(violations("code-quality", JSON.parse(out))).toEqual([]);
  });

  it.each([["gitlab", "[]"]])("-o %s says that nothing is wrong", async (format, text) => {
    const { exit, out } = await run({ "edgewise.yaml": config, "edge/a.yaml": good }, { output: format });
    expect(exit).toBe(0);
    expect(out).toContain(text);
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

describe("a configuration that is incomplete without an environment", () => {
  const environment = (name: string) =>
    `  ${name}: {stack: demo-${name}, variables: {code: 503}, api: {baseUrl: https://${name}.example}}\n`;

  it("is one error that names the environments, and is checked offline with one of them", async () => {
    const at = await stage();
    const head = "apiVersion: edgewise/v1\nkind: Config\nmanifests: [edge/]\n";
    await at.write("edgewise.yaml", `${head}environments:\n${environment("staging")}${environment("prod")}`);
    const uses = Array.from({ length: 11 }, (_, index) => backend(`b${index}`, 'status_code: "${{ vars.code }}"'));
    await at.write("edge/all.yaml", uses.join(""));
    for (const command of ["validate", "graph", "plan"]) {
      const { err, exit } = await at.run(command);
      expect({ exit, lines: err.trim().split("\n") }).toEqual({
        exit: 1,
        lines: [
          expect.stringMatching(/^error: no environment is chosen, and without one (?:no stack is|the variable code)/u),
          "Choose -e staging or -e prod.",
        ],
      });
    }
    expect(at.sandbox.requests().log).toEqual([]);
    // The address of the environment is not that of EDGEWISE_BASE_URL, which only what contacts the service minds.
    expect(await at.run("validate", "-e", "prod")).toMatchObject({ exit: 0 });
    expect((await at.run("policy", "test", "-e", "prod")).err).toContain("no policies are configured");
    expect((await at.run("plan", "-e", "prod")).err).toContain("base-url-elsewhere");
  });
});

it("a warning with the same words is shown once, with its places; JSON has each", async () => {
  const at = await stage();
  const route = (name: string) =>
    `apiVersion: edgewise/v1\nkind: HTTPSEdgeRoute\nmetadata: {name: ${name}, id: edghtsrt_${name}}\nspec: {edge: {id: edghts_1}, webhook_verification: {enabled: true, provider: GITHUB, secret: {env: HOOK}}}\n---\n`;
  await at.write("edge/all.yaml", ["a", "b", "c"].map(route).join(""));
  const { exit, out } = await at.run("validate");
  expect(exit).toBe(0);
  expect(out.match(/\[secret-unavailable\]/gu)).toHaveLength(1);
  expect(out).toContain("= the same at edge/all.yaml:9:");
  expect(out).toContain("(HTTPSEdgeRoute/b), edge/all.yaml:14:");
  expect(out).toContain("3 warnings in 1 file.");
  expect(JSON.parse((await at.run("validate", "-o", "json")).out).diagnostics).toHaveLength(3);
});
