import type { Client, ClientOptions } from "../../../../src/api/client.ts";
import { createClientOver } from "../../../../src/api/create-client.ts";
import type { HttpResponse, Transport, TransportFailure, WireRequest } from "../../../../src/api/transport.ts";
import { type Json, type JsonObject, isObject } from "../../../../src/core/json.ts";
import { readMarker } from "../../../../src/kinds/marker.ts";
import { listedKinds } from "../../../../src/kinds/names.ts";
import { kinds } from "../../../../src/kinds/registry.ts";
import { applyEffects, problems } from "../../../../src/model/effects.ts";
import { countingEnv } from "../../../../src/model/model-options.ts";
import { errorBody } from "../../../../src/model/request.ts";
import { respond } from "../../../../src/model/respond.ts";
import { listAll, worldFrom } from "../../../../src/model/world-seed.ts";
import { LaggingWorld } from "../../../../src/sandbox/service.ts";
import { Secret } from "../../../../src/core/secret.ts";
import type { SimulatedClock } from "../../../serve/support/simulated-clock.ts";
import type { Dice } from "./dice.ts";
import { type Figures, count } from "./figures.ts";
import type { ServeProcess } from "./simulated-process.ts";

export type Mood =
  | { readonly of: "calm" }
  | { readonly of: "refuses"; readonly status: number; readonly probability: number; readonly path: string | null }
  | { readonly of: "hangs"; readonly probability: number }
  | { readonly of: "loses answers"; readonly probability: number }
  | { readonly of: "talks nonsense"; readonly body: string }
  /** Lists lack what it hides; since when, in elapsed milliseconds. */
  | { readonly of: "hides"; readonly share: number; readonly since: number }
  | { readonly of: "lags"; readonly ms: number };

export interface LiveResource {
  readonly stack: string;
  readonly address: string;
  readonly wire: JsonObject;
}

export interface Arrival {
  readonly account: string;
  readonly method: string;
  readonly path: string;
  readonly client: number;
  readonly opened: number;
  /** Null = a create. */
  readonly before: LiveResource | null;
  /** Null = a delete. */
  readonly after: LiveResource | null;
  readonly late: boolean;
  readonly unread: string | null;
  readonly mood: Mood;
}

const longestLagMs = 8_000;

const strict = { moduleEndpoints: [], deleteReferenced: "refuse" } as const;

export class ServeAccount {
  readonly baseUrl: string;
  mood: Mood = { of: "calm" };
  /** When a list was last old, or lacked something; in elapsed milliseconds. */
  readonly lied = { lags: -Infinity, hides: -Infinity };
  onArrival: (arrival: Arrival) => void = () => undefined;
  readonly #world;
  readonly #past: LaggingWorld;
  readonly #env = countingEnv({ label: "x" });
  #clients = 0;

  constructor(
    readonly name: string,
    private readonly clock: SimulatedClock,
    private readonly dice: Dice,
    private readonly figures: Figures,
  ) {
    this.baseUrl = `https://${name}.example`;
    this.#world = worldFrom({}, { baseUrl: this.baseUrl, pageSize: dice.pick([3, 100]), ...strict });
    this.#past = new LaggingWorld(this.#world, longestLagMs, () => clock.elapsed);
  }

