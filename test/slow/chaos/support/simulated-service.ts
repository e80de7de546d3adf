import type { Client, ClientOptions } from "../../../../src/api/client.ts";
import { createClientOver } from "../../../../src/api/create-client.ts";
import type { HttpResponse, Transport, TransportFailure, WireRequest } from "../../../../src/api/transport.ts";
import { type Json, type JsonObject, isObject } from "../../../../src/core/json.ts";
import type { Manifest } from "../../../../src/manifest/manifest.ts";
import { type Effect, applyEffects, problems, violationsOf } from "../../../../src/model/effects.ts";
import { countingEnv } from "../../../../src/model/model-options.ts";
import { type ModelResponse, errorBody } from "../../../../src/model/request.ts";
import { respond } from "../../../../src/model/respond.ts";
import { listAll, worldFrom } from "../../../../src/model/world-seed.ts";
import type { World } from "../../../../src/model/world.ts";
import { PastWorld, StaleWorld } from "../../../../src/sandbox/lagging-world.ts";
import { SimulatedClock } from "../../../serve/support/simulated-clock.ts";
import { type Applied, type Caller, type Cut, type Job, type Target, chaoticApply } from "./chaotic-apply.ts";
import { secrets } from "./desired.ts";
import type { Dice } from "./dice.ts";
import { type Figures, count } from "./figures.ts";
import { type Mischief, type Trouble, calm, longestLagMs, someMischief, staleness } from "./mischief.ts";
import type { Account } from "./scenario.ts";
import type { Served } from "./truth.ts";
import { unsettled } from "./unsettled.ts";

/** The model behind a simulated network: virtual time and random faults. */
export class SimulatedService implements Account, Target {
  readonly baseUrl = "http://service.example";
  readonly apiKey = secrets.apiKey;
  readonly timeoutMs = 10_000;
  readonly clock = new SimulatedClock();
  readonly secrets = [];
  readonly unannounced = [];
  readonly moduleEndpoints: readonly string[];
  readonly dangles: boolean;
  readonly served: Served[] = [];
  /** Violated invariants, even temporary ones. */
  readonly violations: string[] = [];
  /** Whether the response to a list or module was false. */
  blinded = false;
  /** Whether a request was carried out after the client gave up. */
  late = false;
  /** When a request was last carried out late. */
  #lateAt = 0;
  readonly #world: World;
  readonly #env = countingEnv({ label: "x" });
  readonly #figures: Figures;
  readonly #lagging: ReadonlyMap<number, StaleWorld>;
  readonly #past: PastWorld;
  /** When each caller last wrote. */
  readonly #wroteAt = new Map<string, number>();
  readonly #unsettled;
  readonly #underWay = new Set<Promise<unknown>>();

