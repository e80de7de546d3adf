import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import type * as Sandboxes from "../../../scripts/sandbox.mjs";
import { root } from "../../repository/source-files.ts";
import { temporary } from "../../support/cli.ts";

const fixtures = join(root, "test/slow/repository/fixtures/new-kind");
const written = [
  "schemas/port-forward.schema.json",
  "src/kinds/port-forward.ts",
  "src/model/resources/port-forward-model.ts",
  "examples/quickstart/edge/database.yaml",
  "test/kinds/port-forward.test.ts",
];
const copied = ["src", "schemas", "scripts", "examples", "test", "bench"];
const copiedToo = ["LICENSE", "package.json", "tsconfig.json", "tsconfig.test.json", "vitest.config.ts"];

const head = (kind: string, name: string): string =>
  `---\napiVersion: edgewise/v1\nkind: ${kind}\nmetadata: { name: ${name} }\n`;
const forward = (name: string, port: number, more = ""): string =>
  `${head("PortForward", name)}spec: { ports: [${port}], backend: { name: page }${more} }\n`;

it("a new kind is five files and its entry in the registry, as the developer guide has it, and is planned and applied", async () => {
  const guide = readFileSync(join(root, "docs/dev/guide.md"), "utf8");
  const steps = guide.slice(guide.indexOf("## Adding a kind"), guide.indexOf("## Adding a flag"));
  const places = written.map((path) =>
    path.replace("port-forward", "<kind>").replace("quickstart/edge/database", "quickstart/edge/<name>"),
  );
  const named = [...steps.matchAll(/^\d\. `([^`]+)`/gm)].map(([, path]) => path);
  expect(named.toSorted()).toEqual([...places, "src/kinds/registry.ts"].toSorted());

  const repository = await temporary();
  const run = (script: string, args: readonly string[], cwd = repository, env: NodeJS.ProcessEnv = {}) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [join(repository, script), ...args], {
      cwd,
      env: { PATH: process.env["PATH"], NO_COLOR: "1", ...env },
      encoding: "utf8",
    });
    return { status, output: stdout + stderr };
  };
  const filter = (source: string): boolean => basename(source) !== "node_modules";
  for (const path of [...copied, ...copiedToo])
    cpSync(join(root, path), join(repository, path), { recursive: true, filter });
  for (const path of ["node_modules", "test/slow/node_modules"]) symlinkSync(join(root, path), join(repository, path));
  for (const path of written) cpSync(join(fixtures, path), join(repository, path));
  const registry = join(repository, "src/kinds/registry.ts");
  const entry = readFileSync(registry, "utf8").replace("  HTTPSEdge:", "  PortForward: portForward,\n  HTTPSEdge:");
  writeFileSync(registry, `import { portForward } from "./port-forward.js";\n${entry}`);

  expect(run("scripts/generate.mjs", ["--check"])).toMatchObject({ status: 1 });
  expect(run("scripts/generate.mjs", [])).toMatchObject({ status: 0 });
  expect(run("scripts/build.mjs", [])).toEqual({ status: 0, output: "" });
  const types = run("node_modules/typescript/bin/tsc", ["-p", join(repository, "tsconfig.test.json")]);
  expect(types).toEqual({ status: 0, output: "" });
  const sandboxes: typeof Sandboxes = await import(pathToFileURL(join(repository, "scripts/sandbox.mjs")).href);
  const sandbox = await sandboxes.startSandbox();
  onTestFinished(() => sandbox.stop());
  const stack = join(repository, "stack");
  mkdirSync(stack);
  const edgewise = (...args: readonly string[]) => run("dist/bin/edgewise.js", args, stack, sandbox.env);
  const write = (...forwards: readonly string[]): void =>
    writeFileSync(
      join(stack, "edge.yaml"),
      `${head("HTTPResponseBackend", "page")}spec: { status_code: 200 }\n${forwards.join("")}`,
    );
  const applied = (): readonly string[] => {
    const { operations } = JSON.parse(edgewise("plan", "-o", "json").output) as {
      readonly operations: readonly { readonly kind: string; readonly address: string }[];
    };
    expect(edgewise("apply", "--auto-approve")).toMatchObject({ status: 0 });
    expect(edgewise("plan", "--detailed-exitcode")).toMatchObject({ status: 0 });
    return operations.map(({ kind, address }) => `${kind} ${address}`);
  };
  writeFileSync(
    join(stack, "edgewise.yaml"),
    "apiVersion: edgewise/v1\nkind: Config\nstack: test\nmanifests: [edge.yaml]\n",
  );
  write(forward("web", 8443), forward("admin", 8443));
  expect(edgewise("plan", "--detailed-exitcode")).toMatchObject({ status: 4 });
  write(forward("web", 8443, ", access_log: { sample_percent: 10 }"), forward("admin", 9443));
  expect(applied()).toEqual(["create HTTPResponseBackend/page", "create PortForward/admin", "create PortForward/web"]);
  write(forward("web", 9443), forward("admin", 8443));
  expect(applied().toSorted()).toEqual([
    "module-delete PortForward/web",
    "patch PortForward/admin",
    "patch PortForward/admin",
    "patch PortForward/web",
  ]);
  const { port_forwards: forwards } = await sandbox.request("GET", "/port_forwards");
  await sandbox.request("PATCH", `/port_forwards/${forwards[0].id}`, { ports: [7443] });
  expect(edgewise("drift")).toMatchObject({ status: 2, output: expect.stringContaining("spec.ports") as unknown });
});
