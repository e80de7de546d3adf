import { spawn, spawnSync } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { firstLine } from "../../support/first-line.ts";
import { root } from "../../repository/source-files.ts";

/**
 * A kind that nobody has, added to a copy of the repository by the steps of docs/dev/guide.md and nothing else: five files
 * (fixtures/new-kind) and its entry in the registry. It has a list endpoint, a module, a reference, a claim, a secret, and
 * a default policy that isn't everybody's.
 */
const fixtures = join(dirname(fileURLToPath(import.meta.url)), "fixtures", "new-kind");
const model = "src/model/resources/port-forward-model.ts";
const written = [
  "schemas/port-forward.schema.json",
  "src/kinds/port-forward.ts",
  model,
  "examples/quickstart/edge/database.yaml",
  "test/kinds/port-forward.test.ts",
];
const copied = ["src", "schemas", "scripts", "examples", "bench", "test", "docs"];
const copiedToo = ["LICENSE", "package.json", "tsconfig.json", "tsconfig.test.json", "vitest.config.ts"];

/** The tests that go through all kinds, or through what is known of all of them. */
const tests = [
  "test/kinds",
  "test/live",
  "test/schema/",
  "test/plan/contradictory-live.property.test.ts",
  "test/commands/many-stacks.test.ts",
  "test/manifest/golden.test.ts",
  "test/export",
  "test/repository/import-direction.test.ts",
  "test/slow/examples/examples.test.ts",
];

let repository = "";

beforeAll(() => {
  repository = realpathSync(mkdtempSync(join(tmpdir(), "edgewise-new-kind-")));
  const filter = (source: string) => basename(source) !== "node_modules";
  for (const path of [...copied, ...copiedToo])
    cpSync(join(root, path), join(repository, path), { recursive: true, filter });
  for (const path of ["node_modules", "test/slow/node_modules"]) symlinkSync(join(root, path), join(repository, path));
  for (const path of written) if (path !== model) addFixture(path);
  edit("src/kinds/registry.ts", "import ", 'import { portForward } from "./port-forward.js";\nimport ');
  edit("src/kinds/registry.ts", "  HTTPSEdge:", "  PortForward: portForward,\n  HTTPSEdge:");
  // Its example has a secret.
  edit("scripts/pages/quickstart.sh", "QUICKSTART_TLS_KEY=", "DATABASE_PASSWORD=not-a-real-secret QUICKSTART_TLS_KEY=");
});

afterAll(() => rmSync(repository, { recursive: true, force: true }));

