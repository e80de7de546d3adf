// A shell for one page, in a home directory of its own, in which variables and directories last from command to command.
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { root } from "../sandbox.mjs";
import { freePorts } from "./free-ports.mjs";
import { writePrograms } from "./programs.mjs";

const shownPorts = [8080, 8081, 7070, 7071];
const shownHome = "/home/you";
/** After which a command hangs, in milliseconds, however slow the machine is. */
const patience = 240_000;
const lookMs = 50;

/**
 * Opens the shell. `run` runs a command; `keepRunning` starts one that ends with the page, or with the next one of the same
 * name. Both take commands as the page shows them; what they return is what the page shows, but for ids.
 */
export async function openShell() {
  const home = mkdtempSync(join(tmpdir(), "edgewise-page-"));
  const work = join(home, "work");
  const own = join(home, ".page");
  for (const directory of [work, own]) mkdirSync(directory);
  const ports = await freePorts(shownPorts.length);
  const address = (port) => `127.0.0.1:${ports[shownPorts.indexOf(port)]}`;
  writePrograms(join(own, "bin"));
  writeFileSync(
    join(home, ".gitconfig"),
    "[user]\nname = Ann\nemail = ann@example.com\n[init]\ndefaultBranch = main\n[advice]\ndetachedHead = false\n",
  );

  const child = spawn("bash", ["--noprofile", "--norc"], {
    cwd: work,
    env: {
      PATH: `${join(own, "bin")}:${process.env.PATH ?? ""}`,
      HOME: home,
      LANG: "C.UTF-8",
      TZ: "UTC",
      NO_COLOR: "1",
      USER: "you",
      REPOSITORY: root,
      PAGE_LISTEN: address(7070),
      PAGE_SANDBOX: `http://${address(8080)}`,
      GIT_CONFIG_NOSYSTEM: "1",
      GIT_AUTHOR_DATE: "2024-01-01T12:00:00Z",
      GIT_COMMITTER_DATE: "2024-01-01T12:00:00Z",
    },
    // What bash itself says about jobs that were ended is of no interest.
    stdio: ["pipe", "ignore", "ignore", "pipe"],
    // A group of its own, so that a command that does not end can be ended.
    detached: true,
  });
  const reports = createInterface({ input: child.stdio[3] })[Symbol.asyncIterator]();
  const running = new Map();
  const terminals = new Map();
  const replacements = [];

  /** What a page shows as what is run, and back. */
  const real = (text) => {
    let result = text;
    for (const { shown, meant } of replacements) result = result.replaceAll(shown, meant);
    for (const [index, port] of shownPorts.entries())
      result = result.replaceAll(
        new RegExp(`((?:127\\.0\\.0\\.1|localhost):|--port )${port}\\b`, "g"),
        `$1${ports[index]}`,
      );
    return result.replaceAll(shownHome, home);
  };
  const shown = (text, stands = replacements) => {
    let result = text;
    // What is short may occur anywhere.
    for (const { shown: name, meant } of stands)
      if (/^(https?:\/)?\//.test(meant)) result = result.replaceAll(meant, name);
    for (const [index, port] of ports.entries())
      result = result.replaceAll(new RegExp(`(127\\.0\\.0\\.1|localhost):${port}\\b`, "g"), `$1:${shownPorts[index]}`);
    return result.replaceAll(home, shownHome);
  };

  const report = async (command) => {
    let timer;
    const late = new Promise((_, reject) => {
      timer = setTimeout(() => reject(new Error(`${command} does not end`)), patience);
    });
    const { value } = await Promise.race([reports.next(), late]);
    clearTimeout(timer);
    if (value === undefined) throw new Error(`${command} ended the shell`);
    return value;
  };
  const log = join(own, "log");

  const run = async (command, typed) => {
    const input = join(own, "typed");
    writeFileSync(input, typed === undefined ? "" : `${typed}\n`);
    const answers = typed === undefined ? "" : "1";
    child.stdin.write(
      `PAGE_TYPED=${answers}; export PAGE_TYPED\n{ ${real(command)}\n} < "${input}" > "${log}" 2>&1; echo $? >&3\n`,
    );
    const code = Number(await report(command));
    return { code, output: shown(readFileSync(log, "utf8")) };
  };

  const directory = async () => (await run("pwd")).output.trim().replace(shownHome, home);

  const stop = async (name) => {
    const group = running.get(name);
    if (group === undefined || !isAlive(group)) return;
    running.delete(name);
    process.kill(-group, "SIGTERM");
    for (let tries = 0; isAlive(group); tries += 1) {
      if (tries * lookMs > patience) process.kill(-group, "SIGKILL");
      // oxlint-disable-next-line no-await-in-loop
      await new Promise((resolve) => setTimeout(resolve, lookMs));
    }
  };

  const keepRunning = async (name, command) => {
    await stop(name);
    // Each name is a terminal, which stays in its directory.
    if (!terminals.has(name)) terminals.set(name, await directory());
    const [out, problems] = [join(own, `${name}.out`), join(own, `${name}.err`)];
    writeFileSync(out, "");
    writeFileSync(problems, "");
    // A group of its own, so that all of it can be ended.
    child.stdin.write(
      `set -m; { cd "${terminals.get(name)}"; ${real(command)}\n} < /dev/null > "${out}" 2> "${problems}" & set +m; echo $! >&3\n`,
    );
    const group = Number(await report(command));
    running.set(name, group);
    const lineOf = (file) => (/^.*\n/.exec(readFileSync(file, "utf8")) ?? [])[0];
    // serve reports on stderr.
    const isReady = () => lineOf(out) !== undefined || (name === "serve" && lineOf(problems) !== undefined);
    for (let tries = 0; !isReady(); tries += 1) {
      if (tries * lookMs > patience || !isAlive(group))
        throw new Error(`${command} does not start: ${readFileSync(problems, "utf8")}`);
      // oxlint-disable-next-line no-await-in-loop
      await new Promise((resolve) => setTimeout(resolve, lookMs));
    }
    // Its own address is shown as it is, whatever stands for it elsewhere.
    return { code: 0, output: shown(lineOf(out) ?? "", []) };
  };

  const killAll = () => {
    for (const group of [...running.values(), child.pid]) if (isAlive(group)) process.kill(-group, "SIGKILL");
    rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  };
  process.on("exit", killAll);

  return {
    run,
    keepRunning,
    replace: (shownText, meant) => replacements.push({ shown: shownText, meant: real(meant) }),
    write: async (path, content) => {
      const file = join(await directory(), path);
      mkdirSync(join(file, ".."), { recursive: true });
      writeFileSync(file, real(content));
    },
    close: async () => {
      for (const name of running.keys()) await stop(name); // oxlint-disable-line no-await-in-loop
      killAll();
      process.off("exit", killAll);
    },
  };
}

function isAlive(group) {
  try {
    process.kill(-group, 0);
    return true;
  } catch {
    return false;
  }
}
