import type { Client, ClientOptions, Clock } from "../../../src/api/client.ts";
import { createClientOver } from "../../../src/api/create-client.ts";
import type { HttpResponse, WireRequest } from "../../../src/api/transport.ts";
import { type Json, type JsonObject, isObject } from "../../../src/json.ts";
import { readMarker } from "../../../src/kinds/marker.ts";
import { type Address, addressOf, kindOf, listedKinds } from "../../../src/kinds/names.ts";
import { kinds } from "../../../src/kinds/registry.ts";
import { applyEffects, problems } from "../../../src/model/effects.ts";
import { countingEnv } from "../../../src/model/model-options.ts";
import { errorBody } from "../../../src/model/request.ts";
import { respond } from "../../../src/model/respond.ts";
import { listAll, worldFrom } from "../../../src/model/world-seed.ts";
import { Secret } from "../../../src/secret.ts";

/** A write that the loop sent. */
export interface SentWrite {
  /** Elapsed milliseconds. */
  readonly at: number;
  readonly method: string;
  readonly path: string;
  readonly body: Json;
  readonly status: number;
}

/** What the service does to lists: fails them, or leaves resources out of them. */
export type Lie =
  | { readonly status: number }
  /** @param id of the resource @param path of its list */
  | { readonly hides: (id: string, path: string) => boolean };

/** An account of the service in memory, with people who edit it by hand and lists that can lie. */
export class SimulatedAccount {
  readonly baseUrl = "http://service.example";
  /** Writes of the loop, refused ones too; edits by hand are not among them. */
  readonly writes: SentWrite[] = [];
  /** When each page of a list was asked for, in elapsed milliseconds. */
  readonly lists: number[] = [];
  /** What is false about lists now; null = nothing. */
  lie: Lie | null = null;
  readonly #world = worldFrom({}, { baseUrl: "http://service.example", moduleEndpoints: [] });
  readonly #env = countingEnv({ label: "x" });
  readonly #clock: Clock & { readonly elapsed: number };

  constructor(clock: Clock & { readonly elapsed: number }) {
    this.#clock = clock;
  }

  /** A client with its own connection, as the loop makes one for each pass. */
  connect(changes: Partial<ClientOptions> = {}): Client {
    const options: ClientOptions = {
      baseUrl: this.baseUrl,
      apiKey: Secret.of("the-key-of-the-account", "file key"),
      versionHeader: "Service-Version",
      concurrency: 4,
      timeoutMs: 10_000,
      requestsPerMinute: null,
      env: {},
      clock: this.#clock,
      random: () => 0.5,
      ...changes,
    };
    return createClientOver(options, () => (request) => this.#exchange(request));
  }

  /** A request by hand; throws when the service refuses it. */
  byHand(method: string, path: string, body?: Json): void {
    const { status } = this.#carryOut(method, path, body);
    if (status >= 300) throw new Error(`${method} ${path} was refused with ${status}`);
  }

  /** Somebody changes members of a resource. */
  edit(stack: string, address: Address, body: JsonObject): void {
    this.byHand("PATCH", this.pathOf(stack, address), body);
  }

  /** The path of a stack's resource. */
  pathOf(stack: string, address: Address): string {
    const [found] = this.owned(stack, address);
    const id = found?.["id"];
    if (typeof id !== "string") throw new Error(`${stack} has no ${address}`);
    return kinds[kindOf(address)].path(id, {});
  }

  /** What is live of a stack: all of it, or what carries the marker of one address. */
  owned(stack: string, address?: Address): readonly JsonObject[] {
    const lists = listAll(this.#world);
    return listedKinds.flatMap((kind) =>
      lists[kind].filter((wire) => {
        const { marker } = readMarker(wire["metadata"]);
        const isWanted = address === undefined || (marker !== null && addressOf(kind, marker.name) === address);
        return marker?.stack === stack && isWanted;
      }),
    );
  }

  /** What must never be so: dangling references, claims held twice. */
  problems(): readonly string[] {
    return problems(this.#world);
  }

  async #exchange(request: WireRequest): Promise<HttpResponse> {
    await this.#clock.sleep(20);
    const { method, url } = request;
    const body = request.body === null ? undefined : (JSON.parse(request.body) as Json);
    if (method === "GET") this.lists.push(this.#clock.elapsed);
    const lie = method === "GET" ? this.lie : null;
    if (lie !== null && "status" in lie) return answer(lie.status, errorBody(lie.status, 299, "out of order", "op_x"));
    const response = this.#carryOut(method, url.pathname, body, [...url.searchParams]);
    if (method !== "GET")
      this.writes.push({
        at: this.#clock.elapsed,
        method,
        path: url.pathname,
        body: body ?? null,
        status: response.status,
      });
    await this.#clock.sleep(20);
    return answer(response.status, lie === null ? response.body : without(response.body, url.pathname, lie.hides));
  }

  #carryOut(
    method: string,
    path: string,
    body: Json | undefined,
    query: readonly (readonly [string, string])[] = [],
  ): { readonly status: number; readonly body: Json } {
    const request = { method, path, query, ...(body === undefined ? {} : { body }) };
    const { response, effects } = respond(this.#world, request, this.#env);
    applyEffects(this.#world, effects);
    return response;
  }
}

/** A list without what is hidden. */
function without(body: Json, path: string, hides: (id: string, path: string) => boolean): Json {
  if (!isObject(body)) return body;
  const isShown = (item: Json): boolean => !isObject(item) || !hides(String(item["id"]), path);
  return Object.fromEntries(
    Object.entries(body).map(([member, value]) => [member, Array.isArray(value) ? value.filter(isShown) : value]),
  );
}

function answer(status: number, body: Json): HttpResponse {
  return {
    type: "answer",
    status,
    header: () => null,
    body: Buffer.from(status === 204 ? "" : JSON.stringify(body)),
  };
}
