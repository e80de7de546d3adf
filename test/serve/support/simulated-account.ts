import type { Client, ClientOptions } from "../../../src/api/client.ts";
import { createClientOver } from "../../../src/api/create-client.ts";
import type { HttpResponse, Transport, TransportFailure, WireRequest } from "../../../src/api/transport.ts";
import { type Json, type JsonObject, isObject } from "../../../src/core/json.ts";
import { applyEffects, problems } from "../../../src/model/effects.ts";
import { type ModelOptions, countingEnv } from "../../../src/model/model-options.ts";
import { errorBody } from "../../../src/model/request.ts";
import { respond } from "../../../src/model/respond.ts";
import { listAll, worldFrom } from "../../../src/model/world-seed.ts";
import { LaggingWorld } from "../../../src/sandbox/service.ts";
import { Secret } from "../../../src/core/secret.ts";
import type { FleetAccount } from "../../../src/serve/fleet/fleet.ts";
import type { SimulatedClock } from "./simulated-clock.ts";

export interface Reached {
  readonly method: string;
  readonly path: string;
  readonly body: string | null;
}

/** What goes wrong with a request. `carriedOut`: the service did it all the same. */
export type Trouble = { readonly status: number; readonly message?: string } | { readonly lost: "before" | "after" };

const longestLagMs = 20_000;

export class SimulatedAccount {
  readonly #world;
  readonly #past: LaggingWorld;
  readonly #env = countingEnv({ label: "live" });
  readonly requests: Reached[] = [];
  lagMs = 0;
  hides: (id: string) => boolean = () => false;
  trouble: (request: Reached, index: number) => Trouble | null = () => null;
  delayMs: (request: Reached) => number = () => 10;
  onRequest: (request: Reached, index: number) => void = () => undefined;

  constructor(
    readonly clock: SimulatedClock,
    options: Partial<ModelOptions> = {},
  ) {
    this.#world = worldFrom({}, { baseUrl: "https://service.example", ...options });
    this.#past = new LaggingWorld(this.#world, longestLagMs, () => clock.now());
  }

  get writes(): readonly string[] {
    return this.requests.filter(({ method }) => method !== "GET").map(({ method, path }) => `${method} ${path}`);
  }

  problems(): readonly string[] {
    return problems(this.#world);
  }

  lists(): ReturnType<typeof listAll> {
    return listAll(this.#world);
  }

  byHand(method: string, path: string, body?: Json): JsonObject {
    const response = this.#carryOut(method, path, [], body);
    if (response.status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(response.body)}`);
    return isObject(response.body) ? response.body : {};
  }

  readonly connect = async (account: FleetAccount, changes: Partial<ClientOptions>): Promise<Client> =>
    createClientOver(
      {
        baseUrl: account.baseUrl,
        apiKey: Secret.of("ak_C4n4ry/7+9==~Lk", "file"),
        versionHeader: account.versionHeader,
        concurrency: 8,
        timeoutMs: 10_000,
        requestsPerMinute: account.requestsPerMinute,
        env: {},
        clock: this.clock,
        random: () => 0.5,
        ...changes,
      },
      (signal): Transport =>
        (request) =>
          this.#exchange(request, signal),
    );

  async #exchange(request: WireRequest, signal: AbortSignal): Promise<HttpResponse | TransportFailure> {
    const { body, method, url } = request;
    const reached = { method, path: url.pathname, body };
    const index = this.requests.push(reached) - 1;
    const trouble = this.trouble(reached, index);
    await this.clock.sleep(this.delayMs(reached), signal);
    if (signal.aborted) return failure("STOPPED", true);
    const isDone = trouble === null || ("lost" in trouble && trouble.lost === "after");
    const json = body === null ? undefined : (JSON.parse(body) as Json);
    const response = isDone ? this.#carryOut(method, url.pathname, [...url.searchParams], json) : null;
    this.onRequest(reached, index);
    if (signal.aborted) return failure("STOPPED", true);
    if (trouble !== null && "lost" in trouble) return failure("ECONNRESET", false);
    if (trouble !== null)
      return answer(trouble.status, errorBody(trouble.status, 299, trouble.message ?? "no", "op_1"));
    const shown = method === "GET" ? without(response?.body ?? null, this.hides) : (response?.body ?? null);
    return answer(response?.status ?? 500, shown);
  }

  #carryOut(method: string, path: string, query: readonly (readonly [string, string])[], body: Json | undefined) {
    const request = { method, path, query, ...(body === undefined ? {} : { body }) };
    if (method === "GET" && this.lagMs > 0) {
      const past = this.#past.at(this.lagMs);
      if (past !== null) return respond(past, request, this.#env).response;
    }
    const { response, effects } = respond(this.#world, request, this.#env);
    applyEffects(this.#world, effects);
    if (effects.length > 0) this.#past.recordWrite(effects);
    return response;
  }
}

function without(body: Json, hides: (id: string) => boolean): Json {
  if (!isObject(body)) return body;
  const isShown = (item: Json): boolean => !isObject(item) || !hides(String(item["id"]));
  return Object.fromEntries(
    Object.entries(body).map(([member, value]) => [member, Array.isArray(value) ? value.filter(isShown) : value]),
  );
}

function answer(status: number, body: unknown): HttpResponse {
  return { type: "answer", status, header: () => null, body: Buffer.from(status === 204 ? "" : JSON.stringify(body)) };
}

function failure(code: string, stopped: boolean): TransportFailure {
  const about = { status: null, code, message: "the connection was reset", remedy: "" };
  return { type: "failure", outcome: "unknown", ...about, transient: !stopped, stopped };
}
