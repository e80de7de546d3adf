import { forListedKinds } from "../kinds/names.js";
import { applyEffects } from "../model/effects.js";
import type { ModelEnv } from "../model/model-options.js";
import type { ModelRequest, ModelResponse } from "../model/request.js";
import { respond } from "../model/respond.js";
import { listAll } from "../model/world-seed.js";
import type { World } from "../model/world.js";
import type { FaultInjector } from "./fault-injector.js";
import { type Lag, PastWorld, StaleWorld, current } from "./lagging-world.js";
import type { WorldSnapshot } from "./sandbox-options.js";

/** The model with its state: one world that requests change, one after the other. */
export class Service {
  readonly #world: World;
  readonly #env: ModelEnv;
  readonly #changed: () => void;
  readonly #stale: ReadonlyMap<number, StaleWorld>;
  readonly #past: PastWorld | null;

  /**
   * @param lags how far behind reads may be
   * @param changed called after each request that changed something
   */
  constructor(world: World, env: ModelEnv, lags: FaultInjector["lags"], changed: () => void) {
    this.#world = world;
    this.#env = env;
    this.#changed = changed;
    this.#stale = new Map(lags.writes.map((writes) => [writes, new StaleWorld(world, writes)]));
    this.#past = lags.longestMs === 0 ? null : new PastWorld(world, lags.longestMs, () => performance.now());
  }

  /** Answers one request; reads may show the state of some writes, or some time, ago. */
  answer(request: ModelRequest, lag: Lag = current): ModelResponse {
    const { response, effects } = respond(this.#world, request, this.#env);
    if (effects.length > 0) {
      applyEffects(this.#world, effects);
      for (const stale of this.#stale.values()) stale.recordWrite(effects);
      this.#past?.recordWrite(effects);
      this.#changed();
    }
    if (request.method !== "GET") return response;
    const behind = this.#stale.get(lag.writes)?.world ?? null;
    const past = lag.milliseconds === 0 ? null : (this.#past?.at(lag.milliseconds) ?? null);
    if (past !== null && !isList(response)) return respond(past, request, this.#env).response;
    const world = past ?? behind;
    if (world === null || !isList(response)) return response;
    const stale = respond(world, request, this.#env).response;
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
