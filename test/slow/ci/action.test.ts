import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cli, startSandbox } from "../../../scripts/sandbox.mjs";
import { type InitRepository, initRepository } from "./init-repository.ts";
import { action } from "./recipes.ts";
import type { Strings } from "./recipes.ts";

let sandbox: Awaited<ReturnType<typeof startSandbox>>;
let repository: InitRepository;

beforeAll(async () => {
  sandbox = await startSandbox();
  repository = initRepository("github");
  mkdirSync(join(repository.scratch, "bin"));
  symlinkSync(cli, join(repository.scratch, "bin", "edgewise"));
});
afterAll(() => {
  sandbox.stop();
  repository.remove();
});

function bash(script: string, env: Strings) {
  const path = [join(repository.scratch, "bin"), repository.env["PATH"]].join(delimiter);
  return spawnSync("bash", ["--noprofile", "--norc", "-eo", "pipefail", "-c", script], {
    cwd: repository.work,
    encoding: "utf8",
    env: { ...repository.env, PATH: path, EDGEWISE_VERSION_HEADER: sandbox.env.EDGEWISE_VERSION_HEADER, ...env },
  });
}

describe("the action's command", () => {
  const step = action.runs.steps.find(({ name }) => name === "Run");

  function run(command: string, args: string) {
    const outputs = join(repository.scratch, "output");
    writeFileSync(outputs, "");
    const result = bash(step?.run ?? "exit 99", {
      COMMAND: command,
      ARGS: args,
      EDGEWISE_API_KEY: sandbox.apiKey,
      EDGEWISE_BASE_URL: sandbox.baseUrl,
      GITHUB_OUTPUT: outputs,
    });
    return { status: result.status, stderr: result.stderr, outputs: readFileSync(outputs, "utf8") };
  }

  it("passes its arguments, one on each line, and returns the exit code", () => {
    expect(run("validate", "-o\njson")).toMatchObject({ status: 0, outputs: "code=0\n" });
    expect(run("plan", "--detailed-exitcode\n")).toMatchObject({ status: 0, outputs: "code=2\n" });
  });

  it("never evaluates an input as shell", () => {
    run("validate", "; touch pwned\n$(touch pwned)\n`touch pwned`");
    expect(existsSync(join(repository.work, "pwned"))).toBe(false);
  });
});
