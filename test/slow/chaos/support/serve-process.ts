import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { parseFault } from "../../../../src/sandbox/fault.ts";
import type { FleetProcess } from "../../../support/fleet/fleet-process.ts";
import { ServedWorld, apiKey } from "../../../support/fleet/served-world.ts";
import type { Dice } from "./dice.ts";
import { type Figures, count } from "./figures.ts";

const haste = 15;

const longestMs = 60_000;

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
 * come: the next process goes on, and in the end live matches Git, once, and nothing is left behind.
 */
export async function runServeProcess(dice: Dice, figures: Figures): Promise<readonly string[]> {
  const isAimed = dice.chance(0.25);
  // Carried out long after whoever asked for it may be gone.
  const faults = isAimed ? [lateCreates] : dice.chance(0.5) ? ["delay=1500ms,method=POST"] : [];
  const service = {
    latencyMs: dice.pick([0, 2, 10, 30]),
    faults: faults.map(parseFault),
    pageSize: dice.pick([3, 100]),
  };
  const world = await ServedWorld.open({ database: null, service, poll: "15s", defaults: { interval: "30s" } });
  const run = new ServeRun(world, dice, figures);
  try {
    return await run.go(isAimed);
  } finally {
    figures.requests += run.requests;
    figures.writes += world.writes.length;
    await world.close();
  }
}

class ServeRun {
  readonly #wrong: string[] = [];
  readonly #state: string;
  readonly #began = Date.now();

  constructor(
    private readonly world: ServedWorld,
    private readonly dice: Dice,
    private readonly figures: Figures,
  ) {
    this.#state = join(world.directory, "state");
  }

  get requests(): number {
    return [...this.world.services.values()].reduce((sum, { sandbox }) => sum + sandbox.requests().total, 0);
  }

  async go(isAimed: boolean): Promise<readonly string[]> {
    const { dice, world } = this;
    if (isAimed) await this.#strike(createsInFlight);
    for (let round = isAimed ? 0 : dice.between(2, 4); round > 0; round -= 1) {
      if (dice.chance(0.6)) await this.#push();
      if (dice.chance(0.3)) world.edit("a", dice.between(400, 599));
      await this.#strike({ blow: dice.pick(blows), moment: dice.pick(moments) });
    }
    await this.#converge();
    return [...this.#wrong, ...wrongState(this.#state), ...world.wrongWords()];
  }

  async #push(): Promise<void> {
    const { dice, world } = this;
    const statuses = (): readonly number[] => Array.from({ length: dice.between(3, 6) }, () => dice.between(400, 599));
    await world.wish(new Map(dice.some(world.stacks, 0.8).map((stack) => [stack, statuses()])));
  }

