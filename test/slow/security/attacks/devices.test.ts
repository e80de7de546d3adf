import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { run } from "../../../../src/commands/run.ts";
import { NotReadable, readBounded, readBoundedSync } from "../../../../src/files/read-bounded.ts";
import { cliPath } from "../../../support/cli.ts";
import { memoryIo } from "../../../commands/memory-io.ts";

let dir = "";
const at = (name: string): string => join(dir, name);

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "edgewise-devices-"));
  await promisify(execFile)("mkfifo", [at("fifo")]);
  await mkdir(at("folder"));
  await writeFile(at("large"), "x".repeat(9 * 1024 * 1024), { mode: 0o600 });
  await symlink("/dev/zero", at("link"));
  await writeFile(at("edgewise.yaml"), "apiVersion: edgewise/v1\nkind: Config\nstack: demo\nmanifests: [edge/]\n");
  await mkdir(at("edge"));
  await writeFile(at("edge/chain.pem"), "-----BEGIN CERTIFICATE-----\n");
});

afterAll(async () => {
  await rm(dir, { recursive: true, force: true });
});

const endless = ["/dev/zero", "/dev/urandom", "/dev/tty", "fifo", "folder", "large", "link"] as const;

describe("A file that is read is a device, a pipe that nobody writes to, a folder or without end → it is refused in words, at a bound", () => {
  it.each(endless)("as a file: %s", async (name) => {
    const path = name.startsWith("/") ? name : at(name);
    const most = 1024 * 1024;
    const codes = /ENXIO|EISDIR|it is a|more than/u;
    await expect(readBounded(path, { most, pipe: { writerMs: 40, dataMs: 40 } })).rejects.toThrow(codes);
    expect(() => readBoundedSync(path, most)).toThrow(codes);
  });

  it.each(["/dev/zero", "/dev/urandom", "folder", "large", "link", "fifo"])(
    "as the file of the API key: %s",
    async (name) => {
      const io = memoryIo({ cwd: dir });
      expect(await run(["ping", "--api-key-file", name, "--base-url", "http://127.0.0.1:9"], io)).toBe(1);
      expect(io.err()).toMatch(/^error: the API key's file \S+ can't be read: it (is a|has more than)/u);
    },
  );

  it.each(["/dev/zero", "../fifo", "../folder", "../large", "../link", "/proc/self/environ", "/proc/self/fd/0"])(
    "as the file of a secret: %s",
    async (name) => {
      await writeFile(
        at("edge/all.yaml"),
        `apiVersion: edgewise/v1\nkind: HTTPSEdgeRoute\nmetadata: {name: a, id: edghtsrt_1}\nspec: {edge: {id: edghts_1}, webhook_verification: {provider: GITHUB, secret: {file: "${name}"}}}\n`,
      );
      const io = memoryIo({ cwd: dir });
      expect(await run(["validate"], io)).toBe(0);
      expect(io.out()).toMatch(/it is (a|not)|it has more than|no such file/u);
    },
  );

  it.each(["fifo", "folder", "large"])("as the content of a field: %s", async (name) => {
    await rm(at("edge/content"), { recursive: true, force: true });
    await symlink(at(name), at("edge/content"));
    await writeFile(
      at("edge/all.yaml"),
      "apiVersion: edgewise/v1\nkind: HTTPResponseBackend\nmetadata: {name: a}\nspec: {status_code: 200, body: {file: content}}\n",
    );
    const io = memoryIo({ cwd: dir });
    expect(await run(["validate"], io)).toBe(1);
    expect(io.out()).toMatch(/is not a file|more than/u);
  });

  it.each(["/dev/zero", "fifo", "folder", "large"])("as the configuration: %s", async (name) => {
    const io = memoryIo({ cwd: dir });
    expect(await run(["validate", "-c", name], io)).toBe(1);
    expect(io.err()).toMatch(/error: /u);
  });

  it.each(["/dev/zero", "fifo", "folder", "link"])("as a saved plan: %s", async (name) => {
    const io = memoryIo({ cwd: dir });
    expect(await run(["show", name], io)).toBe(1);
    expect(io.err()).toMatch(/can't be used: it is a|is a directory, and a saved plan is one JSON file/u);
  });
});

describe("reading a pipe that ends", () => {
  it("takes what a password manager writes, however late", async () => {
    const command = `exec node ${JSON.stringify(cliPath)} ping --base-url http://127.0.0.1:9 --api-key-file <(sleep 0.3; printf 'key_%s' 0123456789)`;
    const { exit, err } = await bash(command);
    // The key was read: nothing listens at port 9.
    expect({ exit, err }).toMatchObject({ exit: 1, err: expect.stringContaining("the connection was refused") });
  });

  it("takes /dev/stdin", async () => {
    const { err } = await bash(
      `printf 'key_0123456789' | node ${JSON.stringify(cliPath)} ping --base-url http://127.0.0.1:9 --api-key-file /dev/stdin`,
    );
    expect(err).toContain("the connection was refused");
  });

  it("ends at the bound of one that never does", async () => {
    const writer = spawn("bash", ["-c", `exec cat /dev/zero > ${JSON.stringify(at("fifo"))}`], { stdio: "ignore" });
    await expect(readBounded(at("fifo"), { most: 1000, pipe: { writerMs: 5000, dataMs: 5000 } })).rejects.toThrow(
      NotReadable,
    );
    await end(writer);
  });

  it("gives up on a writer that writes nothing", async () => {
    const writer = spawn("bash", ["-c", `exec sleep 60 > ${JSON.stringify(at("fifo"))}`], { stdio: "ignore" });
    await expect(readBounded(at("fifo"), { most: 1000, pipe: { writerMs: 20_000, dataMs: 100 } })).rejects.toThrow(
      "it is a pipe",
    );
    await end(writer);
  });
});

/** Ends a writer of the pipe. The next test must not read what is left of it. */
async function end(writer: ChildProcess): Promise<void> {
  const ended = once(writer, "exit");
  writer.kill("SIGKILL");
  await ended;
}

async function bash(command: string): Promise<{ readonly exit: number; readonly err: string }> {
  return new Promise((resolve) => {
    execFile("bash", ["-c", command], { cwd: tmpdir() }, (error, _out, err) =>
      resolve({ exit: error === null ? 0 : Number(error.code), err }),
    );
  });
}
