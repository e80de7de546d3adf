import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
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
import { secrets } from "./desired.ts";
import type { Dice } from "./dice.ts";
import { documents } from "./documents.ts";
import { type Figures, count } from "./figures.ts";
import { hurried } from "./hurried.ts";
import { nameOfFault, someFaults } from "./sandbox-faults.ts";
import type { Served } from "./truth.ts";

const haste = 20;
const longestMs = 60_000;

/** How a run is cut short: after so many writes reached the service, or after a time in milliseconds. */
export interface Cut {
  readonly how: "signal" | "two signals" | "kill";
  readonly after: "writes" | "time";
  readonly much: number;
}

export interface Job {
  readonly name: string;
  readonly desired: readonly Manifest[];
  readonly dice: Dice;
  readonly cut: Cut | null;
  readonly locks: boolean;
}

export interface Applied {
  readonly caller: string;
  /** Null if it made none, or another one once it had the lock. */
  readonly plan: Plan | null;
  readonly result: Result | null;
  /** Null if it was killed. */
  readonly exit: number | null;
  readonly events: readonly ApplyEvent[];
  readonly shown: string;
}

/**
 * An account at the sandbox, to which the built program applies in separate processes that may be killed. A data file keeps
 * the world between two sets of faults.
 */
export class ProcessAccount {
  /** Writes that reached the service before they were in the journal on disk. */
  readonly unannounced: string[] = [];
  readonly served: Served[] = [];
  readonly moduleEndpoints: readonly ("backend" | "ip_restriction")[];
  /** Whether the service deletes a backend that an edge still names. */
  readonly dangles: boolean;
  blinded = false;
  /** Whether a request may be carried out after the client gave up. */
  late = false;
  #isCalm = true;
  #sandbox: Sandbox;
  #sandboxes = 0;
  readonly #began = Date.now();
  readonly #onServed = new Set<() => void>();
  /** The host name that each apply uses for the sandbox, so that two in parallel can be distinguished. */
  readonly #callers = new Map<string, string>();
  /** The last apply of each host name: what a killed one sent may arrive after it has ended. */
  readonly #lastCallers = new Map<string, string>();
  /** The paths of locks: no journal speaks of them. */
  readonly #locks = new Set<string>();

  private constructor(
    readonly directory: string,
    sandbox: Sandbox,
    private readonly pairs: Pairs,
    private readonly dice: Dice,
    private readonly figures: Figures,
  ) {
    this.#sandbox = sandbox;
    this.dangles = dice.chance(0.5);
    this.moduleEndpoints = this.dangles ? [] : ["backend", "ip_restriction"];
  }

  static async open(dice: Dice, figures: Figures): Promise<ProcessAccount> {
    const directory = await mkdtemp(join(tmpdir(), "edgewise-chaos-"));
    const sandbox = await startSandbox({ dataFile: join(directory, "world.json") });
    return new ProcessAccount(directory, sandbox, await realCertificates(), dice, figures);
  }

  get secrets(): readonly string[] {
    return [...this.pairs.values()].map(({ key }) => key);
  }

