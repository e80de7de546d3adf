import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { plainEnvironment, startSandbox } from "../../../scripts/sandbox.mjs";
import { root } from "../../repository/source-files.ts";

let project = "";
let sandbox: Awaited<ReturnType<typeof startSandbox>>;

beforeAll(async () => {
  sandbox = await startSandbox();
  project = mkdtempSync(join(tmpdir(), "edgewise-library-"));
  mkdirSync(join(project, "node_modules"));
  mkdirSync(join(project, "edge"));
  symlinkSync(root, join(project, "node_modules/edgewise"));
  symlinkSync(join(root, "node_modules/@types"), join(project, "node_modules/@types"));
  for (const file of ["reconcile.ts", "tsconfig.json"])
    copyFileSync(join(root, "examples/library", file), join(project, file));
  writeFileSync(join(project, "package.json"), '{"type": "module"}');
  writeFileSync(
    join(project, "edgewise.yaml"),
    "apiVersion: edgewise/v1\nkind: Config\nstack: library\nmanifests: [edge/]\n",
  );
});

afterAll(() => {
  sandbox.stop();
  rmSync(project, { recursive: true, force: true });
});

function run(...args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: project,
    encoding: "utf8",
    env: { ...plainEnvironment(), ...sandbox.env, NO_COLOR: "1" },
  });
  return { status, output: stdout + stderr };
}

function write(version: string, status = 503): void {
  writeFileSync(
    join(project, "edge/all.yaml"),
    `apiVersion: edgewise/v1
kind: HTTPResponseBackend
metadata: { name: down }
spec: { status_code: ${status} }
---
apiVersion: edgewise/v1
kind: TLSEdge
metadata: { name: api }
spec:
  hostports: ["api.example.com:443"]
  backend: { backend: { name: down } }
  tls_termination: { terminate_at: edge, min_version: "${version}" }
`,
  );
}

it("compiles against the types of the package", () => {
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  expect(run(tsc, "-p", "tsconfig.json")).toEqual({ status: 0, output: "" });
});

it("applies what concerns no security, waits for a person otherwise, and shows errors with their remedies", () => {
  const reconcile = () => run("dist/reconcile.js", project);
  write("1.2");
  expect(reconcile()).toEqual({
    status: 0,
    output: expect.stringMatching(/^create .+\ncreate .+\napplied, verified: true\n$/u) as unknown,
  });
  expect(reconcile()).toEqual({ status: 0, output: "nothing, verified: true\n" });
  write("1.3", 404);
  expect(reconcile()).toMatchObject({ status: 0, output: expect.stringContaining("[routing]") as unknown });
  write("1.0");
  expect(reconcile()).toMatchObject({
    status: 2,
    output: expect.stringContaining("waiting for a person\nTLSEdge/api: update has the impact security\n") as unknown,
  });
  writeFileSync(join(project, "edgewise.yaml"), "apiVersion: edgewise/v1\nkind: Config\nstak: library\n");
  expect(reconcile()).toMatchObject({ status: 1, output: expect.stringContaining("config: ") as unknown });
});