describe("a new kind", () => {
  it("is five files and its entry in the registry, as the developer guide has it", () => {
    const guide = readFileSync(join(root, "docs/dev/guide.md"), "utf8");
    const steps = guide.slice(guide.indexOf("## Adding a kind"), guide.indexOf("## Adding a flag"));
    const named = [...steps.matchAll(/^\d\. `([^`]+)`/gm)].map(([, path]) => path);
    const places = written.map((path) =>
      path.replace("port-forward", "<kind>").replace("quickstart/edge/database", "quickstart/edge/<name>"),
    );
    expect(named.toSorted()).toEqual([...places, "src/kinds/registry.ts"].toSorted());
    for (const more of ["npm run generate", "npm run docs", "scripts/pages/quickstart.sh"])
      expect(steps).toContain(`\`${more}\``);
  });

  it("is missed by the check of what is generated until it is generated", () => {
    const { status, output } = run("scripts/generate.mjs", "--check");
    expect(status).toBe(1);
    expect(output.trimEnd().split("\n").toSorted()).toEqual(
      [
        "schemas/definitions.schema.json",
        "schemas/manifest.schema.json",
        "schemas/output-definitions.schema.json",
        "src/generated/kind-names.ts",
        "src/generated/manifest-members.ts",
        "src/generated/manifest-types.ts",
        "src/generated/resource-models.ts",
      ].map((file) => `${file} is stale: run npm run generate`),
    );
    expect(run("scripts/generate.mjs")).toMatchObject({ status: 0 });
    expect(run("scripts/generate.mjs", "--check")).toMatchObject({ status: 0, output: "" });
  });

  it("doesn't compile without its model, and is built with it", { timeout: 900_000 }, () => {
    const { status, output } = run("scripts/build.mjs");
    expect(status).not.toBe(0);
    expect(output).toContain("port-forward-model.js");
    addFixture(model);
    expect(run("scripts/build.mjs")).toEqual({ status: 0, output: "" });
  });

  it("leaves no type error in any test", { timeout: 300_000 }, () => {
    for (const project of ["tsconfig.test.json", "test/slow"]) {
      const types = run("node_modules/typescript/bin/tsc", "-p", join(repository, project));
      expect(types, project).toEqual({ status: 0, output: "" });
    }
  });

  it("is missed by the check of the commands' pages until they are written", () => {
    const { status, output } = run("scripts/generate-command-docs.mjs", "--check");
    expect(status).toBe(1);
    const stale = [...output.matchAll(/^docs\/commands\/(\w+)\.md is stale/gm)].map(([, page]) => page);
    expect(stale.toSorted()).toEqual(["explain", "export", "list", "schema"]);
    expect(run("scripts/generate-command-docs.mjs")).toMatchObject({ status: 0 });
    expect(run("scripts/generate-command-docs.mjs", "--check")).toMatchObject({ status: 0, output: "" });
    expect(run("scripts/generate-reference.mjs", "--check")).toMatchObject({
      status: 1,
      output: expect.stringContaining("docs/reference/manifests/PortForward.md is stale") as unknown,
    });
    expect(run("scripts/generate-reference.mjs")).toMatchObject({ status: 0 });
    expect(readFileSync(join(repository, "docs/reference/manifests/PortForward.md"), "utf8")).toContain(
      "How many of a hundred connections are logged.",
    );
  });

  it("passes its own tests, and those that go through all kinds", { timeout: 600_000 }, async () => {
    const { status, output } = await runTests();
    expect(output).toContain("test/kinds/port-forward.test.ts");
    for (const path of tests) expect(output).toContain(path);
    expect(status, output).toBe(0);
  });

  describe("in the built program", () => {
    let sandbox: Awaited<ReturnType<typeof startSandbox>>;
    let stack = "";

    beforeAll(async () => {
      sandbox = await startSandbox();
      stack = join(repository, "stack");
      mkdirSync(stack);
      configure("");
    });

    afterAll(() => sandbox.stop());

    const edgewise = (...args: readonly string[]) =>
      run("dist/bin/edgewise.js", ...args, { cwd: stack, env: sandbox.env });

    /** What a plan in JSON would do, without what changes from run to run. */
    const planned = (...args: readonly string[]): readonly string[] => {
      const { output } = edgewise("plan", "-o", "json", ...args);
      const { operations } = JSON.parse(output) as {
        readonly operations: readonly { readonly kind: string; readonly address: string }[];
      };
      return operations.map(({ kind, address }) => `${kind} ${address}`);
    };

    const configure = (more: string) =>
      writeFileSync(
        join(stack, "edgewise.yaml"),
        `apiVersion: edgewise/v1\nkind: Config\nstack: test\nmanifests: [edge.yaml]\n${more}`,
      );

    /** The manifests: one backend, and forwards as given. */
    const write = (...forwards: readonly Forward[]) => {
      const backend = `${head("HTTPResponseBackend", "page")}spec: { status_code: 200 }\n`;
      writeFileSync(join(stack, "edge.yaml"), [backend, ...forwards.map(manifestOf)].join("---\n"));
    };

    const both = [
      { name: "web", ports: [8443], log: "{ sample_percent: 10 }" },
      { name: "admin", ports: [9443], sources: "[{ cidr: 10.0.0.0/8 }]" },
    ];

    it("is validated, by its name and by its fields", () => {
      const example = run("dist/bin/edgewise.js", "validate", { cwd: join(repository, "examples/quickstart") });
      expect(example).toMatchObject({
        status: 0,
        output: expect.stringContaining("PortForward/database: the environment variable") as unknown,
      });
      write({ name: "web", ports: [0], log: "{ sample_percnt: 10 }" });
      const { status, output } = edgewise("validate");
      expect(status).toBe(1);
      expect(output).toMatch(/PortForward\/web.*0.*1/u);
      expect(output).toMatch(/did you mean sample_percent\?/u);
      writeFileSync(
        join(stack, "edge.yaml"),
        manifestOf({ name: "web", ports: [1] }).replace("PortForward", "Portforward"),
      );
      expect(edgewise("validate").output).toContain("Did you mean PortForward?");
    });

    it("is refused when two of them claim the same", () => {
      write({ name: "web", ports: [8443] }, { name: "admin", ports: [9443, 8443] });
      const { status, output } = edgewise("validate");
      expect(status).toBe(1);
      expect(output).toMatch(/PortForward\/admin: 8443 is already claimed by PortForward\/web.*\[duplicate-claim\]/u);
    });

    it("is explained, has a schema and is completed", () => {
      expect(edgewise("explain", "PortForward").output).toContain("Forwards TCP ports of the account to a backend.");
      const { output } = edgewise("explain", "PortForward.access_log.sample_percent");
      expect(output).toContain("How many of a hundred connections are logged.");
      expect(JSON.parse(edgewise("schema", "PortForward").output)).toMatchObject({ title: "PortForward" });
      expect(edgewise("completion", "fish").output).toContain("PortForward");
    });

    it("is planned and applied, and a second plan is empty", () => {
      write(...both);
      expect(edgewise("graph").output).toMatch(/PortForward\/web[^]*spec\.backend/u);
      expect(planned()).toEqual([
        "create HTTPResponseBackend/page",
        "create PortForward/admin",
        "create PortForward/web",
      ]);
      expect(edgewise("apply", "--auto-approve")).toMatchObject({ status: 0 });
      expect(edgewise("plan", "--detailed-exitcode")).toMatchObject({ status: 0 });
    });

    it("swaps its claims in one plan, and loses its module through the module's endpoint", async () => {
      write({ name: "web", ports: [9443] }, { name: "admin", ports: [8443], sources: "[{ cidr: 10.0.0.0/8 }]" });
      expect(planned().toSorted()).toEqual([
        "module-delete PortForward/web",
        "patch PortForward/admin",
        "patch PortForward/admin",
        "patch PortForward/web",
      ]);
      expect(edgewise("apply", "--auto-approve")).toMatchObject({ status: 0 });
      expect(edgewise("plan", "--detailed-exitcode")).toMatchObject({ status: 0 });
      expect((await sandbox.forwards()).map(({ ports, access_log }) => ({ ports, access_log }))).toEqual([
        { ports: [9443], access_log: null },
        { ports: [8443], access_log: null },
      ]);
    });

    it("drifts when somebody changes it, by PATCH or by PUT of its module", async () => {
      const [web] = await sandbox.forwards();
      await sandbox.request("PATCH", `/port_forwards/${web?.id}`, { ports: [7443] });
      await sandbox.request("PUT", `/port_forwards/${web?.id}/access_log`, { sample_percent: 50 });
      const { status, output } = edgewise("drift");
      expect(status).toBe(2);
      expect(output).toContain("PortForward/web");
      expect(output).toContain("spec.ports");
      expect(output).toContain("spec.access_log");
      expect(edgewise("apply", "--auto-approve")).toMatchObject({ status: 0 });
      expect(edgewise("drift")).toMatchObject({ status: 0 });
    });

    it("is exported under its own name, with names for what it refers to", () => {
      const { status, output } = edgewise("export", "PortForward", "HTTPResponseBackend", "--owned");
      expect(status).toBe(0);
      expect(output).toMatch(/kind: PortForward\nmetadata:\n {2}name: web\n/u);
      expect(output).toMatch(/backend:\s+(\{ ?)?name: page/u);
      // The service adds what a manifest needn't say.
      expect(output).toMatch(/sources:\s+- cidr: 10\.0\.0\.0\/8\n(?!\s+description)/u);
    });

    it("is listed by what identifies it, with its owner", () => {
      const { status, output } = edgewise("list", "port-forwards");
      expect(status).toBe(0);
      expect(output).toMatch(/^PortForward\/web +\S+ +this stack +9443$/mu);
      expect(output).toMatch(/^PortForward\/admin +\S+ +this stack +8443, 10\.0\.0\.0\/8$/mu);
      expect(edgewise("list", "HTTPResponseBackend").output).toMatch(
        /^HTTPResponseBackend\/page +\S+ +this stack +200 +PortForward\/admin, PortForward\/web$/mu,
      );
    });

    it("is an address for guards.allow and --allow", () => {
      write({ name: "web", ports: [9443] }, { name: "admin", ports: [8443], lifecycle: "{ deletion: protect }" });
      expect(edgewise("apply", "--auto-approve")).toMatchObject({ status: 0 });
      write({ name: "web", ports: [9443] });
      const refused = edgewise("plan", "--detailed-exitcode");
      expect(refused).toMatchObject({ status: 4, output: expect.stringContaining("PortForward/admin") as unknown });
      expect(edgewise("plan", "--detailed-exitcode", "--allow", "PortForward/admin")).toMatchObject({ status: 2 });
      configure("guards: { allow: [PortForward/admin] }\n");
      expect(edgewise("apply", "--auto-approve")).toMatchObject({ status: 0 });
      configure("guards: { allow: [Portforward/admin] }\n");
      expect(edgewise("plan")).toMatchObject({ status: 1 });
      configure("");
    });

    it("is destroyed", async () => {
      expect(edgewise("destroy", "--auto-approve", "--max-deletes", "100%")).toMatchObject({ status: 0 });
      expect(await sandbox.forwards()).toEqual([]);
    });
  });
});