  connect(process: ServeProcess, requestsPerMinute: number | null, changes: Partial<ClientOptions>): Client {
    const client = { number: (this.#clients += 1), opened: this.clock.elapsed, unread: new UnreadLists() };
    const options: ClientOptions = {
      baseUrl: this.baseUrl,
      apiKey: Secret.of("ak_C4n4ry/7+9==~Lk", "file"),
      versionHeader: "Service-Version",
      concurrency: 8,
      timeoutMs: 10_000,
      requestsPerMinute,
      env: {},
      clock: process.steadyClock,
      random: this.dice.next,
      ...changes,
    };
    return createClientOver(
      options,
      (signal): Transport =>
        (request) =>
          process.outside(() => this.#exchange(request, signal, client, process)),
    );
  }

  byHand(method: string, path: string, body?: Json): boolean {
    return this.#carryOut(method, path, [], body).status < 300;
  }

  owned(): readonly LiveResource[] {
    const lists = listAll(this.#world);
    return listedKinds.flatMap((kind) =>
      lists[kind].flatMap((wire) => {
        const { marker } = readMarker(wire["metadata"]);
        return marker === null ? [] : [{ stack: marker.stack, address: `${kind}/${marker.name}`, wire }];
      }),
    );
  }

  problems(): readonly string[] {
    return problems(this.#world);
  }

  async #exchange(
    request: WireRequest,
    signal: AbortSignal,
    client: { readonly number: number; readonly opened: number; readonly unread: UnreadLists },
    process: ServeProcess,
  ): Promise<HttpResponse | TransportFailure> {
    const { method, url } = request;
    const body = request.body === null ? undefined : (JSON.parse(request.body) as Json);
    const { dice, mood } = this;
    this.figures.requests += 1;
    if (method !== "GET") this.figures.writes += 1;
    await this.clock.sleep(dice.between(1, 20), signal);
    // What a killed process sent arrives, or does not.
    if (process.dead && dice.chance(0.5)) return failure("ECONNRESET");
    if (signal.aborted && !process.dead) return { ...failure("STOPPED"), transient: false, stopped: true };
    const trouble = this.#trouble(url.pathname, mood);
    const collection = listPath(url.pathname);
    const told = (response: HttpResponse | TransportFailure, readable: boolean): HttpResponse | TransportFailure => {
      if (method === "GET" && collection !== null) {
        // One that is refused for good blinds only the stacks that need it; to the others it hides who refers to theirs.
        const isForGood = mood.of === "refuses" && mood.status < 404;
        if (!readable && isForGood) this.lied.hides = this.clock.elapsed;
        client.unread.asked(collection, readable || isForGood);
      }
      if (method === "POST" && collection !== null && !readable) client.unread.doubted(collection);
      return response;
    };
    if (trouble === "refused" && mood.of === "refuses")
      return told(answer(mood.status, errorBody(mood.status, 299, "no", "op_x"), dice.pick([null, 1, 5])), false);
    if (trouble === "hung") {
      await this.clock.sleep(request.timeoutMs, signal);
      return told(failure("TIMEOUT"), false);
    }
    const done = this.#serve(method, url, body, { ...client, late: process.dead }, mood);
    await this.clock.sleep(dice.between(1, 20), signal);
    if (trouble === "lost") return told(failure("ECONNRESET"), false);
    if (mood.of === "talks nonsense" && method === "GET") return told(raw(200, mood.body), false);
    return told(answer(done.status, done.body, null), true);
  }

  #trouble(path: string, mood: Mood): "refused" | "hung" | "lost" | null {
    const { dice } = this;
    if (mood.of === "refuses" && (mood.path === null || path.startsWith(mood.path)) && dice.chance(mood.probability)) {
      count(this.figures.faults, `answers ${mood.status}`);
      return "refused";
    }
    const about = mood.of === "hangs" || mood.of === "loses answers" ? mood : null;
    if (about === null || !dice.chance(about.probability)) return null;
    count(this.figures.faults, about.of);
    return about.of === "hangs" ? "hung" : "lost";
  }

  #serve(
    method: string,
    url: URL,
    body: Json | undefined,
    client: Pick<Arrival, "opened" | "late"> & {
      readonly number: number;
      readonly unread: UnreadLists;
    },
    mood: Mood,
  ): { readonly status: number; readonly body: Json } {
    const query = [...url.searchParams];
    if (method === "GET") {
      if (mood.of === "lags" || mood.of === "hides" || mood.of === "talks nonsense")
        count(this.figures.faults, mood.of);
      if (mood.of === "lags" || mood.of === "hides") this.lied[mood.of] = this.clock.elapsed;
      const found = this.#carryOut(method, url.pathname, query, body, mood.of === "lags" ? mood.ms : 0);
      return mood.of === "hides" ? { ...found, body: hidden(found.body, mood.share) } : found;
    }
    const before = this.owned();
    const done = this.#carryOut(method, url.pathname, query, body);
    const after = this.owned();
    const was = before.find(({ wire }) => `${url.pathname}/`.startsWith(`${pathOf(wire, before) ?? "?"}/`));
    const id = method === "POST" && isObject(done.body) ? done.body["id"] : was?.wire["id"];
    const is = after.find(({ wire }) => wire["id"] === id);
    const unread = client.unread.first;
    const { late, number, opened } = client;
    const about = { account: this.name, method, path: url.pathname, client: number, opened, late, unread, mood };
    if (done.status < 300) this.onArrival({ ...about, before: was ?? null, after: is ?? null });
    return done;
  }

  #carryOut(
    method: string,
    path: string,
    query: readonly (readonly [string, string])[],
    body: Json | undefined,
    lagMs = 0,
  ): { readonly status: number; readonly body: Json } {
    const request = { method, path, query, ...(body === undefined ? {} : { body }) };
    const past = lagMs > 0 ? this.#past.at(lagMs) : null;
    const { response, effects } = respond(past ?? this.#world, request, this.#env);
    if (past !== null) return response;
    applyEffects(this.#world, effects);
    if (effects.length > 0) this.#past.recordWrite(effects);
    return response;
  }
}

export function pathOf(wire: JsonObject, among: readonly LiveResource[]): string | null {
  const found = among.find((one) => one.wire === wire);
  const kind = listedKinds.find((one) => found?.address.startsWith(`${one}/`));
  return kind === undefined ? null : kinds[kind].path(String(wire["id"]), {});
}

function listPath(path: string): string | null {
  const kind = listedKinds.find((one) => kinds[one].collection?.path === path);
  return kind === undefined ? null : path;
}

function hidden(body: Json, share: number): Json {
  if (!isObject(body)) return body;
  return Object.fromEntries(
    Object.entries(body).map(([member, value]) => [
      member,
      Array.isArray(value) ? value.slice(0, Math.floor(value.length * (1 - share))) : value,
    ]),
  );
}

function answer(status: number, body: Json, retryAfter: number | null): HttpResponse {
  const header = (name: string): string | null =>
    name === "retry-after" && status === 429 && retryAfter !== null ? String(retryAfter) : null;
  return { type: "answer", status, header, body: Buffer.from(status === 204 ? "" : JSON.stringify(body)) };
}

function raw(status: number, body: string): HttpResponse {
  return { type: "answer", status, header: () => null, body: Buffer.from(body) };
}

function failure(code: string): TransportFailure {
  const about = { status: null, code, message: "no answer", remedy: "" };
  return { type: "failure", outcome: "unknown", ...about, transient: true, stopped: false };
}

class UnreadLists {
  readonly #unread = new Set<string>();
  /** Lists that are searched for what a request without a clear answer may have made. */
  readonly #searched = new Set<string>();

  get first(): string | null {
    const [first = null] = this.#unread;
    return first;
  }

  asked(path: string, isRead: boolean): void {
    // A search asks for that list alone, while others go on writing by what they read before. A look asks for all lists.
    if (!this.#searched.has(path)) this.#searched.clear();
    else if (!isRead) return;
    if (isRead) this.#unread.delete(path);
    else this.#unread.add(path);
  }

  /** Something was to be made in a list, and what became of it is not known. */
  doubted(path: string): void {
    this.#searched.add(path);
  }
}
