import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { ApplyEvent } from "../../../../src/apply/events.ts";
import type { Result } from "../../../../src/apply/result.ts";
import { type Json, type JsonObject, isObject } from "../../../../src/core/json.ts";
import type { Live } from "../../../../src/live/live.ts";
import type { Manifest } from "../../../../src/manifest/manifest.ts";
import { problems } from "../../../../src/model/effects.ts";
import type { ModelRequest, ModelResponse } from "../../../../src/model/request.ts";
import { worldFrom } from "../../../../src/model/world-seed.ts";
import type { Plan } from "../../../../src/plan/plan-format.ts";
import { parseFault } from "../../../../src/sandbox/fault.ts";
import type { Sandbox } from "../../../../src/sandbox/sandbox-options.ts";
import { startSandbox } from "../../../../src/sandbox/start-sandbox.ts";
import { allow } from "../../../support/worlds.ts";
import { type Pairs, realCertificates } from "./certificates.ts";
import type { Applied, Cut, Job } from "./chaotic-apply.ts";
import { secrets } from "./desired.ts";
import type { Dice } from "./dice.ts";
import { documents } from "./documents.ts";
import { type Figures, count } from "./figures.ts";
import { type Mischief, calm } from "./mischief.ts";
import { nameOfFault, someFaults } from "./sandbox-faults.ts";
import type { Account } from "./scenario.ts";
import type { Served } from "./truth.ts";

/** How many times faster the program's clock runs. */
const haste = 20;
/** The longest time that a run may take; a longer one is a bug. */
const longestMs = 60_000;

/** Preloaded into the program: shortens its waits and speeds up its clock by the same factor. */
const hurry = `const [later, now] = [globalThis.setTimeout, performance.now.bind(performance)];
globalThis.setTimeout = (what, ms = 0, ...rest) => later(what, ms / ${haste}, ...rest);
performance.now = () => now() * ${haste};`;

/**
 * An account at the sandbox, to which the built program applies in separate processes that may be killed. A data file keeps
 * the world between two sets of faults.
 */
export class ProcessAccount implements Account {
  readonly apiKey = secrets.apiKey;
  readonly violations = [];
  readonly unannounced: string[] = [];
  readonly served: Served[] = [];
  /** Called after each write was carried out, and before it is answered. */
  readonly #onServed = new Set<() => void>();
  readonly moduleEndpoints: readonly ("backend" | "ip_restriction")[];
  readonly dangles: boolean;
  /** The timeout of an attempt, in real milliseconds. */
  timeoutMs = 10_000;
  blinded = false;
  late = false;
  #sandbox: Sandbox;
  readonly #directory: string;
  readonly #figures: Figures;
  readonly #dice: Dice;
  readonly #pairs: Pairs;
  #sandboxes = 0;
  /** The host name that each apply uses for the sandbox, so that two in parallel can be distinguished. */
  readonly #callers = new Map<string, string>();
  /** The last apply of each host name: what a killed one sent may arrive after it has ended. */
  readonly #lastCallers = new Map<string, string>();

  private constructor(directory: string, sandbox: Sandbox, pairs: Pairs, dice: Dice, figures: Figures) {
    this.#directory = directory;
    this.#sandbox = sandbox;
    this.#figures = figures;
    this.#dice = dice;
    this.#pairs = pairs;
    const exact = dice.chance(0.5);
    this.moduleEndpoints = exact ? ["backend", "ip_restriction"] : [];
    this.dangles = !exact;
  }

  static async open(dice: Dice, figures: Figures): Promise<ProcessAccount> {
    const directory = await mkdtemp(join(tmpdir(), "edgewise-chaos-"));
    const sandbox = await startSandbox({ dataFile: join(directory, "world.json") });
    return new ProcessAccount(directory, sandbox, await realCertificates(), dice, figures);
  }

  get secrets(): readonly string[] {
    return [...this.#pairs.values()].map(({ key }) => key);
  }

  get pending(): boolean {
    return this.late;
  }

  async begin(dice: Dice | null): Promise<Mischief> {
    const faults = dice === null ? [] : someFaults(dice).map(parseFault);
    await this.#countFaults();
    await this.#sandbox.close();
    this.#sandboxes += 1;
    this.timeoutMs = dice === null ? 10_000 : 300;
    this.#sandbox = await startSandbox({
      dataFile: join(this.#directory, "world.json"),
      apiKey: this.apiKey,
      seed: `${this.#dice.between(0, 1_000_000)} ${this.#sandboxes}`,
      pageSize: this.#dice.pick([1, 3, 100]),
      moduleEndpoints: this.moduleEndpoints,
      model: { deleteReferenced: this.dangles ? "dangle" : "refuse", knownValuesOnly: false },
      latencyMs: dice === null ? 0 : this.#dice.pick([0, 0, 2, 5]),
      faults,
      onAnswer: (request, response) => this.#answered(request, response),
    });
    for (const { delayMs, staleWrites, end, select } of faults) {
      const reads = select.methods.length === 0 || select.methods.includes("GET");
      if (staleWrites > 0 || (reads && end?.of === "status" && (end.status === 403 || end.status === 404)))
        this.blinded = true;
      if (delayMs > 0) this.late = true;
    }
    return { ...calm, kinds: faults.map(nameOfFault) };
  }

