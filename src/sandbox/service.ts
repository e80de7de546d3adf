import { forListedKinds } from "../kinds/names.js";
import { type Effect, applyEffects } from "../model/effects.js";
import type { ModelEnv } from "../model/model-options.js";
import type { ModelRequest, ModelResponse } from "../model/request.js";
import { copyWorld, respond } from "../model/respond.js";
import { listAll } from "../model/world-seed.js";
import type { World } from "../model/world.js";
import type { WorldSnapshot } from "./sandbox-options.js";

/** The model with its state: one world that requests change, one after the other. */
export class Service {
  readonly #world: World;
  readonly #env: ModelEnv;
  readonly #changed: (effects: readonly Effect[]) => void;
  readonly #lagging: ReadonlyMap<number, StaleWorld>;

  /**
   * @param lags the values that `staleWrites` of a request may have
   * @param changed called after each request that changed something
   */
  constructor(world: World, env: ModelEnv, lags: readonly number[], changed: (effects: readonly Effect[]) => void) {
    this.#world = world;
    this.#env = env;
    this.#changed = changed;
    this.#lagging = new Map(lags.map((lag) => [lag, new StaleWorld(world, lag)]));
  }

  /** Answers one request; lists may show the state of some writes ago. */
  answer(request: ModelRequest, staleWrites = 0): ModelResponse {
    const { response, effects } = respond(this.#world, request, this.#env);
    if (effects.length > 0) {
      applyEffects(this.#world, effects);
      for (const lagging of this.#lagging.values()) lagging.recordWrite(effects);
      this.#changed(effects);
    }
    const behind = this.#lagging.get(staleWrites);
    if (behind === undefined || request.method !== "GET" || !isList(response)) return response;
    const stale = respond(behind.world, request, this.#env).response;
    // A page that begins after a resource that did not exist yet can only come from the current state.
    return stale.status === 200 ? stale : response;
  }

  /** A new operation id, for responses that the model did not make. */
  operationId(): string {
    return this.#env.newId("op_");
  }

  snapshot(): WorldSnapshot {
    return { lists: listAll(this.#world), modules: this.#modules() };
  }

  /** What must be kept to go on from here: resources as GET returns them. */
  stored(): WorldSnapshot {
    const lists = forListedKinds((kind) => Array.from(this.#world.collections[kind], ([, resource]) => resource));
    return { lists, modules: this.#modules() };
  }

  #modules(): WorldSnapshot["modules"] {
    return Object.fromEntries(this.#world.modules);
  }
}

function isList({ status, body }: ModelResponse): boolean {
  return status === 200 && typeof body === "object" && body !== null && "next_page_uri" in body;
}

/** A world as it was some writes ago, as lists of an eventually consistent service may still show it. */
export class StaleWorld {
  readonly world: World;
  readonly #writes: (readonly Effect[])[] = [];

  /** @param lag how many writes it is behind */
  constructor(
    world: World,
    readonly lag: number,
  ) {
    this.world = copyWorld(world);
  }

  /** Takes over the effects of one more write to the current world; the oldest pending one becomes visible. */
  recordWrite(effects: readonly Effect[]): void {
    this.#writes.push(effects);
    const due = this.#writes.length > this.lag ? this.#writes.shift() : undefined;
    if (due !== undefined) applyEffects(this.world, due);
  }
}
