import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";
import { resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { parseFault } from "../../../../src/sandbox/fault.ts";
import type { Dice } from "./dice.ts";
import { type Figures, count } from "./figures.ts";
import { ServedFleet } from "./served-fleet.ts";

/** How many times faster the clock of the program runs. */
const haste = 15;

/**
 * Preloaded into the program: shortens its waits, and speeds up its clocks by the same factor, from one time on that is the
 * same for all processes of a run.
 */
const hurry = (from: number): string => `import timers from "node:timers/promises";
import { syncBuiltinESMExports } from "node:module";
const [now, wall] = [performance.now.bind(performance), Date.now];
for (const name of ["setTimeout", "setInterval"]) {
  const slow = globalThis[name];
  globalThis[name] = (what, ms = 0, ...rest) => slow(what, ms / ${haste}, ...rest);
}
const sleep = timers.setTimeout;
timers.setTimeout = (ms = 0, ...rest) => sleep(ms / ${haste}, ...rest);
syncBuiltinESMExports();
performance.now = () => now() * ${haste};
Date.now = () => Math.round(${from} + (wall() - ${from}) * ${haste});`;

/** How long a process may take to do anything, in milliseconds; a longer one is a bug. */
const longestMs = 60_000;

/** A running `edgewise serve`. */
export interface Serving {
  readonly child: ChildProcess;
  /** What it has said so far. */
  readonly said: () => string;
  /** Its exit code; null = it was killed. */
  readonly ended: Promise<number | null>;
}

/** Starts the built program in the directory of a fleet. */
export function startServe(fleet: ServedFleet, ...flags: readonly string[]): Serving {
  const program = resolve("dist/bin/edgewise.js");
  const args = ["serve", "fleet.yaml", "--state", "state", "--log-format", "json", "-v", ...flags];
  const child = spawn(process.execPath, [program, ...args], {
    cwd: fleet.directory,
    env: {
      PATH: process.env["PATH"] ?? "",
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(hurry(fleet.began))}`,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let text = "";
  child.stdout.setEncoding("utf8").on("data", (more: string) => (text += more));
  child.stderr.setEncoding("utf8").on("data", (more: string) => (text += more));
  const ended = new Promise<number | null>((done, fail) => {
    child.on("error", fail);
    child.on("close", done);
  });
  return { child, said: () => text, ended };
}

/** Processes other than this one whose command names a directory. */
export function processesIn(directory: string): readonly string[] {
  return readdirSync("/proc").flatMap((pid) => {
    if (!/^\d+$/u.test(pid) || pid === String(process.pid)) return [];
    const command = textOf(`/proc/${pid}/cmdline`).replaceAll("\0", " ");
    return `${command} ${textOf(`/proc/${pid}/environ`)}`.includes(directory) && command !== ""
      ? [`${pid}: ${command}`]
      : [];
  });
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

const moments = [
  "start",
  "time",
  "time",
  "request",
  "write",
  "write",
  "write",
  "source-fetched",
  "apply-ended",
] as const;
const blows = ["SIGKILL", "SIGKILL", "SIGKILL", "SIGTERM", "SIGINT", "two signals", "pause", "reload"] as const;

interface Aim {
  readonly blow: (typeof blows)[number];
  readonly moment: (typeof moments)[number] | "apply-started";
}

/**
 * Killed while it creates: what it sent is carried out when the next process has long looked, and would make the same. That
 * is later than a process starts, and earlier than it may write.
 */
const createsInFlight: Aim = { blow: "SIGKILL", moment: "apply-started" };
const lateCreates = "delay=2400ms,method=POST,count=8";

/**
 * A fleet whose process is killed, stopped, paused and told to reload at random moments while commits and edits by hand
 * come: the next process goes on, and in the end live is what Git says, once, and nothing is left behind.
 */
export async function runServeProcess(dice: Dice, figures: Figures): Promise<readonly string[]> {
  figures.runs += 1;
  const isAimed = dice.chance(0.25);
  const fleet = await ServedFleet.open(dice, isAimed ? { faults: [parseFault(lateCreates)] } : {});
  const wrong: string[] = [];
  try {
    if (isAimed) wrong.push(...(await strike(fleet, dice, figures, createsInFlight)));
    for (let round = isAimed ? 0 : dice.between(2, 4); round > 0; round -= 1) {
      if (dice.chance(0.6)) await fleet.push();
      if (dice.chance(0.3)) fleet.edit(dice);
      wrong.push(...(await strike(fleet, dice, figures)));
    }
    const end = await converge(fleet, figures);
    wrong.push(...end.wrong, ...(end.waits ? [] : fleet.wrong()), ...(await fleet.wrongState()));
    figures.requests += fleet.requests;
    figures.writes += fleet.writes.length;
    return wrong;
  } finally {
    await fleet.close();
  }
}

async function strike(
  fleet: ServedFleet,
  dice: Dice,
  figures: Figures,
  aim: Aim = { blow: dice.pick(blows), moment: dice.pick(moments) },
): Promise<readonly string[]> {
  const wrong: string[] = [];
  const serving = startServe(fleet);
  const { child, ended } = serving;
  let over = false;
  void ended.then(() => (over = true));
  const { blow, moment } = aim;
  count(figures.cuts, blow);
  count(figures.met, `struck at ${moment}`);
  await reach(fleet, serving, { moment, dice, isOver: () => over });
  // The requests of an apply need a moment to be sent.
  if (moment === "apply-started") await pause(dice.between(100, 300));
  else if (dice.chance(0.3)) await pause(dice.between(0, 50));
  if (blow === "pause") {
    child.kill("SIGSTOP");
    // A moment, or longer than its requests may take.
    await pause(dice.chance(0.5) ? dice.between(10, 300) : dice.between(2200, 3000));
    child.kill("SIGCONT");
  }
  if (blow === "reload") {
    for (let times = dice.between(1, 20); times > 0; times -= 1) child.kill("SIGHUP");
    await pause(dice.between(0, 300));
  }
  const started = serving.said().includes('"serve-started"');
  if (blow === "SIGKILL") child.kill("SIGKILL");
  else child.kill(blow === "SIGINT" ? "SIGINT" : "SIGTERM");
  if (blow === "two signals") {
    await pause(dice.between(0, 40));
    child.kill("SIGINT");
  }
  const watchdog = setTimeout(() => child.kill("SIGKILL"), longestMs);
  const exit = await ended;
  clearTimeout(watchdog);
  count(figures.ends, exit === null ? "killed" : `exit ${exit}`);
  figures.applies += appliesIn(serving.said());
  // A signal that comes when everything has ended ends the process itself.
  const isEnded = blow === "two signals" && serving.said().includes('"serve-ended"');
  const expected = blow === "SIGKILL" ? [null] : !started || isEnded ? [0, 130, null] : [0];
  if (!expected.includes(exit)) wrong.push(`${blow} at ${moment}: exit ${exit}: ${serving.said()}`);
  if (serving.said().includes('"event":"bug"')) wrong.push(`${blow} at ${moment}: a bug: ${serving.said()}`);
  if (serving.said().includes(fleet.sandbox.apiKey)) wrong.push("the log holds the key");
  // A killed one has no time to end its git, which then ends by itself.
  const until = Date.now() + longestMs;
  while (processesIn(fleet.state).length > 0 && Date.now() < until) await pause(50);
  const left = processesIn(fleet.state);
  if (left.length > 0) wrong.push(`${blow} at ${moment}: left running: ${left.join("; ")}`);
  if (exit === 0) wrong.push(...(await fleet.wrongState()).map((what) => `${blow} at ${moment}: ${what}`));
  return wrong;
}

/** Waits for the moment at which a process is struck. */
async function reach(
  fleet: ServedFleet,
  { said }: Serving,
  { moment, dice, isOver }: { readonly moment: Aim["moment"]; readonly dice: Dice; readonly isOver: () => boolean },
): Promise<void> {
  const until = Date.now() + 6000;
  const [requests, writes] = [fleet.requests + dice.between(1, 25), fleet.writes.length + dice.between(1, 8)];
  const after = Date.now() + dice.between(0, moment === "start" ? 300 : 2500);
  const isReached = (): boolean => {
    if (moment === "start" || moment === "time") return Date.now() >= after;
    if (moment === "request") return fleet.requests >= requests;
    if (moment === "write") return fleet.writes.length >= writes;
    return said().includes(`"event":"${moment}"`);
  };
  while (!isReached() && !isOver() && Date.now() < until) await pause(2);
}

/**
 * Some passes without any blow, which must do everything that is left. Only the delete of what somebody changed, and what
 * was not put back before a commit removed it, waits for somebody.
 */
async function converge(
  fleet: ServedFleet,
  figures: Figures,
): Promise<{ readonly wrong: readonly string[]; readonly waits: boolean }> {
  let said = "";
  for (let pass = 0; pass < 4; pass += 1) {
    const once = startServe(fleet, "--once");
    const watchdog = setTimeout(() => once.child.kill("SIGKILL"), longestMs);
    const exit = await once.ended;
    clearTimeout(watchdog);
    count(figures.ends, `--once: exit ${exit}`);
    figures.applies += appliesIn(once.said());
    said = `exit ${exit}: ${once.said()}`;
    if (exit === 0) return { wrong: [], waits: false };
  }
  const waits = said.startsWith("exit 2") && said.includes("what deletes a resource is then never done unasked");
  return { wrong: waits ? [] : [`in the end: ${said}`], waits };
}

function appliesIn(log: string): number {
  return log.split('"event":"apply-started"').length - 1;
}
