import { execFileSync } from "node:child_process";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { run } from "../../../src/commands/run.ts";
import { memoryIo } from "../../commands/memory-io.ts";
import { violations } from "../../schemas/all-schemas.ts";

const directory = mkdtempSync(join(tmpdir(), "edgewise-problems-"));
afterAll(() => rmSync(directory, { recursive: true }));

const fleet = `apiVersion: edgewise/v1
kind: Fleet
sources: {edge: {git: ./nowhere, ref: main}}
accounts: {main: {baseUrl: "http://127.0.0.1:1", key: {env: KEY}}}
stacks: {prod: {source: edge, account: main}}
`;

async function lines(text: string, ...flags: readonly string[]): Promise<readonly unknown[]> {
  writeFileSync(join(directory, "fleet.yaml"), text);
  const io = memoryIo({ cwd: directory, env: { PATH: process.env["PATH"] ?? "", KEY: "ak_C4n4ry/7+9==~Lk" } });
  expect(await run(["serve", "fleet.yaml", "--log-format", "json", ...flags], io)).toBe(1);
  expect(io.err()).not.toContain("C4n4ry");
  const all = io.err().trimEnd().split("\n");
  return all.map((line): unknown => JSON.parse(line));
}

describe("why serve does not run", () => {
  it.each([
    ["a broken fleet file", fleet.replace("accounts", "acounts"), []],
    ["a fleet file that refers to nothing", fleet.replace("source: edge", "source: egde"), []],
    ["an address that is none", fleet, ["--listen", "nonsense"]],
    ["a port of others without a token", fleet, ["--listen", "0.0.0.0:0"]],
  ])("is told in lines that the log's schema describes: %s", async (_, text, flags) => {
    const told = await lines(text, ...flags);
    expect(told).not.toEqual([]);
    for (const line of told) expect(violations("serve-log", line), JSON.stringify(line)).toEqual([]);
  });

  it("is told by a check for each source and account, with its place in the fleet file", async () => {
    const told = await lines(fleet, "--check");
    for (const line of told) expect(violations("serve-log", line), JSON.stringify(line)).toEqual([]);
    expect(told).toMatchObject([
      { level: "error", subject: "source", name: "edge", file: "fleet.yaml", line: 3 },
      { level: "error", subject: "account", name: "main", file: "fleet.yaml", line: 4 },
    ]);
  });
});

it("serve hears a SIGHUP of the time before it serves, reads the file once for many, and ends with 0 within its grace", async () => {
  // It never answers: what waits for it is cut off.
  const silent = createServer();
  await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void silent.close());
  const { port } = silent.address() as AddressInfo;
  execFileSync("git", ["init", "-q", "-b", "main", join(directory, "repo")]);
  writeFileSync(join(directory, "repo/edgewise.yaml"), "apiVersion: edgewise/v1\nkind: Config\nstack: prod\n");
  for (const args of [
    ["add", "-A"],
    ["commit", "-qm", "x"],
  ])
    execFileSync("git", ["-C", join(directory, "repo"), "-c", "user.name=a", "-c", "user.email=a@b", ...args]);
  const slow = fleet.replace("./nowhere", "./repo").replace("127.0.0.1:1", `127.0.0.1:${port}`);
  writeFileSync(join(directory, "fleet.yaml"), `${slow}http: {listen: "127.0.0.1:0"}\n`);
  const io = memoryIo({ cwd: directory, env: { PATH: process.env["PATH"] ?? "", KEY: "ak_C4n4ry/7+9==~Lk" } });
  const asked = new Promise((resolve) => silent.once("connection", resolve));
  const ended = run(["serve", "fleet.yaml", "--grace", "1s", "--log-format", "json"], io);
  onTestFinished(() => void io.signal("SIGTERM"));
  await expect.poll(() => io.hangUp(), { interval: 1 }).toBe(true);
  const loaded = (): number => io.err().split('"fleet-loaded"').length - 1;
  await expect.poll(loaded).toBe(1);
  for (let times = 0; times < 1000; times += 1) io.hangUp();
  await expect.poll(loaded).toBeGreaterThan(1);
  await asked;
  io.signal("SIGTERM");
  const began = performance.now();
  expect(await ended).toBe(0);
  expect(performance.now() - began).toBeLessThan(5000);
  expect(loaded()).toBeLessThan(5);
});

describe("serve with a fleet file that somebody breaks", () => {
  it("says so to everybody, and what is wrong to the log alone, until it is mended", async () => {
    const file = join(directory, "fleet.yaml");
    const token = join(directory, "token");
    const good = `${fleet}http: {listen: "127.0.0.1:0", token: {file: token}}\n`;
    writeFileSync(file, good);
    writeFileSync(token, "t0ken-C4n4ry", { mode: 0o600 });
    const io = memoryIo({ cwd: directory, env: { PATH: process.env["PATH"] ?? "", KEY: "ak_C4n4ry/7+9==~Lk" } });
    const ended = run(["serve", "fleet.yaml", "--log-format", "json"], io);
    onTestFinished(() => void io.signal("SIGTERM"));
    const logged = async (text: string): Promise<void> => {
      while (!io.err().includes(text)) await pause(10);
    };
    await logged('"state-changed"');
    const url = /"url":"([^"]+)"/u.exec(io.err())?.[1] ?? "";
    const ask = async (path: string, headers: { readonly [name: string]: string } = {}) => {
      await pause(path === "/readyz" ? 1100 : 0);
      const answer = await fetch(`${url}${path}`, { headers });
      return { status: answer.status, text: await answer.text() };
    };
    expect(await ask("/readyz")).toMatchObject({ status: 200 });
    const held = `another \`edgewise serve\` holds it (process ${process.pid} on `;
    expect(JSON.stringify(await lines(good))).toContain(held);

    writeFileSync(file, good.replace("accounts", "acounts"));
    io.hangUp();
    await logged('"fleet-refused"');
    expect(io.err()).toMatch(/"fleet-refused".*fleet\.yaml:4:1: acounts is not known: did you mean accounts/u);
    const broken = await ask("/readyz");
    expect(broken).toMatchObject({ status: 503 });
    expect(broken.text).toContain("The fleet file has errors");
    expect(broken.text).not.toContain("acounts");
    expect(await ask("/api/stacks", { Authorization: "Bearer t0ken-C4n4ry" })).toMatchObject({ status: 200 });

    writeFileSync(file, good);
    io.hangUp();
    await logged('"fleet-loaded"');
    expect(await ask("/readyz")).toMatchObject({ status: 200 });

    rmSync(token);
    for (let times = 0; times < 3; times += 1) expect(await ask("/api/stacks")).toMatchObject({ status: 503 });
    expect(io.signal("SIGTERM")).toBe(true);
    expect(await ended).toBe(0);
    const all = io.err().trimEnd().split("\n");
    for (const line of all) expect(violations("serve-log", JSON.parse(line)), line).toEqual([]);
    expect(all.filter((line) => line.includes('"answer-failed"'))).toHaveLength(1);
    expect(all.filter((line) => line.includes('"bug"') || line.includes("C4n4ry"))).toEqual([]);
  });
});
