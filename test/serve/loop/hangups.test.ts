import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { serveCommand } from "../../../src/commands/serve.ts";
import { memoryIo } from "../../commands/memory-io.ts";

const fleet = `apiVersion: edgewise/v1
kind: Fleet
sources: {edge: {git: ./nowhere}}
accounts: {main: {baseUrl: "http://127.0.0.1:1", key: {file: key}}}
stacks: {}
http: {listen: "127.0.0.1:0"}
`;

it("hears a SIGHUP of the time before it serves, reads the file once for many, and ends with 0", async () => {
  const cwd = await mkdtemp(join(tmpdir(), "edgewise-hangups-"));
  onTestFinished(() => rm(cwd, { recursive: true, force: true }));
  await writeFile(join(cwd, "fleet.yaml"), fleet);
  await writeFile(join(cwd, "key"), "a-key-of-an-account", { mode: 0o600 });
  const io = memoryIo({ cwd, env: { PATH: process.env["PATH"] ?? "" } });
  const ended = serveCommand("fleet.yaml", { logFormat: "json", state: "state" }, io);
  expect(io.hangUp()).toBe(true);
  const loaded = (): number => io.err().split('"fleet-loaded"').length - 1;
  await expect.poll(loaded).toBe(1);
  for (let times = 0; times < 1000; times += 1) io.hangUp();
  await expect.poll(loaded).toBeGreaterThan(1);
  io.signal("SIGTERM");
  expect(await ended).toBe(0);
  expect(loaded()).toBeLessThan(5);
});
