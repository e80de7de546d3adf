import { execFileSync } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { violations } from "../schemas/all-schemas.ts";
import { cli, sandboxProcess, start, temporary } from "../support/cli.ts";

const manifest = (status: number): string =>
  `apiVersion: edgewise/v1\nkind: HTTPResponseBackend\nmetadata:\n  name: sorry\nspec:\n  status_code: ${status}\n`;

async function fleet() {
  const dir = await temporary();
  const { EDGEWISE_BASE_URL: baseUrl = "", EDGEWISE_API_KEY: key = "" } = await sandboxProcess();
  const repo = join(dir, "repo");
  await mkdir(join(repo, "prod"), { recursive: true });
  const git = (...args: readonly string[]): string =>
    execFileSync("git", ["-C", repo, "-c", "user.name=a", "-c", "user.email=a@example.com", ...args], {
      encoding: "utf8",
    });
  git("init", "-q", "-b", "main");
  const push = async (status: number): Promise<string> => {
    await writeFile(join(repo, "prod/m.yaml"), manifest(status));
    git("add", "-A");
    git("commit", "-qm", "change");
    return git("rev-parse", "HEAD").trim();
  };
  await writeFile(
    join(repo, "prod/edgewise.yaml"),
    "apiVersion: edgewise/v1\nkind: Config\nstack: prod\nmanifests: [m.yaml]\n",
  );
  await writeFile(join(dir, "key"), key, { mode: 0o600 });
  await writeFile(
    join(dir, "fleet.yaml"),
    `apiVersion: edgewise/v1\nkind: Fleet\nsources:\n  edge: {git: ./repo, ref: main, poll: 1s}\naccounts:\n  main: {baseUrl: "${baseUrl}", key: {file: key}}\nstacks:\n  prod: {source: edge, config: prod/edgewise.yaml, account: main}\nhttp: {listen: "127.0.0.1:0"}\n`,
  );
  const edit = async (changes: object): Promise<unknown> => {
    const call = async (path: string, init: RequestInit = {}): Promise<Record<string, unknown>> => {
      const type = init.body === undefined ? {} : { "content-type": "application/json" };
      const headers = { authorization: `Bearer ${key}`, "service-version": "2", ...type };
      const response = await fetch(`${baseUrl}${path}`, { ...init, headers });
      expect(response.ok, `${response.status} ${response.ok ? "" : await response.clone().text()}`).toBe(true);
      return (await response.json()) as Record<string, unknown>;
    };
    const { backends } = await call("/backends/http_response");
    const [{ id }] = backends as [{ readonly id: string }];
    const path = `/backends/http_response/${id}`;
    return Object.keys(changes).length === 0
      ? call(path)
      : call(path, { method: "PATCH", body: JSON.stringify(changes) });
  };
  return { dir, edit, push };
}

interface Shown {
  readonly name: string;
  readonly state: string;
  readonly reason: string | null;
}

/** Nearly as long as a test may take. */
const waiting = { timeout: 250_000, interval: 100 };

async function logged<T>({ child }: ReturnType<typeof start>, event: string, count = 1): Promise<T> {
  const log = logs.get(child) ?? [];
  if (!logs.has(child)) {
    logs.set(child, log);
    let rest = "";
    child.stderr.on("data", (text: string) => {
      const lines = (rest + text).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) log.push(JSON.parse(line) as { readonly event: string });
    });
  }
  return vi.waitFor(() => {
    const found = log.filter((line) => line.event === event)[count - 1];
    if (found === undefined) throw new Error(`no ${event} yet: ${JSON.stringify(log)}`);
    return found as T;
  }, waiting);
}

const logs = new WeakMap<object, { readonly event: string }[]>();

