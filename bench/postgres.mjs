// A PostgreSQL server of a bench: the one of the tests, which notes how long each statement takes, and keeps what it writes
// through a loss of power.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { rolldown } from "rolldown";
import { path } from "./processes.mjs";

const settings = ["listen_addresses=127.0.0.1", "shared_buffers=128MB", "log_min_duration_statement=0"];

/** Starts it, with the packages of test/slow. */
export async function startPostgres() {
  const { createServerFiles, unprivileged } = await import(await compiled("test/slow/support/postgres-programs.ts"));
  const files = await createServerFiles();
  const [program, log] = ["native/bin/postgres", "log"].map((name) => join(files.directory, name));
  const flags = [...settings, `unix_socket_directories=${files.directory}/sockets`, "log_line_prefix=%p "];
  const args = [
    "-D",
    join(files.directory, "data"),
    "-p",
    String(files.port),
    ...flags.flatMap((flag) => ["-c", flag]),
  ];
  const child = spawn(program, args, {
    cwd: files.directory,
    stdio: ["ignore", "ignore", openSync(log, "w")],
    ...unprivileged,
  });
  const stop = () => child.kill("SIGQUIT");
  process.once("exit", stop);
  const ended = once(child, "exit");
  while (!readFileSync(log, "utf8").includes("ready to accept connections")) {
    if (child.exitCode !== null) throw new Error(readFileSync(log, "utf8"));
    await pause(100);
  }
  return {
    url: `postgres://postgres:postgres@127.0.0.1:${files.port}/postgres`,
    statements: () => statements(readFileSync(log, "utf8")),
    close: async () => {
      stop();
      process.off("exit", stop);
      await ended;
      await files.remove();
    },
  };
}

/** The statements that ran, with the milliseconds that parsing, binding and running each took together. */
function statements(text) {
  const found = [];
  const before = new Map();
  const entry = /^(\d+) LOG: {2}duration: ([\d.]+) ms {2}(\w+)[^:]*: (.*(?:\n\t.*)*)/gm;
  for (const [, pid, ms, step, sql] of text.matchAll(entry)) {
    const all = Number(ms) + (before.get(pid) ?? 0);
    if (step === "parse" || step === "bind") before.set(pid, all);
    else {
      before.delete(pid);
      found.push({ ms: all, sql });
    }
  }
  return found;
}

/** A file of the tests as Node 20 takes it. It finds packages from where it is put. */
async function compiled(file) {
  const dir = path("test/slow/node_modules/.cache");
  mkdirSync(dir, { recursive: true });
  const built = await rolldown({ input: path(file), platform: "node", external: (id) => !/^[./]/.test(id) });
  const { output } = await built.write({ dir, format: "esm", entryFileNames: "[name].mjs" });
  await built.close();
  return pathToFileURL(join(dir, output[0].fileName)).href;
}