  #start(...args: readonly string[]): FleetProcess {
    return this.world.start({ args, env: { NODE_OPTIONS: hurried(haste, this.#began) } });
  }

  async #strike({ blow, moment }: Aim): Promise<void> {
    const { dice, figures } = this;
    const about = `${blow} at ${moment}`;
    const serving = this.#start();
    const { child } = serving;
    figures.restarts += 1;
    count(figures.met, blow);
    count(figures.met, `struck at ${moment}`);
    await this.#reach(serving, moment);
    // The requests of an apply need a moment to be sent.
    if (moment === "apply-started") await pause(dice.between(100, 300));
    else if (dice.chance(0.3)) await pause(dice.between(0, 50));
    if (blow === "pause") {
      child.kill("SIGSTOP");
      await pause(dice.chance(0.5) ? dice.between(10, 300) : dice.between(2200, 3000));
      child.kill("SIGCONT");
    }
    if (blow === "reload") {
      for (let times = dice.between(1, 20); times > 0; times -= 1) child.kill("SIGHUP");
      await pause(dice.between(0, 300));
    }
    const isStarted = serving.said.includes('"serve-started"');
    child.kill(blow === "SIGKILL" || blow === "SIGINT" ? blow : "SIGTERM");
    if (blow === "two signals") {
      await pause(dice.between(0, 40));
      child.kill("SIGINT");
    }
    const exit = await endOf(serving);
    count(figures.ends, exit === null ? "killed" : `exit ${exit}`);
    figures.applies += serving.events("apply-started").length;
    // A signal that comes when everything has ended ends the process itself.
    const isEnded = blow === "two signals" && serving.said.includes('"serve-ended"');
    const expected = blow === "SIGKILL" ? [null] : !isStarted || isEnded ? [0, 130, null] : [0];
    if (!expected.includes(exit)) this.#wrong.push(`${about}: exit ${exit}: ${serving.said}`);
    // A killed one has no time to end its git, which then ends by itself.
    const until = Date.now() + longestMs;
    while (processesIn(this.#state).length > 0 && Date.now() < until) await pause(50);
    const left = processesIn(this.#state);
    if (left.length > 0) this.#wrong.push(`${about}: left running: ${left.join("; ")}`);
    if (exit === 0) this.#wrong.push(...wrongState(this.#state).map((what) => `${about}: ${what}`));
  }

  async #reach(serving: FleetProcess, moment: Aim["moment"]): Promise<void> {
    const { dice, world } = this;
    const until = Date.now() + 6000;
    const [requests, writes] = [this.requests + dice.between(1, 25), world.writes.length + dice.between(1, 8)];
    const after = Date.now() + dice.between(0, moment === "start" ? 300 : 2500);
    const isReached = (): boolean => {
      if (moment === "start" || moment === "time") return Date.now() >= after;
      if (moment === "request") return this.requests >= requests;
      if (moment === "write") return world.writes.length >= writes;
      return serving.said.includes(`"event":"${moment}"`);
    };
    while (!isReached() && !serving.over && Date.now() < until) await pause(2);
  }

  /**
   * Some passes without any blow, which must do everything that is left. Only the delete of what somebody changed, and what
   * was not put back before a commit removed it, waits for somebody.
   */
  async #converge(): Promise<void> {
    let said = "";
    for (let pass = 0; pass < 4; pass += 1) {
      const once = this.#start("--once");
      const exit = await endOf(once);
      count(this.figures.ends, `--once: exit ${exit}`);
      this.figures.applies += once.events("apply-started").length;
      if (exit === 0) return void this.#wrong.push(...this.world.wrongLive());
      said = `exit ${exit}: ${once.said}`;
    }
    const waits =
      said.startsWith("exit 2") && said.includes("what deletes a resource is then never done automatically");
    if (!waits) this.#wrong.push(`in the end: ${said}`);
  }
}

/** Its exit code; null = it was killed, for one because it took too long. */
async function endOf({ child, ended }: FleetProcess): Promise<number | null> {
  const watchdog = setTimeout(() => child.kill("SIGKILL"), longestMs);
  return ended.finally(() => clearTimeout(watchdog));
}

function wrongState(state: string): readonly string[] {
  if (!existsSync(state)) return ["there is no state directory"];
  return readdirSync(state, { recursive: true, encoding: "utf8" }).flatMap((path) => {
    if (path.startsWith("sources/")) return [];
    if (/^lock$|\.tmp$/u.test(path)) return [`${path} was left behind`];
    if (!/\.(?:json|ndjson)$/u.test(path)) return [];
    const text = readFileSync(join(state, path), "utf8");
    const documents = path.endsWith(".ndjson") ? text.split("\n").slice(0, -1) : [text];
    const damaged = documents.filter((document) => !isJson(document));
    return [
      ...(text.includes(apiKey) ? [`${path} holds the key`] : []),
      ...damaged.map((document) => `${path} can't be read: ${document}`),
    ];
  });
}

function isJson(text: string): boolean {
  try {
    return JSON.parse(text) !== undefined;
  } catch {
    return false;
  }
}

function processesIn(directory: string): readonly string[] {
  return readdirSync("/proc").flatMap((pid) => {
    if (!/^\d+$/u.test(pid) || pid === String(process.pid)) return [];
    const command = textOf(`/proc/${pid}/cmdline`).replaceAll("\0", " ");
    const isIn = `${command} ${textOf(`/proc/${pid}/environ`)}`.includes(directory);
    return isIn && command !== "" ? [`${pid}: ${command}`] : [];
  });
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

function hurried(haste: number, from: number): string {
  const program = `import timers from "node:timers/promises";
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
  return `--import=data:text/javascript,${encodeURIComponent(program)}`;
}
