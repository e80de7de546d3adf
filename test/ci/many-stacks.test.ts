import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { startSandbox } from "../../scripts/sandbox.mjs";

const root = fileURLToPath(new URL("../../", import.meta.url));
const base = mkdtempSync(join(tmpdir(), "edgewise-stacks-"));
const repository = join(base, "repository");
const path = `${join(base, "bin")}:${process.env["PATH"] ?? ""}`;

function write(file: string, text: string): void {
  mkdirSync(dirname(join(repository, file)), { recursive: true });
  writeFileSync(join(repository, file), text);
}

function git(...args: string[]): void {
  const identity = ["-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "commit.gpgsign=false"];
  execFileSync("git", [...identity, ...args], { cwd: repository, stdio: "pipe" });
}

const backend = (code: number) =>
  `apiVersion: edgewise/v1\nkind: HTTPResponseBackend\nmetadata: {name: page}\nspec: {status_code: ${code}}\n`;

interface Step {
  readonly run?: string;
}

interface Workflow {
  readonly jobs: { readonly [job: string]: { readonly steps: readonly Step[]; readonly strategy?: object } };
}

/** The workflow that docs/ci.md shows. */
function documented(): Workflow {
  const page = readFileSync(join(root, "docs/ci.md"), "utf8");
  const section = page.slice(page.indexOf("## Many stacks in one repository"));
  return parse(/```yaml\n(.*?)```/su.exec(section)?.[1] ?? "") as Workflow;
}

/** Runs the steps of a job as the runner does. */
function runSteps(job: string, env: { readonly [name: string]: string }) {
  const output = join(base, `${job}.output`);
  const summary = join(base, `${job}.summary`);
  for (const file of [output, summary]) writeFileSync(file, "");
  for (const { run } of documented().jobs[job]?.steps ?? []) {
    if (run === undefined) continue;
    const { status, stderr } = spawnSync("bash", ["--noprofile", "--norc", "-eo", "pipefail", "-c", run], {
      cwd: repository,
      encoding: "utf8",
      env: { PATH: path, GITHUB_OUTPUT: output, GITHUB_STEP_SUMMARY: summary, GITHUB_BASE_REF: "main", ...env },
    });
    expect(status, stderr).toBe(0);
  }
  return { output: readFileSync(output, "utf8"), summary: readFileSync(summary, "utf8") };
}

beforeAll(() => {
  mkdirSync(join(base, "bin"), { recursive: true });
  symlinkSync(join(root, "dist/bin/edgewise.js"), join(base, "bin/edgewise"));
  for (const name of ["a", "b", "c"]) {
    const environments = name === "b" ? "environments: {staging: {stack: b-staging}}\n" : "";
    write(
      `${name}/edgewise.yaml`,
      `apiVersion: edgewise/v1\nkind: Config\nstack: ${name}\nmanifests: [edge/]\n${environments}`,
    );
    write(`${name}/edge/all.yaml`, backend(503));
  }
  git("init", "-q", "-b", "main");
  git("add", "-A");
  git("commit", "-qm", "one");
  git("update-ref", "refs/remotes/origin/main", "HEAD");
  git("checkout", "-qb", "branch");
  write("b/edge/all.yaml", backend(404));
  git("commit", "-qam", "two");
});

afterAll(() => rmSync(base, { recursive: true, force: true }));

describe("many stacks in one repository", () => {
  it("lists those that a pull request touches, and plans each in a job of its own", async () => {
    const sandbox = await startSandbox();
    try {
      const { output } = runSteps("stacks", {});
      expect(output).toMatch(/^stacks=\{.*\}\n$/u);
      const { stacks } = JSON.parse(output.slice("stacks=".length));
      expect(stacks).toMatchObject([
        { config: "b/edgewise.yaml", environment: null, slug: "b" },
        { config: "b/edgewise.yaml", environment: "staging", slug: "b-staging" },
      ]);
      for (const { config, environment } of stacks) {
        const { summary } = runSteps("plan", {
          ...sandbox.env,
          EDGEWISE_API_KEY: sandbox.apiKey,
          EDGEWISE_BASE_URL: sandbox.baseUrl,
          CONFIG: config,
          ENVIRONMENT: environment ?? "",
        });
        expect(summary).toContain(`Edgewise plan for ${environment === null ? "b" : "b-staging"}`);
      }
    } finally {
      sandbox.stop();
    }
  });

  it("fails the list when a configuration is broken", () => {
    write("d/edgewise.yaml", "stack: [\n");
    const [step] = (documented().jobs["stacks"]?.steps ?? []).filter(({ run }) => run !== undefined);
    const { status, stderr } = spawnSync("bash", ["-eo", "pipefail", "-c", step?.run ?? ""], {
      cwd: repository,
      encoding: "utf8",
      env: { PATH: path, GITHUB_OUTPUT: "/dev/null", GITHUB_BASE_REF: "main" },
    });
    rmSync(join(repository, "d"), { recursive: true });
    expect(status).toBe(1);
    expect(stderr).toContain("d/edgewise.yaml:");
  });
});

describe("the pre-commit hook", () => {
  interface Hook {
    readonly id: string;
    readonly entry: string;
    readonly language: string;
    readonly files: string;
    readonly pass_filenames: boolean;
  }

  const hooks = parse(readFileSync(join(root, ".pre-commit-hooks.yaml"), "utf8")) as readonly Hook[];

  /** As pre-commit does: only when staged files match, by the entry's words and the configured arguments, with no shell. */
  function commit(staged: readonly string[], args: readonly string[]) {
    const [hook] = hooks;
    const matching = staged.filter((file) => new RegExp(hook?.files ?? "", "u").test(file));
    if (hook === undefined || matching.length === 0) return null;
    const [program = "", ...words] = hook.entry.split(" ");
    const files = hook.pass_filenames ? matching : [];
    const env = { PATH: path };
    return spawnSync(program, [...words, ...args, ...files], { cwd: repository, encoding: "utf8", env });
  }

  it("is a program of this package, installed by npm", () => {
    const { bin } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
    expect(hooks.map(({ id, language }) => [id, language])).toEqual([["edgewise-validate", "node"]]);
    for (const { entry } of hooks) expect(Object.keys(bin)).toContain(entry.split(" ")[0]);
  });

  it("runs for YAML files only, passes when all is well, and blocks a broken manifest", () => {
    expect(commit(["README.md"], [])).toBeNull();
    expect(commit(["b/edge/all.yaml"], ["-c", "b/edgewise.yaml"])?.status).toBe(0);
    write("b/edge/all.yaml", backend(42));
    const blocked = commit(["b/edge/all.yaml", "b/README.md"], ["-c", "b/edgewise.yaml"]);
    expect(blocked?.status).toBe(1);
    expect(blocked?.stdout).toContain("edge/all.yaml:4:");
  });
});
