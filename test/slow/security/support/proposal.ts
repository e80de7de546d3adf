import { execFileSync } from "node:child_process";
import { rmSync } from "node:fs";
import { chmod, cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { cli, type Ended } from "../../../support/cli.ts";
import { backend, stage } from "../../../commands/stage.ts";

const identity = { GIT_AUTHOR_NAME: "a", GIT_AUTHOR_EMAIL: "a@b", GIT_COMMITTER_NAME: "a", GIT_COMMITTER_EMAIL: "a@b" };
const quiet = { GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1", GIT_ALLOW_PROTOCOL: "file" };

export function git(cwd: string, ...args: readonly string[]): string {
  const env = { PATH: process.env["PATH"], ...identity, ...quiet };
  return execFileSync("git", args, { cwd, env, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] }).trim();
}

export interface Proposal {
  readonly top: string;
  readonly infra: string;
  readonly outside: string;
  /** A program outside of the repository that writes its environment to a file when it is run. */
  readonly canary: string;
  canaryRan(): Promise<string | null>;
  git(...args: readonly string[]): string;
  write(path: string, text: string): Promise<void>;
  run(args: readonly string[], options?: { readonly cwd?: string; readonly env?: Environment }): Promise<Ended>;
  expectOrdinary(options?: { readonly cwd?: string; readonly env?: Environment }): Promise<void>;
}

type Environment = { readonly [name: string]: string };

export async function writeCanary(path: string, ranFile: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, `#!/bin/sh\nenv > '${ranFile}'\nexit 1\n`);
  await chmod(path, 0o755);
}

const originals = new Map<string, Promise<string>>();

/** The repository that every proposal begins as, which is copied: git needs eight processes to make one. */
async function original(where: string): Promise<string> {
  const top = await mkdtemp(join(tmpdir(), "edgewise-original-"));
  process.once("exit", () => rmSync(top, { recursive: true, force: true }));
  const write = async (path: string, text: string): Promise<void> => {
    await mkdir(dirname(join(top, where, path)), { recursive: true });
    await writeFile(join(top, where, path), text);
  };
  git(top, "init", "-q", "-b", "main", "--template=");
  await write("edgewise.yaml", "apiVersion: edgewise/v1\nkind: Config\nstack: demo\nmanifests: [edge/]\n");
  await write("edge/a.yaml", backend("a", 'status_code: 503, body: "one"'));
  await write("edge/b.yaml", backend("b"));
  git(top, "add", "-A");
  git(top, "commit", "-qm", "one");
  git(top, "checkout", "-qb", "proposal");
  await write("edge/a.yaml", backend("a", 'status_code: 504, body: "two"'));
  git(top, "commit", "-qam", "two");
  // A plain `git init` makes these from its template.
  for (const directory of ["hooks", "info"]) await mkdir(join(top, ".git", directory), { recursive: true });
  return top;
}

export async function proposal(where = "infra", as: "in memory" | "process" = "in memory"): Promise<Proposal> {
  const on = await stage();
  const outside = await mkdtemp(join(tmpdir(), "edgewise-outside-"));
  onTestFinished(() => rm(outside, { recursive: true, force: true }));
  const top = on.dir;
  const ranFile = join(outside, "ran");
  const canary = join(outside, "canary");
  await writeCanary(canary, ranFile);
  await rm(join(top, "edgewise.yaml"));
  const made = originals.get(where) ?? original(where);
  originals.set(where, made);
  await cp(await made, top, { recursive: true });
  const main = git(top, "rev-parse", "main");

  const canaryRan = () => readFile(ranFile, "utf8").catch(() => null);
  const run: Proposal["run"] = async (args, { cwd = join(top, where), env: more = {} } = {}) => {
    const env = { ...on.env, EDGEWISE_VAR_CANARY: "canary-of-a-variable", ...more };
    return as === "process" ? cli(args, { cwd, env }) : on.runWith({ cwd, env }, ...args).ran;
  };
  return {
    top,
    infra: join(top, where),
    outside,
    canary,
    canaryRan,
    git: (...args) => git(top, ...args),
    write: on.write,
    run,
    async expectOrdinary(options) {
      const { exit, out, err } = await run(["plan", "--base", "main", "-o", "json"], options);
      expect(await canaryRan()).toBeNull();
      expect({ exit, err }).toEqual({ exit: 0, err: "" });
      const { base, changes } = JSON.parse(out) as {
        base: string;
        changes: { address: string; fields: { path: string; origin: string }[] }[];
      };
      expect(base).toBe(main);
      const origins = changes.map(({ address, fields }) => [
        address,
        fields.find(({ path }) => path === "spec.status_code")?.origin,
      ]);
      expect(Object.fromEntries(origins)).toEqual({
        "HTTPResponseBackend/a": "both",
        "HTTPResponseBackend/b": "drift",
      });
    },
  };
}