  async begin(dice: Dice | null): Promise<void> {
    const faults = dice === null ? [] : someFaults(dice).map(parseFault);
    this.#countFaults();
    await this.#sandbox.close();
    this.#sandboxes += 1;
    this.#isCalm = dice === null;
    this.#sandbox = await startSandbox({
      dataFile: join(this.directory, "world.json"),
      apiKey: secrets.apiKey,
      seed: `${this.dice.between(0, 1_000_000)} ${this.#sandboxes}`,
      pageSize: this.dice.pick([1, 3, 100]),
      moduleEndpoints: this.moduleEndpoints,
      model: { deleteReferenced: this.dangles ? "dangle" : "refuse", knownValuesOnly: false },
      latencyMs: dice === null ? 0 : this.dice.pick([0, 0, 2, 5]),
      faults,
      onAnswer: (request, response) => this.#answered(request, response),
    });
    for (const { delayMs, end, methods } of faults) {
      const reads = methods.length === 0 || methods.includes("GET");
      if (reads && end?.of === "status" && (end.status === 403 || end.status === 404)) this.blinded = true;
      if (delayMs > 0) this.late = true;
    }
  }

  async apply(job: Job): Promise<Applied> {
    const { port } = new URL(this.#sandbox.baseUrl);
    const host = this.#callers.has(`127.0.0.1:${port}`) ? `localhost:${port}` : `127.0.0.1:${port}`;
    this.#callers.set(host, job.name);
    this.#lastCallers.set(host, job.name);
    try {
      return await this.#applyAt(`http://${host}`, job);
    } finally {
      this.#callers.delete(host);
    }
  }

  async #applyAt(baseUrl: string, job: Job): Promise<Applied> {
    const { cut, desired, dice, locks, name } = job;
    const directory = this.#directoryOf(name);
    await mkdir(directory);
    await writeFile(join(directory, "all.yaml"), documents(desired));
    const api = { timeout: this.#isCalm ? "200s" : "20s", moduleEndpoints: this.moduleEndpoints };
    const config = { apiVersion: "edgewise/v1", kind: "Config", stack: "chaos", manifests: ["all.yaml"], api };
    const guards = { maxDeletes: 1000, allow };
    // Longer than lists lag.
    const lock = locks ? { lock: { settle: "4s" } } : {};
    await writeFile(join(directory, "edgewise.yaml"), JSON.stringify({ ...config, guards, ...lock }));
    const args = ["apply", "-y", "-v", "-o", "json", "--allow-empty", "--journal", "journal", "--out", "plan"];
    args.push("--concurrency", String(dice.between(1, 8)));
    const program = resolve("dist/bin/edgewise.js");
    const child = spawn(process.execPath, [program, ...args], {
      cwd: directory,
      env: {
        PATH: process.env["PATH"] ?? "",
        NODE_OPTIONS: hurried(haste, this.#began),
        EDGEWISE_API_KEY: secrets.apiKey,
        EDGEWISE_BASE_URL: baseUrl,
        HOOK: secrets.webhook,
        ...Object.fromEntries([...this.pairs.values()].map(({ variable, key }) => [variable, key])),
      },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let [out, err] = ["", ""];
    child.stdout.setEncoding("utf8").on("data", (text: string) => (out += text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => (err += text));
    const ended = new Promise<number | null>((done, fail) => {
      child.on("error", fail);
      child.on("close", done);
    });
    let isOverdue = false;
    const watchdog = setTimeout(() => {
      isOverdue = true;
      child.kill("SIGKILL");
    }, longestMs);
    const calmDown = cut === null ? null : this.#cutShort(cut, dice, (signal) => void child.kill(signal));
    const exit = await ended;
    clearTimeout(watchdog);
    calmDown?.();
    if (isOverdue) throw new Error(`${name} did not end: ${err}`);
    if (err.includes("this is a bug in edgewise")) throw new Error(err);
    const read = (file: string): string => textOf(join(directory, file));
    const [journal, plan] = [read("journal"), read("plan")];
    const lines = journal.split("\n").slice(0, -1);
    return {
      caller: name,
      plan: plan === "" || locks ? null : (JSON.parse(plan) as Plan),
      result: exit === null || out === "" ? null : (JSON.parse(out) as Result),
      exit,
      events: lines.map((line) => JSON.parse(line) as ApplyEvent),
      shown: [out, err, journal, plan].join("\n"),
    };
  }

  /** @returns ends the wait for the moment to strike */
  #cutShort({ after, how, much }: Cut, dice: Dice, kill: (signal: NodeJS.Signals) => void): () => void {
    const signal = how === "kill" ? "SIGKILL" : dice.pick(["SIGINT", "SIGTERM"] as const);
    const until = this.served.length + much;
    // Before that write is answered, or a moment later.
    const later = dice.pick([0, 0, 5, 20]);
    let timer: NodeJS.Timeout | undefined;
    const strike = (): void => {
      kill(signal);
      if (how === "two signals") timer = setTimeout(() => kill("SIGINT"), dice.between(0, 30));
    };
    const hear = (): void => {
      if (this.served.length < until) return;
      this.#onServed.delete(hear);
      if (later === 0) strike();
      else timer = setTimeout(strike, later);
    };
    if (after === "time") timer = setTimeout(strike, much);
    else this.#onServed.add(hear);
    return () => {
      clearTimeout(timer);
      this.#onServed.delete(hear);
    };
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
    await pause(20);
  }

  async close(): Promise<void> {
    this.#countFaults();
    await this.#sandbox.close();
    await rm(this.directory, { recursive: true, force: true });
  }

  fit(desired: readonly Manifest[]): readonly Manifest[] {
    return desired.map((one) => {
      const pair = this.pairs.get(String(one.spec["certificate_pem"]));
      if (one.kind !== "TLSCertificate" || pair === undefined) return one;
      return { ...one, spec: { ...one.spec, certificate_pem: pair.certificate, private_key_pem: pair.secret } };
    });
  }

  #countFaults(): void {
    const { total, faults, log } = this.#sandbox.requests();
    this.figures.requests += total;
    this.figures.writes += log.filter(({ method }) => method !== "GET").length;
    for (const [spec, times] of Object.entries(faults))
      if (times > 0) count(this.figures.faults, nameOfFault(parseFault(spec)), times);
  }

  #answered({ method, path, body, baseUrl = "" }: ModelRequest, { status, body: response }: ModelResponse): void {
    if (method === "GET") return;
    if (JSON.stringify(body ?? "").includes(String.raw`\"lock\":true`) && isObject(response))
      this.#locks.add(method === "POST" ? `${path}/${String(response["id"])}` : path);
    else if (!this.#locks.has(path)) {
      const host = baseUrl.slice("http://".length);
      const caller = this.#callers.get(host) ?? "nobody";
      // Checked when the service receives it, on disk.
      const journal = textOf(join(this.#directoryOf(this.#lastCallers.get(host) ?? caller), "journal"));
      if (!journal.includes(`"method":"${method}","path":"${path}"`))
        this.unannounced.push(`${caller}: ${method} ${path} came before it was announced`);
      this.served.push({ caller, method, path, body, status, response });
    }
    for (const hear of this.#onServed) hear();
  }

  #directoryOf(name: string): string {
    return join(this.directory, name.replaceAll(" ", "-"));
  }
}

function textOf(path: string): string {
  return existsSync(path) ? readFileSync(path, "utf8") : "";
}
