import { type Json, isObject } from "../../../../src/core/json.ts";
import { applyEffects } from "../../../../src/model/effects.ts";
import { countingEnv } from "../../../../src/model/model-options.ts";
import type { ModelResponse } from "../../../../src/model/request.ts";
import { respond } from "../../../../src/model/respond.ts";
import { type WorldSeed, worldFrom } from "../../../../src/model/world-seed.ts";
import { type Seen, type TestServer, startServer } from "../../../api/support/server.ts";

export interface Mischief {
  readonly name: string;
  readonly at: (request: Seen) => boolean;
  readonly answer: (request: Seen, right: ModelResponse) => Reply;
}

interface Reply {
  readonly status: number;
  readonly body: string;
  readonly headers?: { readonly [name: string]: string };
}

export interface HostileService extends TestServer {
  begin(seed: WorldSeed, mischief: Mischief | null): void;
  bodies(): readonly string[];
}

export async function hostileService(): Promise<HostileService> {
  let world = worldFrom({});
  let env = countingEnv();
  let mischief: Mischief | null = null;
  let began = 0;
  const server = await startServer((request, response) => {
    const right = answerOf(request);
    const strikes = mischief?.at(request) === true;
    const { status, headers, body } = strikes && mischief !== null ? mischief.answer(request, right) : plainly(right);
    response.writeHead(status, { ...headers }).end(body);
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
  return {
    ...server,
    begin: (seed, next) => {
      world = worldFrom(seed);
      env = countingEnv();
      mischief = next;
      began = server.seen.length;
    },
    bodies: () => server.seen.slice(began).map(({ body }) => body),
  };
}

export function plainly({ status, body }: ModelResponse): Reply {
  return { status, body: body === null ? "" : JSON.stringify(body), headers: { "content-type": "application/json" } };
}

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
