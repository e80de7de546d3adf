import { forListedKinds } from "../kinds/names.js";
import { type Effect, applyEffects } from "../model/effects.js";
import type { ModelEnv } from "../model/model-options.js";
import type { ModelRequest, ModelResponse } from "../model/request.js";
import { respond } from "../model/respond.js";
import { type World } from "../model/world.js";
import { listAll, worldFrom } from "../model/world-seed.js";
import type { WorldSnapshot } from "./sandbox-options.js";

export class Service {
  readonly #past: LaggingWorld | null;

  constructor(
    private readonly world: World,
    private readonly env: ModelEnv,
    mostLag: number,
    private readonly changed: () => void,
  ) {
    this.#past = mostLag === 0 ? null : new LaggingWorld(world, mostLag, () => performance.now());
  }

  answer(request: ModelRequest, lag = 0): ModelResponse {
    const { response, effects } = respond(this.world, request, this.env);
    if (effects.length > 0) {
      applyEffects(this.world, effects);
      this.#past?.recordWrite(effects);
      this.changed();
    }
    const world = request.method === "GET" ? this.#past?.at(lag) : null;
    if (world == null) return response;
    const past = respond(world, request, this.env).response;
    // A page that begins after a newer resource can only come from the current state.
    return isList(response) && past.status !== 200 ? response : past;
  }

  operationId(): string {
    return this.env.newId("op_");
  }

  snapshot(): WorldSnapshot {
    return { ...stored(this.world), lists: listAll(this.world) };
  }

  stored(): WorldSnapshot {
    return stored(this.world);
  }
}

function stored({ collections, modules }: World): WorldSnapshot {
  const lists = forListedKinds((kind) => Array.from(collections[kind], ([, resource]) => resource));
  return { lists, modules: Object.fromEntries(modules) };
}

function isList({ status, body }: ModelResponse): boolean {
  return status === 200 && typeof body === "object" && body !== null && "next_page_uri" in body;
}

export class LaggingWorld {
  readonly #oldest: World;
  readonly #writes: Readonly<{ at: number; effects: readonly Effect[] }>[] = [];

  /** @param now ms that never go back */
  constructor(
    world: World,
    private readonly most: number,
    private readonly now: () => number,
  ) {
    this.#oldest = copyOf(world);
  }

  recordWrite(effects: readonly Effect[]): void {
    const now = this.now();
    this.#writes.push({ at: now, effects });
    while ((this.#writes[0]?.at ?? now) <= now - this.most)
      applyEffects(this.#oldest, this.#writes.shift()?.effects ?? []);
  }

  at(lag: number): World | null {
    const since = this.now() - lag;
    const seen = lag > 0 ? this.#writes.filter(({ at }) => at <= since) : this.#writes;
    if (seen.length === this.#writes.length) return null;
    const world = copyOf(this.#oldest);
    for (const { effects } of seen) applyEffects(world, effects);
    return world;
  }
}

/** Pages can't begin after resources that are gone. */
function copyOf(world: World): World {
  return worldFrom(stored(world), world.options);
}
