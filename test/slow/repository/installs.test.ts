import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmod, cp, mkdir, readFile, readdir, realpath, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { type TestContext, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { temporary } from "../../support/cli.ts";
import { root } from "../../repository/source-files.ts";

const manifest = JSON.parse(await readFile(join(root, "package.json"), "utf8"));

function runIn(cwd: string, command: string, args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const { PATH, npm_config_registry, npm_config_cache } = process.env;
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd,
    env: { PATH, HOME: homedir(), npm_config_registry, npm_config_cache, ...env },
    encoding: "utf8",
    maxBuffer: 1e8,
  });
  return { status, stdout, stderr };
}

/** Installs packages with npm. The test is skipped when the registry can't be reached. */
function install(context: TestContext, directory: string, what: string): void {
  const args = ["install", "--no-audit", "--no-fund", "--prefer-offline", what];
  // npm would wait for minutes for a registry that can't be reached.
  const { status, stderr } = runIn(directory, "npm", args, {
    npm_config_fetch_retries: "1",
    npm_config_fetch_retry_mintimeout: "500",
    npm_config_fetch_retry_maxtimeout: "1000",
  });
  if (status !== 0 && /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|E40[13]|E5\d\d/.test(stderr))
    context.skip("no package registry can be reached");
  expect(status, stderr).toBe(0);
}

async function expectInstalled(directory: string): Promise<void> {
  const program = join(directory, "node_modules/.bin/edgewise");
  expect(runIn(directory, program, ["--version"])).toMatchObject({ status: 0, stdout: `${manifest.version}\n` });
  expect(runIn(directory, program, ["schema", "TLSEdge"])).toMatchObject({ status: 0 });
  expect(runIn(directory, program, ["init", "repo"])).toMatchObject({ status: 0 });
  expect(await sha256(join(directory, "repo/.edgewise/edgewise.mjs"))).toBe(
    await sha256(join(directory, "node_modules/edgewise/dist/edgewise.mjs")),
  );
  const repository = join(directory, "repo");
  expect(runIn(repository, process.execPath, [".edgewise/edgewise.mjs", "validate"])).toMatchObject({ status: 0 });
}

/** Comparing texts of a megabyte would print both. */
async function sha256(file: string): Promise<string> {
  return createHash("sha256")
    .update(await readFile(file))
    .digest("hex");
}

async function project(): Promise<string> {
  const directory = await temporary();
  await writeFile(join(directory, "package.json"), '{"private": true}\n');
  return directory;
}

describe("edgewise is installed", () => {
  // npm packs it as `npm pack` does, and installs the archive.
  it("from a Git repository, which builds itself", { timeout: 900_000 }, async (context) => {
    const clone = await temporary();
    for (const path of [
      "LICENSE",
      "package-lock.json",
      ".npmrc",
      ".gitignore",
      "tsconfig.json",
      "scripts",
      "src",
      "schemas",
      "examples",
    ])
      await cp(join(root, path), join(clone, path), { recursive: true });
    // The packages for checks and tests would take minutes to install.
    const needed = ["@types/node", "@types/pg", "rolldown", "typescript"];
    const devDependencies = Object.fromEntries(needed.map((name) => [name, manifest.devDependencies[name]]));
    await writeFile(join(clone, "package.json"), JSON.stringify({ ...manifest, devDependencies }));
    const git = (...args: readonly string[]) => expect(runIn(clone, "git", args)).toMatchObject({ status: 0 });
    git("init", "-q", "-b", "main");
    git("add", ".");
    git("-c", "user.name=x", "-c", "user.email=x@example.com", "commit", "-q", "-m", "x");
    const directory = await project();
    install(context, directory, `git+file://${clone}`);
    expect(await readdir(join(directory, "node_modules"))).not.toContain("rolldown");
    await expectInstalled(directory);
  });
});

describe("the action's installation", () => {
  it("builds once for a job, without scripts of packages, and puts the one file on the PATH", async () => {
    const directory = await temporary();
    const [checkout, temp, bin] = ["action", "temp", "bin"].map((name) => join(directory, name)) as [
      string,
      string,
      string,
    ];
    for (const each of [checkout, temp, bin]) await mkdir(each);
    const calls = join(directory, "calls");
    const built = join(root, "dist/edgewise.mjs");
    await writeFile(
      join(bin, "npm"),
      `#!/bin/sh\necho "$*" >> '${calls}'\n[ "$1" = ci ] || { mkdir dist && cp -p '${built}' dist/; }\n`,
    );
    await chmod(join(bin, "npm"), 0o755);
    const env = {
      PATH: `${bin}:${process.env["PATH"] ?? ""}`,
      GITHUB_ACTION_PATH: checkout,
      RUNNER_TEMP: temp,
      GITHUB_PATH: join(directory, "path"),
    };
    const { runs } = parse(await readFile(join(root, "action.yml"), "utf8"));
    const script: string = runs.steps.find((step: { readonly name?: string }) => step.name === "Install").run;
    for (let use = 0; use < 2; use += 1)
      expect(runIn(directory, "bash", ["-eo", "pipefail", "-c", script], env)).toMatchObject({ status: 0 });
    expect(await readFile(calls, "utf8")).toBe("ci --ignore-scripts --no-audit --no-fund\nrun build\n");
    const [added = ""] = (await readFile(env.GITHUB_PATH, "utf8")).split("\n");
    expect(await realpath(join(added, "edgewise"))).toBe(await realpath(join(checkout, "dist/edgewise.mjs")));
    expect(runIn(directory, join(added, "edgewise"), ["--version"])).toMatchObject({
      status: 0,
      stdout: `${manifest.version}\n`,
    });
  });
});