  async apply(job: Job): Promise<Applied> {
    const { port } = new URL(this.#sandbox.baseUrl);
    const host = this.#callers.has(`127.0.0.1:${port}`) ? `localhost:${port}` : `127.0.0.1:${port}`;
    this.#callers.set(host, job.caller.name);
    this.#lastCallers.set(host, job.caller.name);
    try {
      return await this.#applyAt(`http://${host}`, job);
    } finally {
      this.#callers.delete(host);
    }
  }

  async #applyAt(baseUrl: string, job: Job): Promise<Applied> {
    const name = job.caller.name.replaceAll(" ", "-");
    const directory = join(this.#directory, name);
    await mkdir(directory);
    await writeFile(join(directory, "all.yaml"), documents(job.desired));
    const api = { timeout: this.timeoutMs < 1000 ? "20s" : "200s", moduleEndpoints: this.moduleEndpoints };
    const config = { apiVersion: "edgewise/v1", kind: "Config", stack: "chaos", manifests: ["all.yaml"], api };
    const guards = { maxDeletes: 1000, allow: job.options.allow.filter((address) => allow.includes(address)) };
    await writeFile(join(directory, "edgewise.yaml"), JSON.stringify({ ...config, guards }));
    const args = ["apply", "-y", "-v", "-o", "json", "--allow-empty", "--journal", "journal", "--out", "plan"];
    const flags = ["--concurrency", String(job.concurrency), ...(job.failFast ? ["--fail-fast"] : [])];
    const program = resolve("dist/bin/edgewise.js");
    const child = spawn(process.execPath, [program, ...args, ...flags], {
      cwd: directory,
      env: {
        PATH: process.env["PATH"] ?? "",
        NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(hurry)}`,
        EDGEWISE_API_KEY: secrets.apiKey,
        EDGEWISE_BASE_URL: baseUrl,
        HOOK: secrets.webhook,
        ...Object.fromEntries([...this.#pairs.values()].map(({ variable, key }) => [variable, key])),
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

  cut(dice: Dice): Cut {
    const how = dice.pick(["signal", "two signals", "kill", "kill"] as const);
    // Cut after this many writes, or after this time.
    return dice.chance(0.7)
      ? { how, afterMs: 0, afterWrites: dice.between(1, 12) }
      : { how, afterMs: dice.between(50, 1500) };
  }

  console(method: string, path: string, body?: Json): JsonObject {
    const { status, body: answer } = this.#sandbox.direct({ method, path, ...(body === undefined ? {} : { body }) });
    if (status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(answer)}`);
    return isObject(answer) ? answer : {};
  }

  lists(): Live["lists"] {
    return this.#sandbox.world().lists;
  }

  problems(): readonly string[] {
    return problems(worldFrom(this.#sandbox.world()));
  }

  /** A delayed request is either carried out by then or never, because the next sandbox starts without it. */
  async quiet(): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }

  async close(): Promise<void> {
    await this.#countFaults();
    await this.#sandbox.close();
    await rm(this.#directory, { recursive: true, force: true });
  }

  fit(desired: readonly Manifest[]): readonly Manifest[] {
    return desired.map((one) => {
      const pair = this.#pairs.get(String(one.spec["certificate_pem"]));
      if (one.kind !== "TLSCertificate" || pair === undefined) return one;
      return { ...one, spec: { ...one.spec, certificate_pem: pair.certificate, private_key_pem: pair.secret } };
    });
  }

  async #countFaults(): Promise<void> {
    const { total, faults, log } = this.#sandbox.requests();
    this.#figures.requests += total;
    this.#figures.writes += log.filter(({ method }) => method !== "GET").length;
    for (const [spec, times] of Object.entries(faults))
      if (times > 0) count(this.#figures.faults, nameOfFault(parseFault(spec)), times);
  }

  #answered({ method, path, body, baseUrl = "" }: ModelRequest, { status, body: response }: ModelResponse): void {
    if (method === "GET") return;
    const host = baseUrl.slice("http://".length);
    const caller = this.#callers.get(host) ?? "nobody";
    if (!this.#announced(this.#lastCallers.get(host) ?? caller, `${method} ${path}`))
      this.unannounced.push(`${caller}: ${method} ${path} came before it was announced`);
    const about = { caller, method, path, body, status, response, at: Date.now() };
    this.served.push({ ...about, changed: status < 300 });
    for (const hear of this.#onServed) hear();
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
        this.#onServed.delete(hear);
        strike();
      };
      this.#onServed.add(hear);
      void ended.then(() => this.#onServed.delete(hear));
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
  #announced(caller: string, write: string): boolean {
    const path = join(this.#directory, caller.replaceAll(" ", "-"), "journal");
    const [method = "", at = ""] = write.split(" ");
    if (!existsSync(path)) return false;
    return readFileSync(path, "utf8").includes(`"method":"${method}","path":"${at}"`);
  }
}
