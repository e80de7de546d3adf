import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Clock } from "../../../../src/api/client.ts";
import { createClient } from "../../../../src/api/create-client.ts";
import { type Json, type JsonObject, isObject } from "../../../../src/json.ts";
import type { Live } from "../../../../src/live/live.ts";
import type { Manifest } from "../../../../src/manifest/manifest.ts";
import { problems } from "../../../../src/model/effects.ts";
import type { ModelRequest, ModelResponse } from "../../../../src/model/request.ts";
import { worldFrom } from "../../../../src/model/world-seed.ts";
import { parseFault } from "../../../../src/sandbox/fault.ts";
import type { Sandbox } from "../../../../src/sandbox/sandbox-options.ts";
import { startSandbox } from "../../../../src/sandbox/start-sandbox.ts";
import { type Pairs, realCertificates } from "./certificates.ts";
import { type Applied, type Cut, type Job, type Target, chaoticApply } from "./chaotic-apply.ts";
import { secrets } from "./desired.ts";
import type { Dice } from "./dice.ts";
import { type Figures, count } from "./figures.ts";
import { type Mischief, calm } from "./mischief.ts";
import { nameOfFault, someFaults } from "./sandbox-faults.ts";
import { haste, hastyClock } from "./hasty-clock.ts";
import type { Account } from "./scenario.ts";
import type { Served } from "./truth.ts";

/** An account at the sandbox, over real HTTP. A data file keeps the world between two sets of faults. */
export class SandboxAccount implements Account {
  readonly apiKey = secrets.apiKey;
  readonly clock: Clock = hastyClock();
  readonly violations = [];
  readonly unannounced: string[] = [];
  readonly served: Served[] = [];
  /** Called after each write was carried out, and before it is answered. */
  protected readonly onServed = new Set<() => void>();
  readonly moduleEndpoints: readonly ("backend" | "ip_restriction")[];
  readonly dangles: boolean;
  /** The timeout of an attempt, in real milliseconds. */
  timeoutMs = 10_000;
  blinded = false;
  late = false;
  protected sandbox: Sandbox;
  protected readonly directory: string;
  protected readonly figures: Figures;
  readonly #dice: Dice;
  readonly #pairs: Pairs;
  #sandboxes = 0;
  /** The host name that each apply uses for the sandbox, so that two in parallel can be distinguished. */
  readonly #callers = new Map<string, string>();
  /** The last apply of each host name: what a killed one sent may arrive after it has ended. */
  readonly #lastCallers = new Map<string, string>();

  protected constructor(directory: string, sandbox: Sandbox, pairs: Pairs, dice: Dice, figures: Figures) {
    this.directory = directory;
    this.sandbox = sandbox;
    this.figures = figures;
    this.#dice = dice;
    this.#pairs = pairs;
    const exact = dice.chance(0.5);
    this.moduleEndpoints = exact ? ["backend", "ip_restriction"] : [];
    this.dangles = !exact;
  }

  static async open(dice: Dice, figures: Figures): Promise<SandboxAccount> {
    return new SandboxAccount(...(await SandboxAccount.parts()), dice, figures);
  }

  protected static async parts(): Promise<readonly [string, Sandbox, Pairs]> {
    const directory = await mkdtemp(join(tmpdir(), "edgewise-chaos-"));
    return [directory, await startSandbox({ dataFile: join(directory, "world.json") }), await realCertificates()];
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
    await this.sandbox.close();
    this.#sandboxes += 1;
    this.timeoutMs = dice === null ? 10_000 : 300;
    this.sandbox = await startSandbox({
      dataFile: join(this.directory, "world.json"),
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
    const { port } = new URL(this.sandbox.baseUrl);
    const host = this.#callers.has(`127.0.0.1:${port}`) ? `localhost:${port}` : `127.0.0.1:${port}`;
    this.#callers.set(host, job.caller.name);
    this.#lastCallers.set(host, job.caller.name);
    try {
      return await this.applyAt(`http://${host}`, job);
    } finally {
      this.#callers.delete(host);
    }
  }

  protected applyAt(baseUrl: string, job: Job): Promise<Applied> {
    const { clock, apiKey, timeoutMs } = this;
    const target: Target = { clock, apiKey, timeoutMs, baseUrl, connect: (options) => createClient(options) };
    return chaoticApply(target, job);
  }

  cut(dice: Dice): Cut {
    const how = dice.pick(["signal", "two signals"] as const);
    return { how, afterMs: dice.between(0, 300) * haste };
  }

  console(method: string, path: string, body?: Json): JsonObject {
    const { status, body: answer } = this.sandbox.direct({ method, path, ...(body === undefined ? {} : { body }) });
    if (status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(answer)}`);
    return isObject(answer) ? answer : {};
  }

  lists(): Live["lists"] {
    return this.sandbox.world().lists;
  }

  problems(): readonly string[] {
    return problems(worldFrom(this.sandbox.world()));
  }

  /** A delayed request is either carried out by then or never, because the next sandbox starts without it. */
  protected keys(): { readonly [variable: string]: string } {
    return Object.fromEntries([...this.#pairs.values()].map(({ variable, key }) => [variable, key]));
  }

  /** Whether the journal had the write before the service received it. */
  protected announced(_caller: string, _write: string): boolean {
    return true;
  }

  async quiet(): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }

  async close(): Promise<void> {
    await this.#countFaults();
    await this.sandbox.close();
    await rm(this.directory, { recursive: true, force: true });
  }

  fit(desired: readonly Manifest[]): readonly Manifest[] {
    return desired.map((one) => {
      const pair = this.#pairs.get(String(one.spec["certificate_pem"]));
      if (one.kind !== "TLSCertificate" || pair === undefined) return one;
      return { ...one, spec: { ...one.spec, certificate_pem: pair.certificate, private_key_pem: pair.secret } };
    });
  }

  async #countFaults(): Promise<void> {
    const { total, faults, log } = this.sandbox.requests();
    this.figures.requests += total;
    this.figures.writes += log.filter(({ method }) => method !== "GET").length;
    for (const [spec, times] of Object.entries(faults))
      if (times > 0) count(this.figures.faults, nameOfFault(parseFault(spec)), times);
  }

  #answered({ method, path, body, baseUrl = "" }: ModelRequest, { status, body: response }: ModelResponse): void {
    if (method === "GET") return;
    const host = baseUrl.slice("http://".length);
    const caller = this.#callers.get(host) ?? "nobody";
    if (!this.announced(this.#lastCallers.get(host) ?? caller, `${method} ${path}`))
      this.unannounced.push(`${caller}: ${method} ${path} came before it was announced`);
    const about = { caller, method, path, body, status, response, at: Date.now() };
    this.served.push({ ...about, changed: status < 300 });
    for (const hear of this.onServed) hear();
  }
}