  constructor(dice: Dice, figures: Figures) {
    const exact = dice.chance(0.5);
    this.moduleEndpoints = exact ? ["backend", "ip_restriction"] : [];
    this.dangles = !exact;
    this.#figures = figures;
    this.#world = worldFrom(
      {},
      {
        baseUrl: this.baseUrl,
        moduleEndpoints: this.moduleEndpoints,
        deleteReferenced: exact ? "refuse" : "dangle",
        unsetModule: dice.pick(["404", "null", "204", "empty"] as const),
        deleteUnsetModule: dice.pick(["204", "404"] as const),
        pageSize: dice.pick([1, 3, 100]),
        unsetText: dice.pick(["", null, "omitted"] as const),
      },
    );
    this.#lagging = new Map(staleness.map((writes) => [writes, new StaleWorld(this.#world, writes)]));
    this.#past = new PastWorld(this.#world, longestLagMs, () => this.clock.now());
    this.#unsettled = unsettled(this.clock, dice.fork("unsettled"));
  }

  get pending(): boolean {
    return this.#underWay.size > 0 || this.clock.now() - this.#lateAt < 120_000;
  }

  async begin(dice: Dice | null): Promise<Mischief> {
    return dice === null ? calm : someMischief(dice);
  }

  apply(job: Job): Promise<Applied> {
    return chaoticApply(this, job);
  }

  cut(dice: Dice): Cut {
    const how = dice.pick(["signal", "two signals", "kill"] as const);
    return { how, afterMs: dice.pick([0, 50, 300, 1000, 3000, 20_000]) + dice.between(0, 500) };
  }

  fit(desired: readonly Manifest[]): readonly Manifest[] {
    return desired;
  }

  problems(): readonly string[] {
    return problems(this.#world);
  }

  async close(): Promise<void> {}

  /** A manual edit in the console; throws if the service refuses. */
  console(method: string, path: string, body?: Json): JsonObject {
    const { status, body: answer } = this.#carryOut("console", method, path, [], body);
    if (status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(answer)}`);
    return isObject(answer) ? answer : {};
  }

  lists(): ReturnType<typeof listAll> {
    return listAll(this.#world);
  }

  /** Waits until the service has finished all requests and is consistent. */
  async quiet(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
    await this.clock.sleep(60_000);
  }

  /** A client with its own connection. */
  connect(options: ClientOptions, caller: Caller): Client {
    const transport = (signal: AbortSignal): Transport => {
      return (request) => (caller.dead ? never() : this.#exchange(request, caller, signal));
    };
    return createClientOver(options, transport);
  }

  async #exchange(request: WireRequest, caller: Caller, signal: AbortSignal): Promise<HttpResponse | TransportFailure> {
    const { dice, mischief } = caller;
    const struck = mischief.strike(request.method, dice);
    this.#figures.requests += 1;
    if (request.method !== "GET") this.#figures.writes += 1;
    if (struck !== null) count(this.#figures.faults, struck.name);
    const trouble = struck?.trouble ?? null;
    const upMs = dice.between(1, 80);
    const downMs = dice.between(1, 80) + (trouble?.of === "slow" ? trouble.ms : 0);
    const tooLate = trouble?.of === "hang" || upMs + downMs > request.timeoutMs;
    const answered = this.#answer(request, caller, trouble, upMs, downMs);
    const ended = tooLate ? this.clock.sleep(request.timeoutMs).then(() => timedOut) : answered;
    let stop = (): void => {};
    const cut = new Promise<TransportFailure>((resolve) => {
      stop = () => resolve(stopped);
      if (signal.aborted) stop();
      else signal.addEventListener("abort", stop, { once: true });
    });
    const end = await Promise.race([ended, cut]);
    signal.removeEventListener("abort", stop);
    return caller.dead ? never() : end;
  }

  async #answer(
    request: WireRequest,
    caller: Caller,
    trouble: Trouble | null,
    upMs: number,
    downMs: number,
  ): Promise<HttpResponse | TransportFailure> {
    if (trouble?.of === "refused-connection") {
      await this.clock.sleep(2);
      return failure("ECONNREFUSED", "the connection was refused", "not-sent");
    }
    const lateMs = trouble?.of === "hang" ? trouble.carriedOutAfterMs : null;
    const arrived = this.#later(upMs + (lateMs === null ? 0 : request.timeoutMs + lateMs), () => {
      // Requests in flight at the end of a run also arrive late, during the next one.
      if (lateMs !== null || caller.ended) {
        this.late = true;
        this.#lateAt = this.clock.now();
      }
      return trouble !== null && isSpoilt(trouble) ? null : this.#serve(request, caller, trouble);
    });
    const response = await arrived;
    if (trouble?.of === "hang") return never();
    await this.clock.sleep(downMs);
    return this.#spoil(request, response, trouble);
  }

  #later<T>(ms: number, what: () => T): Promise<T> {
    const done = this.clock.sleep(ms).then(what);
    this.#underWay.add(done);
    void done.finally(() => this.#underWay.delete(done));
    return done;
  }

  #serve({ method, url, body }: WireRequest, { name }: Caller, trouble: Trouble | null): ModelResponse {
    const json = body === null ? undefined : (JSON.parse(body) as Json);
    const refusal = this.#unsettled.refuses(method, url.pathname, json);
    if (refusal !== null) {
      count(this.#figures.faults, "not settled yet");
      return { status: refusal, body: errorBody(refusal, 218, "not found or in use, try again", "op_x") };
    }
    return this.#carryOut(name, method, url.pathname, [...url.searchParams], json, trouble);
  }

  #carryOut(
    caller: string,
    method: string,
    path: string,
    query: readonly (readonly [string, string])[],
    body: Json | undefined,
    trouble: Trouble | null = null,
  ): ModelResponse {
    const request = { method, path, query, ...(body === undefined ? {} : { body }) };
    const { response, effects } = respond(this.#world, request, this.#env);
    if (trouble?.of === "stale" && effects.length === 0) {
      this.blinded = true;
      const past = this.#lagging.get(trouble.writes);
      const stale = past === undefined ? response : respond(past.world, request, this.#env).response;
      return stale.status === 200 ? stale : response;
    }
    if (trouble?.of === "lag" && effects.length === 0) {
      const since = this.clock.now() - trouble.ms;
      // A run must cope when its own writes are hidden, and can't when those of others are.
      if ([...this.#wroteAt].some(([other, at]) => other !== caller && at > since)) this.blinded = true;
      const past = this.#past.at(trouble.ms);
      const behind = past === null ? response : respond(past, request, this.#env).response;
      return behind.status === 200 ? behind : response;
    }
    if (effects.length > 0) this.#wrote(effects, caller);
    if (method !== "GET") {
      const { status, body: answer } = response;
      const at = this.clock.now();
      this.served.push({ caller, method, path, body, status, response: answer, at, changed: effects.length > 0 });
    }
    return response;
  }

  #wrote(effects: readonly Effect[], caller: string): void {
    applyEffects(this.#world, effects);
    for (const lagging of this.#lagging.values()) lagging.recordWrite(effects);
    this.#past.recordWrite(effects);
    this.#wroteAt.set(caller, this.clock.now());
    this.#unsettled.wrote(effects);
    // A violation by a manual edit is not the program's fault.
    if (caller !== "console") this.violations.push(...violationsOf(this.#world, effects).map(({ message }) => message));
  }

  #spoil(
    request: WireRequest,
    response: ModelResponse | null,
    trouble: Trouble | null,
  ): HttpResponse | TransportFailure {
    switch (trouble?.of) {
      case "reset":
        return failure("ECONNRESET", "the connection was reset", "unknown");
      case "truncated":
        return {
          ...failure("UND_ERR_SOCKET", "the response was cut short", "unknown"),
          status: response?.status ?? 200,
        };
      case "status": {
        const { status, retryAfter } = trouble;
        if (request.method === "GET" && (status === 403 || status === 404)) this.blinded = true;
        return answer(status, JSON.stringify(errorBody(status, 299, echo(request), "op_x")), retryAfter);
      }
      case "html":
        if (request.method === "GET" && trouble.status === 404) this.blinded = true;
        return answer(trouble.status, `<html><body>${trouble.status} ${echo(request)}</body></html>`);
      case "blank":
        return response !== null && response.status < 300 ? answer(response.status, trouble.body) : plain(response);
      default:
        return plain(response);
    }
  }
}

/** Whether a request is never carried out. */
function isSpoilt(trouble: Trouble): boolean {
  if (trouble.of === "reset" || trouble.of === "status") return !trouble.after;
  if (trouble.of === "hang") return trouble.carriedOutAfterMs === null;
  return trouble.of === "html" && trouble.status >= 400;
}

/** A careless service echoes the request, including the key. */
function echo({ headers, body }: WireRequest): string {
  return `no: ${headers["authorization"] ?? JSON.stringify(headers)} ${body ?? ""}`;
}

function plain(response: ModelResponse | null): HttpResponse {
  if (response === null) throw new Error("a request that was not carried out has no answer of its own");
  return answer(response.status, response.status === 204 ? "" : JSON.stringify(response.body));
}

function answer(status: number, body: string, retryAfter: number | null = null): HttpResponse {
  const header = (name: string): string | null =>
    name === "retry-after" && retryAfter !== null ? String(retryAfter) : null;
  return { type: "answer", status, header, body: Buffer.from(body) };
}

function failure(code: string, message: string, outcome: "not-sent" | "unknown"): TransportFailure {
  return { type: "failure", outcome, status: null, code, message, remedy: "", transient: true, stopped: false };
}

const timedOut = failure("TIMEOUT", "no complete response in time", "unknown");
const stopped: TransportFailure = { ...failure("STOPPED", "stopped", "unknown"), transient: false, stopped: true };

function never(): Promise<never> {
  return new Promise(() => {});
}
