import type { ServerResponse } from "node:http";
import { type Json, isObject } from "../../../src/json.ts";
import { applyEffects } from "../../../src/model/effects.ts";
import { countingEnv } from "../../../src/model/model-options.ts";
import type { ModelResponse } from "../../../src/model/request.ts";
import { respond } from "../../../src/model/respond.ts";
import { type WorldSeed, worldFrom } from "../../../src/model/world-seed.ts";
import { type Seen, type TestServer, startServer } from "../../api/support/server.ts";

/** What a service does instead of answering, or makes of the answer that it should give. */
export interface Mischief {
  readonly name: string;
  /** Which requests it strikes. */
  readonly at: (request: Seen) => boolean;
  readonly answer: (request: Seen, right: ModelResponse) => Reply;
}

export type Reply =
  | { readonly status: number; readonly body: string; readonly headers?: { readonly [name: string]: string } }
  | "reset"
  | "hang";

export interface HostileService extends TestServer {
  /** Begins anew with a world and a mischief; what was seen is forgotten. */
  begin(seed: WorldSeed, mischief: Mischief | null): void;
  /** How many writes came since it began. */
  writes(): number;
  /** The modules of HTTPS edges as they are now, by path. */
  modules(): ReadonlyMap<string, unknown>;
  /** Every body that was sent since it began. */
  bodies(): readonly string[];
}

/** A service that answers as the model does, unless it means harm. */
export async function hostileService(): Promise<HostileService> {
  let world = worldFrom({});
  let env = countingEnv();
  let mischief: Mischief | null = null;
  let began = 0;
  const server = await startServer((request, response) => {
    const right = answerOf(request);
    const strikes = mischief?.at(request) === true;
    send(response, strikes && mischief !== null ? mischief.answer(request, right) : plainly(right));
  });
  const answerOf = (request: Seen): ModelResponse => {
    const url = new URL(request.url, server.baseUrl);
    const body = request.body === "" ? {} : { body: JSON.parse(request.body) as Json };
    const { response, effects } = respond(
      world,
      { method: request.method, path: url.pathname, query: [...url.searchParams], baseUrl: server.baseUrl, ...body },
      env,
    );
    applyEffects(world, effects);
    return response;
  };
  const since = (): readonly Seen[] => server.seen.slice(began);
  return {
    ...server,
    begin: (seed, next) => {
      world = worldFrom(seed);
      env = countingEnv();
      mischief = next;
      began = server.seen.length;
    },
    writes: () => since().filter(({ method }) => method !== "GET").length,
    modules: () => world.modules,
    bodies: () => since().map(({ body }) => body),
  };
}

/** The right answer as it is. */
export function plainly({ status, body }: ModelResponse): Exclude<Reply, string> {
  return { status, body: body === null ? "" : JSON.stringify(body), headers: { "content-type": "application/json" } };
}

/** Everything that a request said, in many spellings: what a careless error message may hold. */
export function echo({ headers, body, url }: Seen): string {
  const key = (headers.authorization ?? "").replace("Bearer ", "");
  const parts = [key, ...(body === "" ? [] : [body, ...textsIn(JSON.parse(body))])];
  const spelt = parts.flatMap((part) => [
    part,
    encodeURIComponent(part),
    Buffer.from(part).toString("base64"),
    Buffer.from(`x:${part}`).toString("base64"),
    Buffer.from(part).toString("hex"),
    JSON.stringify(part),
  ]);
  return `no: ${url} ${spelt.join(" ")}`;
}

function textsIn(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  if (Array.isArray(value)) return value.flatMap(textsIn);
  return isObject(value) ? Object.values(value).flatMap(textsIn) : [];
}

function send(response: ServerResponse, reply: Reply): void {
  if (reply === "hang") return;
  if (reply === "reset") {
    response.socket?.resetAndDestroy();
    return;
  }
  response.writeHead(reply.status, { ...reply.headers });
  response.end(reply.body);
}
