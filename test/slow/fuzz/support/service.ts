import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Json } from "../../../../src/core/json.ts";
import { applyEffects } from "../../../../src/model/effects.ts";
import { countingEnv } from "../../../../src/model/model-options.ts";
import { respond } from "../../../../src/model/respond.ts";
import { type WorldSeed, listAll, worldFrom } from "../../../../src/model/world-seed.ts";

export type Twist = (path: string, right: Json) => { readonly status: number; readonly body: string };

export interface Service {
  readonly baseUrl: string;
  begin(seed: WorldSeed, twist: Twist | null): void;
  writes(): number;
  snapshot(): WorldSeed;
  close(): Promise<void>;
}

export async function startService(): Promise<Service> {
  let world = worldFrom({});
  let env = countingEnv();
  let twist: Twist | null = null;
  let writes = 0;
  let baseUrl = "";
  const answer = (method: string, target: string, text: string): { readonly status: number; readonly body: string } => {
    const url = new URL(target, baseUrl);
    const body = text === "" ? {} : { body: JSON.parse(text) as Json };
    const request = { method, path: url.pathname, query: [...url.searchParams], baseUrl, ...body };
    const { response, effects } = respond(world, request, env);
    applyEffects(world, effects);
    if (effects.length > 0) writes += 1;
    if (method === "GET" && twist !== null) return twist(url.pathname, response.body);
    return { status: response.status, body: response.body === null ? "" : JSON.stringify(response.body) };
  };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("error", () => undefined);
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const given = answer(request.method ?? "", request.url ?? "", Buffer.concat(chunks).toString("utf8"));
      response.writeHead(given.status, { "content-type": "application/json" });
      response.end(given.body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    baseUrl,
    begin: (seed, next) => {
      world = worldFrom(seed, { baseUrl });
      env = countingEnv();
      twist = next;
      writes = 0;
    },
    writes: () => writes,
    snapshot: () => structuredClone({ lists: listAll(world), modules: Object.fromEntries(world.modules) }),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