interface Forward {
  readonly name: string;
  readonly ports: readonly number[];
  readonly log?: string;
  readonly sources?: string;
  readonly lifecycle?: string;
}

function manifestOf({ name, ports, log, lifecycle, sources }: Forward): string {
  const optional = lifecycle === undefined ? "" : `lifecycle: ${lifecycle}\n`;
  const spec = `spec:\n  ports: [${ports.join(", ")}]\n  backend: { name: page }\n${sources === undefined ? "" : `  sources: ${sources}\n`}`;
  return `${head("PortForward", name)}${optional}${spec}${log === undefined ? "" : `  access_log: ${log}\n`}`;
}

function head(kind: string, name: string): string {
  return `apiVersion: edgewise/v1\nkind: ${kind}\nmetadata: { name: ${name} }\n`;
}

/** Replaces the first `from` in a file of the copy. */
function edit(path: string, from: string, to: string): void {
  const file = join(repository, path);
  const text = readFileSync(file, "utf8");
  if (!text.includes(from)) throw new Error(`${path} does not say ${from}`);
  writeFileSync(file, text.replace(from, to));
}

function addFixture(path: string): void {
  cpSync(join(fixtures, path), join(repository, path), { recursive: true });
}

type RunOptions = { readonly cwd?: string; readonly env?: { readonly [name: string]: string } };

