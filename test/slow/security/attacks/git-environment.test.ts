import { execFileSync } from "node:child_process";
import { chmod, mkdir, readFile, readdir, symlink, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { describe, expect, it } from "vitest";
import { git, proposal, writeCanary, type Proposal } from "../support/proposal.ts";

const path = process.env["PATH"] ?? "";
const realGit = execFileSync("sh", ["-c", "command -v git"], { encoding: "utf8" }).trim();

interface Call {
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: { readonly [name: string]: string };
}

/** Puts a git first on the PATH that notes how it is called, and then does what git does. */
async function watchedGit(p: Proposal): Promise<{ readonly path: string; calls(): Promise<readonly Call[]> }> {
  const bin = join(p.outside, "bin");
  const notes = join(p.outside, "notes");
  await mkdir(bin);
  await mkdir(notes);
  const note = `{ pwd; printf '%s\\0' "$@"; printf '\\0'; cat /proc/$$/environ; } > '${notes}'/$$`;
  await writeFile(join(bin, "git"), `#!/bin/sh\n${note}\nexec '${realGit}' "$@"\n`);
  await chmod(join(bin, "git"), 0o755);
  const call = async (name: string): Promise<Call> => {
    const text = await readFile(join(notes, name), "utf8");
    const line = text.indexOf("\n");
    const end = text.indexOf("\0\0");
    const variables = text
      .slice(end + 2)
      .split("\0")
      .filter((one) => one !== "");
    return {
      cwd: text.slice(0, line),
      args: text.slice(line + 1, end).split("\0"),
      env: Object.fromEntries(
        variables.map((one) => [one.slice(0, one.indexOf("=")), one.slice(one.indexOf("=") + 1)] as const),
      ),
    };
  };
  return { path: `${bin}:${path}`, calls: async () => Promise.all((await readdir(notes)).map(call)) };
}

describe("The environment holds the API key and other secrets → git gets PATH, HOME, a locale and its own switches, and nothing else", () => {
  it.each<readonly [string, { readonly [name: string]: string }]>([
    ["the API key and a variable of manifests", {}],
    ["a pipeline's tokens", { GITHUB_TOKEN: "canary-1", CI_JOB_TOKEN: "canary-2", AWS_SECRET_ACCESS_KEY: "canary-3" }],
    [
      "a header with a token in git's own variables",
      { GIT_CONFIG_COUNT: "1", GIT_CONFIG_KEY_0: "http.extraHeader", GIT_CONFIG_VALUE_0: "canary-4" },
    ],
    ["a proxy with a password", { HTTPS_PROXY_OF_OTHERS: "http://a:canary-5@127.0.0.1", GIT_ASKPASS: "/canary-6" }],
    [
      "settings of Node and of the loader",
      { NODE_EXTRA_CA_CERTS: "", LD_LIBRARY_PATH: "/canary-7", PERL5OPT: "canary-8" },
    ],
  ])("%s", async (_, env) => {
    const p = await proposal("infra", "process");
    const watched = await watchedGit(p);
    await p.expectOrdinary({ env: { HOME: p.outside, ...env, PATH: watched.path } });
    const calls = await watched.calls();
    expect(calls.length).toBeGreaterThan(3);
    for (const call of calls) {
      // The shell of the watching script adds these two.
      const { PWD: _pwd, OLDPWD: _old, ...given } = call.env;
      expect(given).toEqual({
        PATH: watched.path,
        HOME: p.outside,
        LC_ALL: "C",
        GIT_DIR: join(p.top, ".git"),
        GIT_WORK_TREE: p.top,
        GIT_CONFIG_NOSYSTEM: "1",
        GIT_CONFIG_SYSTEM: "/dev/null",
        GIT_CONFIG_GLOBAL: "/dev/null",
        GIT_ATTR_NOSYSTEM: "1",
        GIT_ALLOW_PROTOCOL: "",
        GIT_PROTOCOL_FROM_USER: "0",
        GIT_NO_LAZY_FETCH: "1",
        GIT_NO_REPLACE_OBJECTS: "1",
        GIT_GRAFT_FILE: "/dev/null",
        GIT_TERMINAL_PROMPT: "0",
        GIT_ASKPASS: "",
        GIT_SSH_COMMAND: "false",
        GIT_PROXY_COMMAND: "",
        GIT_EDITOR: "false",
        GIT_PAGER: "cat",
        GIT_OPTIONAL_LOCKS: "0",
        GIT_LITERAL_PATHSPECS: "1",
        GIT_ADVICE: "0",
      });
      expect(call.cwd).toBe(p.top);
      expect(call.args.slice(0, 9)).toEqual([
        "--no-pager",
        "-c",
        "safe.bareRepository=explicit",
        "-c",
        "protocol.allow=never",
        "-c",
        "core.fsmonitor=false",
        "-c",
        "core.hooksPath=/dev/null",
      ]);
      expect(JSON.stringify(call)).not.toMatch(/key-of-the-stage|canary/u);
    }
  });
});

describe("The environment points git elsewhere or names programs → the configuration's own repository is read and nothing else", () => {
  it.each<readonly [string, (p: Proposal) => { readonly [name: string]: string }]>([
    ["GIT_DIR", (p) => ({ GIT_DIR: join(p.outside, "none") })],
    ["GIT_DIR and GIT_WORK_TREE", (p) => ({ GIT_DIR: join(p.infra, "edge"), GIT_WORK_TREE: p.outside })],
    ["GIT_COMMON_DIR", (p) => ({ GIT_COMMON_DIR: p.outside })],
    ["GIT_OBJECT_DIRECTORY", (p) => ({ GIT_OBJECT_DIRECTORY: p.outside })],
    ["GIT_ALTERNATE_OBJECT_DIRECTORIES", (p) => ({ GIT_ALTERNATE_OBJECT_DIRECTORIES: p.outside })],
    ["GIT_INDEX_FILE", (p) => ({ GIT_INDEX_FILE: join(p.infra, "edgewise.yaml") })],
    ["GIT_NAMESPACE", () => ({ GIT_NAMESPACE: "evil" })],
    ["GIT_SHALLOW_FILE", (p) => ({ GIT_SHALLOW_FILE: join(p.infra, "edgewise.yaml") })],
    ["GIT_CEILING_DIRECTORIES", (p) => ({ GIT_CEILING_DIRECTORIES: p.top })],
    ["GIT_EXEC_PATH", (p) => ({ GIT_EXEC_PATH: p.infra })],
    [
      "GIT_CONFIG_COUNT",
      (p) => ({ GIT_CONFIG_COUNT: "1", GIT_CONFIG_KEY_0: "core.fsmonitor", GIT_CONFIG_VALUE_0: p.canary }),
    ],
    ["GIT_CONFIG_PARAMETERS", (p) => ({ GIT_CONFIG_PARAMETERS: `'core.fsmonitor=${p.canary}'` })],
    ["GIT_CONFIG_GLOBAL", (p) => ({ GIT_CONFIG_GLOBAL: join(p.infra, "edgewise.yaml") })],
    [
      "GIT_SSH_COMMAND, GIT_ASKPASS, GIT_PAGER, GIT_EDITOR",
      ({ canary }) => ({
        GIT_SSH_COMMAND: canary,
        GIT_ASKPASS: canary,
        GIT_PAGER: canary,
        PAGER: canary,
        GIT_EDITOR: canary,
      }),
    ],
    ["GIT_EXTERNAL_DIFF", (p) => ({ GIT_EXTERNAL_DIFF: p.canary })],
    ["GIT_TRACE", (p) => ({ GIT_TRACE: join(p.outside, "ran"), GIT_TRACE2_EVENT: join(p.outside, "ran") })],
    ["a HOME that a pull request wrote .gitconfig into", (p) => ({ HOME: p.top, XDG_CONFIG_HOME: p.top })],
  ])("%s", async (_, env) => {
    const p = await proposal("infra", "process");
    await p.write(".gitconfig", `[core]\n\tfsmonitor = ${p.canary}\n[trace2]\n\teventTarget = ${p.outside}/ran\n`);
    await p.expectOrdinary({ env: { PATH: path, ...env(p) } });
  });
});

describe("A pull request commits a program named git and the PATH leads to it → the git outside of the work tree is run", () => {
  it.each<readonly [string, (p: Proposal) => string]>([
    ["an empty component at the beginning", () => `:${path}`],
    ["a dot", () => `.:${path}`],
    ["a relative directory", () => `bin:./bin:../infra/bin:${path}`],
    ["the work tree's top", (p) => `${p.top}:${path}`],
    ["a directory of the work tree", (p) => `${p.infra}/bin:${path}`],
    ["node_modules/.bin, as npm sets it", (p) => `${p.top}/node_modules/.bin:${path}`],
    [
      "a roundabout way into the work tree",
      (p) => `${p.outside}/../${relative(join(p.outside, ".."), p.top)}/infra/bin:${path}`,
    ],
    ["a linked directory that leads into the work tree", (p) => `${p.outside}/linked:${path}`],
    ["a linked program that leads into the work tree", (p) => `${p.outside}/programs:${path}`],
  ])("%s", async (_, pathOf) => {
    const p = await proposal("infra", "process");
    for (const directory of [".", "infra", "infra/bin", "node_modules/.bin"]) {
      await writeCanary(join(p.top, directory, "git"), join(p.outside, "ran"));
    }
    await symlink(join(p.infra, "bin"), join(p.outside, "linked"));
    await mkdir(join(p.outside, "programs"));
    await symlink(join(p.infra, "bin", "git"), join(p.outside, "programs", "git"));
    await p.expectOrdinary({ env: { PATH: pathOf(p) } });
  });

  it("in the superproject of the repository", async () => {
    const p = await proposal("infra", "process");
    // The configuration's own repository lies in another one's work tree, as a submodule does.
    git(p.infra, "init", "-q", "-b", "main");
    git(p.infra, "add", "-A");
    git(p.infra, "commit", "-qm", "one");
    await writeCanary(join(p.top, "bin", "git"), join(p.outside, "ran"));
    const { exit, out, err } = await p.run(["plan", "--base", "main", "-o", "json"], {
      env: { PATH: `${p.top}/bin:${path}` },
    });
    expect({ exit, err }).toEqual({ exit: 0, err: "" });
    expect(JSON.parse(out).base).toBe(git(p.infra, "rev-parse", "main"));
    expect(await p.canaryRan()).toBeNull();
  });

  it.each<readonly [string, (p: Proposal) => string]>([
    ["nothing else is on the PATH", (p) => `.:${p.infra}/bin:`],
    ["the PATH is empty", () => ""],
  ])("%s", async (_, pathOf) => {
    const p = await proposal("infra", "process");
    await writeCanary(join(p.infra, "git"), join(p.outside, "ran"));
    await writeCanary(join(p.infra, "bin", "git"), join(p.outside, "ran"));
    const { exit, out, err } = await p.run(["plan", "--base", "main"], { env: { PATH: pathOf(p) } });
    expect({ exit, out }).toEqual({ exit: 1, out: "" });
    expect(err).toContain("git can't be run: it is not installed, or not on the PATH");
    expect(await p.canaryRan()).toBeNull();
  });
});
