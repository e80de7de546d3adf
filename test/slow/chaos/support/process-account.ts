import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { ApplyEvent } from "../../../../src/apply/events.ts";
import type { Result } from "../../../../src/apply/result.ts";
import type { Plan } from "../../../../src/plan/plan-format.ts";
import { allow } from "../../../support/worlds.ts";
import type { Applied, Cut, Job } from "./chaotic-apply.ts";
import { secrets } from "./desired.ts";
import type { Dice } from "./dice.ts";
import { documents } from "./documents.ts";
import type { Figures } from "./figures.ts";
import { SandboxAccount } from "./sandbox-account.ts";

/** How many times faster the program's clock runs. */
const haste = 20;
/** The longest time that a run may take; a longer one is a bug. */
const longestMs = 60_000;

/** Preloaded into the program: shortens its waits and speeds up its clock by the same factor. */
const hurry = `const [later, now] = [globalThis.setTimeout, performance.now.bind(performance)];
globalThis.setTimeout = (what, ms = 0, ...rest) => later(what, ms / ${haste}, ...rest);
performance.now = () => now() * ${haste};`;

/** An account to which the built program applies, in separate processes that may be killed. */
export class ProcessAccount extends SandboxAccount {
  static override async open(dice: Dice, figures: Figures): Promise<ProcessAccount> {
    return new ProcessAccount(...(await SandboxAccount.parts()), dice, figures);
  }

  override cut(dice: Dice): Cut {
    const how = dice.pick(["signal", "two signals", "kill", "kill"] as const);
    // Cut after this many writes, or after this time.
    return dice.chance(0.7)
      ? { how, afterMs: 0, afterWrites: dice.between(1, 12) }
      : { how, afterMs: dice.between(50, 1500) };
  }

  protected override async applyAt(baseUrl: string, job: Job): Promise<Applied> {
    const name = job.caller.name.replaceAll(" ", "-");
    const directory = join(this.directory, name);
    await mkdir(directory);
    await writeFile(join(directory, "all.yaml"), documents(job.desired));
    const api = { timeout: this.timeoutMs < 1000 ? "20s" : "200s", moduleEndpoints: this.moduleEndpoints };
    const config = { apiVersion: "edgewise/v1", kind: "Config", stack: "chaos", manifests: ["all.yaml"], api };
    const guards = { maxDeletes: 1000, allow: job.options.allow.filter((address) => allow.includes(address)) };
    await writeFile(join(directory, "edgewise.yaml"), JSON.stringify({ ...config, guards }));
    const args = ["apply", "-y", "-v", "-o", "json", "--allow-empty", "--journal", "journal", "--out", "plan"];
    const flags = ["--concurrency", String(job.concurrency), ...(job.failFast ? ["--fail-fast"] : [])];
    const program = process.env["CHAOS_PROGRAM"] ?? resolve("dist/bin/edgewise.js");
    const child = spawn(process.execPath, [program, ...args, ...flags], {
      cwd: directory,
      env: {
        PATH: process.env["PATH"] ?? "",
        NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(hurry)}`,
        EDGEWISE_API_KEY: secrets.apiKey,
        EDGEWISE_BASE_URL: baseUrl,
        HOOK: secrets.webhook,
        ...this.keys(),
      },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const out: string[] = [];
    const err: string[] = [];
    child.stdout.setEncoding("utf8").on("data", (text: string) => out.push(text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => err.push(text));
    const ended = new Promise<number | null>((done, fail) => {
      child.on("error", fail);
      child.on("close", done);
    });
    const watchdog = setTimeout(() => child.kill("SIGKILL"), longestMs);
    let overdue = true;
    void ended.then(() => (overdue = false));
    this.#cutShort(job, (signal) => void child.kill(signal), ended);
    const exit = await ended;
    clearTimeout(watchdog);
    if (overdue && job.cut?.how !== "kill" && exit === null) throw new Error(`${name} did not end: ${err.join("")}`);
    return this.#account(job, directory, exit, out.join(""), err.join(""));
  }

  #cutShort({ cut, caller }: Job, kill: (signal: NodeJS.Signals) => void, ended: Promise<unknown>): void {
    if (cut === null) return;
    const signal = cut.how === "kill" ? "SIGKILL" : caller.dice.pick(["SIGINT", "SIGTERM"] as const);
    const strike = (): void => {
      kill(signal);
      const again = cut.how === "two signals" ? setTimeout(() => kill("SIGINT"), caller.dice.between(0, 30)) : null;
      void ended.then(() => clearTimeout(again ?? undefined));
    };
    if (cut.afterWrites === undefined) {
      const timer = setTimeout(strike, cut.afterMs);
      void ended.then(() => clearTimeout(timer));
      return;
    }
    const until = this.served.length + cut.afterWrites;
    // Half of them before that write is answered: then the run is not over, however late this process comes.
    if (caller.dice.chance(0.5)) {
      const hear = (): void => {
        if (this.served.length < until) return;
        this.onServed.delete(hear);
        strike();
      };
      this.onServed.add(hear);
      void ended.then(() => this.onServed.delete(hear));
      return;
    }
    const watch = setInterval(() => {
      if (this.served.length < until) return;
      clearInterval(watch);
      strike();
    }, 2);
    void ended.then(() => clearInterval(watch));
  }

  async #account(job: Job, directory: string, exit: number | null, out: string, err: string): Promise<Applied> {
    const read = async (name: string): Promise<string> => {
      const path = join(directory, name);
      return existsSync(path) ? readFile(path, "utf8") : "";
    };
    const [journal, plan] = [await read("journal"), await read("plan")];
    const shown = [out, err, journal, plan].join("\n");
    if (shown.includes("this is a bug in edgewise")) throw new Error(err);
    const lines = journal.split("\n").slice(0, -1);
    return {
      caller: job.caller.name,
      plan: plan === "" ? null : (JSON.parse(plan) as Plan),
      result: exit === null || out === "" ? null : (JSON.parse(out) as Result),
      exit,
      events: lines.map((line) => JSON.parse(line) as ApplyEvent),
      shown,
      error: exit === null || out !== "" ? null : err,
    };
  }

  /** Whether the journal on disk already has this write; checked when the service receives it. */
  protected override announced(caller: string, write: string): boolean {
    const path = join(this.directory, caller.replaceAll(" ", "-"), "journal");
    const [method = "", at = ""] = write.split(" ");
    if (!existsSync(path)) return false;
    return readFileSync(path, "utf8").includes(`"method":"${method}","path":"${at}"`);
  }
}
