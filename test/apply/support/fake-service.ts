import { ApiError } from "../../../src/api/api-error.ts";
import type { ApiRequest, ApiResponse, Client, RequestOutcome } from "../../../src/api/client.ts";
import { type JsonObject, type Value, isObject } from "../../../src/core/json.ts";
import { Secret } from "../../../src/core/secret.ts";
import type { SimulatedClock } from "../../serve/support/simulated-clock.ts";

export type Fault =
  | "ok"
  /** Nothing is done, and that is said. */
  | { readonly refuse: number; readonly message?: string }
  /** Nobody can tell from the answer; `done` tells what really happened, after `lateMs` if given. */
  | { readonly lost: "done" | "not-done"; readonly status?: number; readonly lateMs?: number }
  | { readonly answer: Value }
  | "not-sent"
  | { readonly throws: Error };

export interface Seen extends ApiRequest {
  readonly text: string;
  readonly begun: number;
  ended: number | null;
  done: boolean;
}

export class FakeService implements Client {
  readonly baseUrl = "https://api.example.com";
  readonly resources = new Map<string, JsonObject>();
  readonly seen: Seen[] = [];
  lists = 0;
  inFlight = 0;
  mostInFlight = 0;
  #ids = 0;
  listFault: Error | null = null;
  fault: (request: ApiRequest, before: number) => Fault = () => "ok";
  onSend: (request: ApiRequest) => void = () => {};
  latency: (request: ApiRequest) => number = () => 10;

  constructor(
    readonly clock: SimulatedClock,
    readonly hard?: AbortSignal,
  ) {}

  async send(request: ApiRequest): Promise<ApiResponse> {
    const { method, path } = request;
    const before = this.seen.filter((other) => other.method === method && other.path === path).length;
    const seen: Seen = { ...request, text: revealed(request.body), begun: this.clock.now(), ended: null, done: false };
    this.seen.push(seen);
    this.inFlight += 1;
    this.mostInFlight = Math.max(this.mostInFlight, this.inFlight);
    this.onSend(request);
    try {
      await this.clock.sleep(this.latency(request), this.hard);
      if (this.hard?.aborted === true) throw problem(request, null, "unknown", "stopped");
      return this.#answer(seen, this.fault(request, before));
    } finally {
      this.inFlight -= 1;
      seen.ended = this.clock.now();
    }
  }

  #answer(seen: Seen, fault: Fault): ApiResponse {
    if (fault === "ok") return this.#do(seen);
    if (fault === "not-sent") throw problem(seen, null, "not-sent", "connection refused");
    if ("throws" in fault) throw fault.throws;
    if ("refuse" in fault) throw problem(seen, fault.refuse, "answered", fault.message ?? "no");
    if ("answer" in fault) {
      this.#do(seen);
      return { status: 200, body: fault.answer };
    }
    if (fault.lost === "done") {
      if (fault.lateMs === undefined) this.#do(seen);
      else void this.clock.sleep(fault.lateMs).then(() => this.#do(seen));
    }
    throw problem(seen, fault.status ?? null, "unknown", "no answer");
  }

  #do(seen: Seen): ApiResponse {
    seen.done = true;
    const { method, path } = seen;
    const body = isObject(seen.body) ? (JSON.parse(seen.text) as JsonObject) : {};
    if (method === "POST") {
      this.#ids += 1;
      const id = `new_${this.#ids}`;
      const addr = path === "/reserved_addrs" ? { addr: `${this.#ids}.tcp.example.com:4000` } : {};
      const wire = { id, uri: `${path}/${id}`, ...body, ...addr };
      this.resources.set(`${path}/${id}`, wire);
      return { status: 201, body: wire };
    }
    if (method === "DELETE") {
      this.resources.delete(path);
      return { status: 204, body: null };
    }
    const now = { id: path.slice(path.lastIndexOf("/") + 1), ...this.resources.get(path), ...body };
    this.resources.set(path, now);
    return { status: 200, body: now };
  }

  async list(collection: { readonly path: string }): Promise<readonly JsonObject[]> {
    this.lists += 1;
    await this.clock.sleep(10);
    if (this.listFault !== null) throw this.listFault;
    return [...this.resources].flatMap(([path, wire]) => (path.startsWith(`${collection.path}/`) ? [wire] : []));
  }

  get(): Promise<ApiResponse> {
    throw new Error("an apply reads lists only");
  }

  async close(): Promise<void> {}

  get log(): readonly string[] {
    return this.seen.map(({ method, path }) => `${method} ${path}`);
  }
}

export function problem(request: ApiRequest, status: number | null, outcome: RequestOutcome, what: string): ApiError {
  const { method, path } = request;
  const interrupted = what === "stopped";
  return new ApiError({ method, path, status, outcome, what, remedy: null, attempts: 1, interrupted });
}

function revealed(value: Value | undefined): string {
  if (value === undefined) return "";
  const plain = (part: Value | undefined): unknown => {
    if (part instanceof Secret) return part.reveal();
    if (Array.isArray(part)) return (part as readonly Value[]).map(plain);
    if (isObject(part))
      return Object.fromEntries(Object.entries(part).map(([name, item]) => [name, plain(item as Value)]));
    return part;
  };
  return JSON.stringify(plain(value));
}