describe("edgewise serve", () => {
  it("checks, decides and makes one pass, without any EDGEWISE_* and whatever they are", async () => {
    const { dir, push } = await fleet();
    const commit = await push(503);
    const env = { EDGEWISE_BASE_URL: "nonsense", EDGEWISE_API_KEY: "" };
    const checked = await cli(["serve", "fleet.yaml", "--check", "-o", "json"], { cwd: dir, env });
    expect(checked.exit, checked.err).toBe(0);
    expect(violations("serve-check", JSON.parse(checked.out))).toEqual([]);
    expect(await cli(["serve", "fleet.yaml", "--once", "--dry-run"], { cwd: dir })).toMatchObject({ exit: 2 });
    const ran = await cli(["serve", "fleet.yaml", "--once", "-o", "json"], { cwd: dir });
    expect(ran.exit, ran.err).toBe(0);
    expect(violations("serve-stacks", JSON.parse(ran.out))).toEqual([]);
    expect(JSON.parse(ran.out)).toMatchObject({ stacks: [{ name: "prod", state: "synced", appliedCommit: commit }] });
    // A dry run changes nothing, whatever went wrong: 3 says that something was changed.
    await push(42);
    expect(await cli(["serve", "fleet.yaml", "--once", "--dry-run"], { cwd: dir })).toMatchObject({ exit: 1 });
    expect(await cli(["serve", "fleet.yaml", "--once"], { cwd: dir })).toMatchObject({ exit: 3 });
  });

  it("heals a hand edit that its policy allows, leaves another to a person, and keeps the old fleet file for a broken one", async () => {
    const { dir, edit, push } = await fleet();
    await push(503);
    const file = join(dir, "fleet.yaml");
    const text = await readFile(file, "utf8");
    await writeFile(file, `${text}defaults: {interval: 1s}\n`);
    const server = start(["serve", "fleet.yaml", "--log-format", "json"], { cwd: dir });
    onTestFinished(() => void server.child.kill("SIGKILL"));
    const { url } = await logged<{ readonly url: string }>(server, "serve-started");
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:[1-9]\d*$/u);
    const ask = async (path: string) => fetch(new URL(path, url));
    const stack = async () => {
      const list = (await (await ask("/api/stacks")).json()) as { readonly stacks: readonly Shown[] };
      expect(violations("serve-stacks", list)).toEqual([]);
      return list.stacks[0];
    };
    await vi.waitFor(async () => expect(await stack()).toMatchObject({ state: "synced", reason: null }), waiting);
    await vi.waitFor(async () => expect((await ask("/readyz")).status).toBe(200), waiting);
    await edit({ description: "by hand" });
    await logged(server, "apply-ended", 2);
    expect(await edit({})).toMatchObject({ description: "", status_code: 503 });
    await edit({ status_code: 500 });
    await vi.waitFor(
      async () => expect(await stack()).toMatchObject({ state: "waiting", reason: "approval" }),
      waiting,
    );
    expect(await edit({})).toMatchObject({ status_code: 500 });

    await writeFile(file, text.replace("sources:", "sauces:"));
    server.child.kill("SIGHUP");
    const refused = await logged<{ readonly message: string }>(server, "fleet-refused");
    expect(refused.message).toContain("fleet.yaml:3:1");
    await vi.waitFor(async () => expect((await ask("/readyz")).status).toBe(503), waiting);
    expect(await stack()).toMatchObject({ name: "prod", state: "waiting" });
    await writeFile(file, `${text}defaults: {interval: 1s, apply: {commit: routing, drift: routing}}\n`);
    server.child.kill("SIGHUP");
    await logged(server, "fleet-loaded");
    await logged(server, "apply-ended", 3);
    expect(await edit({})).toMatchObject({ status_code: 503 });
    await vi.waitFor(async () => expect((await ask("/readyz")).status).toBe(200), waiting);
    server.child.kill("SIGTERM");
    const { err, exit } = await server.ended;
    expect(exit).toBe(0);
    for (const line of err.trimEnd().split("\n")) expect(violations("serve-log", JSON.parse(line))).toEqual([]);
  });

  it("makes a push live, refuses a second process on its state, and ends at SIGTERM with 0", async () => {
    const { dir, push } = await fleet();
    await push(503);
    const { child, ended } = start(["serve", "fleet.yaml", "--log-format", "json"], { cwd: dir });
    onTestFinished(() => void child.kill("SIGKILL"));
    let log = "";
    child.stderr.on("data", (text: string) => (log += text));
    const applied = async (count: number): Promise<void> => {
      while (log.split('"apply-ended"').length <= count) await pause(50);
    };
    await applied(1);
    const commit = await push(502);
    await applied(2);
    const second = await cli(["serve", "fleet.yaml", "--once"], { cwd: dir });
    expect(second.exit).toBe(1);
    expect(second.err).toContain(`process ${child.pid}`);
    child.kill("SIGTERM");
    expect((await ended).exit).toBe(0);
    expect(log).toContain(`"event":"source-followed","source":"edge","commit":"${commit}"`);
    expect(await readFile(join(dir, "key"), "utf8").then((key) => log.includes(key))).toBe(false);
  });
});
