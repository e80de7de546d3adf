import { execFileSync } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { cli, sandboxProcess, start, temporary } from "../support/cli.ts";

const manifest = (status: number): string =>
  `apiVersion: edgewise/v1\nkind: HTTPResponseBackend\nmetadata:\n  name: sorry\nspec:\n  status_code: ${status}\n`;

async function fleet() {
  const dir = await temporary();
  const { EDGEWISE_BASE_URL: baseUrl = "", EDGEWISE_API_KEY: key = "" } = await sandboxProcess();
  const clone = join(dir, "clone");
  const git = (...args: readonly string[]): string => execFileSync("git", args, { cwd: dir, encoding: "utf8" }).trim();
  git("init", "-q", "--bare", "-b", "main", "edge.git");
  git("clone", "-q", "edge.git", "clone");
  execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", join(dir, "ann")]);
  for (const [name, value] of [
    ["user.name", "Ann"],
    ["user.email", "ann@example.com"],
    ["user.signingKey", join(dir, "ann")],
  ] as const)
    git("-C", clone, "config", name, value);
  const push = async (status: number): Promise<string> => {
    await mkdir(join(clone, "prod"), { recursive: true });
    const config = "apiVersion: edgewise/v1\nkind: Config\nstack: prod\nmanifests: [m.yaml]\n";
    await writeFile(join(clone, "prod/edgewise.yaml"), config);
    await writeFile(join(clone, "prod/m.yaml"), manifest(status));
    git("-C", clone, "add", "-A");
    git("-C", clone, "commit", "-qm", "change");
    git("-C", clone, "push", "-q", "origin", "HEAD:main");
    return git("-C", clone, "rev-parse", "HEAD");
  };
  await writeFile(join(dir, "key"), key, { mode: 0o600 });
  await writeFile(join(dir, "approvers"), `ann@example.com ${await readFile(join(dir, "ann.pub"), "utf8")}`);
  await writeFile(
    join(dir, "fleet.yaml"),
    `apiVersion: edgewise/v1
kind: Fleet
sources:
  edge: {git: ./edge.git, ref: main, poll: 1s}
accounts:
  main: {baseUrl: "${baseUrl}", key: {file: key}}
stacks:
  prod: {source: edge, config: prod/edgewise.yaml, account: main, apply: {commit: none, drift: never}, approvers: approvers}
http: {listen: "127.0.0.1:0"}
`,
  );
  return { dir, clone, push, git };
}

interface Shown {
  readonly state: string;
  readonly reason: string | null;
  readonly commit: string;
  readonly digest: string | null;
}

describe("edgewise approve", () => {
  it("shows what waits, signs exactly that, and serve applies it once", async () => {
    const { dir, clone, push, git } = await fleet();
    await push(503);
    const { child, ended } = start(["serve", "fleet.yaml", "--log-format", "json"], { cwd: dir });
    onTestFinished(() => void child.kill("SIGKILL"));
    let log = "";
    child.stderr.on("data", (text: string) => (log += text));
    const serverUrl = async (): Promise<string> => {
      for (;;) {
        const [, url] = /"url":"([^"]+)"/.exec(log) ?? [];
        if (url !== undefined) return url.replace(/\/$/, "");
        await pause(50);
      }
    };
    const server = await serverUrl();
    const prod = async (): Promise<Shown> => (await (await fetch(`${server}/api/stacks/prod`)).json()) as Shown;
    const until = async (is: (shown: Shown) => boolean): Promise<Shown> => {
      for (;;) {
        const shown = await prod().catch(() => null);
        if (shown !== null && is(shown)) return shown;
        await pause(100);
      }
    };
    const approve = (...more: readonly string[]) =>
      cli(["approve", "prod", "--server", server, ...more], { cwd: clone });

    await until(({ state }) => state === "synced");
    const commit = await push(502);
    const waiting = await until((shown) => shown.commit === commit && shown.reason === "approval");
    const name = `edgewise/approve/prod/${waiting.digest}/ann@example.com`;
    const asked = { exit: 1, out: expect.stringContaining("HTTPResponseBackend/sorry") };
    expect(await approve()).toMatchObject(asked);
    expect(await approve("-y", "--key", join(dir, "none"))).toMatchObject({
      exit: 1,
      err: expect.stringMatching(/git tag failed|without a signature/),
    });
    expect(git("-C", clone, "tag")).toBe("");
    git("-C", clone, "tag", name);
    git("-C", clone, "commit", "-q", "--allow-empty", "-m", "not pushed");

    const approved = await approve("-y", "-m", "agreed with ops");
    expect(approved.exit, approved.err).toBe(0);
    expect(git("-C", clone, "ls-remote", "--tags", "origin")).toContain(name);
    expect(git("-C", clone, "rev-parse", `${name}^{commit}`)).toBe(commit);
    const synced = await until(({ state }) => state === "synced");
    expect(synced).toMatchObject({ commit, appliedCommit: commit, digest: null });
    const history = await (await fetch(`${server}/api/stacks/prod/history`)).text();
    expect(history).toContain(`"digest":"${waiting.digest}"`);
    expect(history).toContain('"message":"agreed with ops"');
    expect(log).toContain('"event":"approval-spent"');
    expect(await approve("-y")).toMatchObject({ exit: 1, err: expect.stringContaining("nothing of prod waits") });
    child.kill("SIGTERM");
    expect((await ended).exit).toBe(0);
  });
});