/** Runs a script of the copy. */
function run(script: string, ...given: readonly (string | RunOptions)[]): { status: number | null; output: string } {
  const args = given.filter((each) => typeof each === "string");
  const { cwd, env } = given.find((each) => typeof each === "object") ?? {};
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(repository, script), ...args], {
    cwd: cwd ?? repository,
    env: { PATH: process.env["PATH"] ?? "", NO_COLOR: "1", ...env },
    encoding: "utf8",
  });
  return { status, output: stdout + stderr };
}

/** Runs {@link tests} in the copy, one file at a time. Other than {@link run}, it lets this process answer meanwhile. */
async function runTests(): Promise<{ status: unknown; output: string }> {
  const vitest = join(repository, "node_modules/vitest/vitest.mjs");
  const temporary = join(repository, "tmp");
  mkdirSync(temporary);
  const child = spawn(process.execPath, [vitest, "run", "--maxWorkers=1", ...tests], {
    cwd: repository,
    // Some look for what was left behind, which must not be what other tests use at the same time.
    env: { PATH: process.env["PATH"] ?? "", NO_COLOR: "1", TMPDIR: temporary },
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (text: Buffer) => (output += text.toString()));
  const [status] = (await once(child, "close")) as [unknown];
  return { status, output };
}

/** The sandbox of the copy's own program, and requests to it as somebody else would make them. */
async function startSandbox() {
  const child = spawn(process.execPath, [join(repository, "dist/bin/edgewise.js"), "sandbox", "-o", "json"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const { baseUrl, apiKey, versionHeader } = JSON.parse(await firstLine(child.stdout)) as {
    readonly [member: string]: string;
  };
  const request = async (method: string, path: string, body?: unknown): Promise<unknown> => {
    const response = await fetch(`${baseUrl}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${apiKey}`,
        [versionHeader ?? ""]: "2",
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    expect(response.ok, `${method} ${path}: ${response.status}`).toBe(true);
    return response.status === 204 ? null : response.json();
  };
  return {
    env: { EDGEWISE_BASE_URL: baseUrl ?? "", EDGEWISE_API_KEY: apiKey ?? "" },
    request,
    /** Newest first. */
    async forwards() {
      const { port_forwards } = (await request("GET", "/port_forwards")) as {
        readonly port_forwards: readonly {
          readonly id: string;
          readonly ports: unknown;
          readonly access_log: unknown;
        }[];
      };
      return port_forwards;
    },
    stop: () => child.kill(),
  };
}
