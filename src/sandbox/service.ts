import { forListedKinds } from "../kinds/names.js";
import { type Effect, applyEffects } from "../model/effects.js";
import type { ModelEnv } from "../model/model-options.js";
import type { ModelRequest, ModelResponse } from "../model/request.js";
import { copyWorld, respond } from "../model/respond.js";
import { listAll } from "../model/world-seed.js";
import type { World } from "../model/world.js";
import type { WorldSnapshot } from "./sandbox-options.js";

/** How far a read is behind; with both, the time counts. */
export interface Lag {
  /** The state before so many of the last writes; 0 = the current state. For lists alone. */
  readonly writes: number;
  /** The state of so many milliseconds ago; 0 = the current state. */
  readonly milliseconds: number;
}

/** The model with its state: one world that requests change, one after the other. */
export class Service {
  readonly #past: LaggingWorld | null;

  /**
   * @param most how far behind reads may be
   * @param changed called after each request that changed something
   */
  constructor(
    private readonly world: World,
    private readonly env: ModelEnv,
    most: Lag,
    private readonly changed: () => void,
  ) {
    const lags = most.writes > 0 || most.milliseconds > 0;
    this.#past = lags ? new LaggingWorld(world, most, () => performance.now()) : null;
  }

  /** Answers one request; reads may show the state of some writes, or some time, ago. */
  answer(request: ModelRequest, lag: Lag = { writes: 0, milliseconds: 0 }): ModelResponse {
    const { response, effects } = respond(this.world, request, this.env);
    if (effects.length > 0) {
      applyEffects(this.world, effects);
      this.#past?.recordWrite(effects);
      this.changed();
    }
    const isListed = isList(response);
    const world = request.method === "GET" && (isListed || lag.milliseconds > 0) ? this.#past?.at(lag) : null;
    if (world == null) return response;
    const past = respond(world, request, this.env).response;
    // A page that begins after a resource that did not exist yet can only come from the current state.
    return isListed && past.status !== 200 ? response : past;
  }

  /** A new operation id, for responses that the model did not make. */
  operationId(): string {
    return this.env.newId("op_");
  }

  snapshot(): WorldSnapshot {
    return { lists: listAll(this.world), modules: Object.fromEntries(this.world.modules) };
  }

  /** What must be kept to go on from here: resources as GET returns them. */
  stored(): WorldSnapshot {
    const lists = forListedKinds((kind) => Array.from(this.world.collections[kind], ([, resource]) => resource));
    return { lists, modules: Object.fromEntries(this.world.modules) };
  }
}

function isList({ status, body }: ModelResponse): boolean {
  return status === 200 && typeof body === "object" && body !== null && "next_page_uri" in body;
}

/** A world as it was, as an eventually consistent service may still show it. Keeps the writes that a read may lack. */
export class LaggingWorld {
  readonly #oldest: World;
  readonly #writes: { readonly at: number; readonly effects: readonly Effect[] }[] = [];

  /**
   * @param most how far behind reads may be
   * @param now milliseconds that never go back
   */
  constructor(
    world: World,
    private readonly most: Lag,
    private readonly now: () => number,
  ) {
    this.#oldest = copyWorld(world);
  }

  /** Takes over the effects of one more write to the current world. */
  recordWrite(effects: readonly Effect[]): void {
    const now = this.now();
    this.#writes.push({ at: now, effects });
    while (this.#writes.length > this.most.writes && (this.#writes[0]?.at ?? now) <= now - this.most.milliseconds)
      applyEffects(this.#oldest, this.#writes.shift()?.effects ?? []);
  }

  /** The world that a read shows; null = the current one. */
  at({ milliseconds, writes }: Partial<Lag>): World | null {
    const since = this.now() - (milliseconds ?? 0);
    const seen = this.#writes.filter((write, index) =>
      (milliseconds ?? 0) > 0 ? write.at <= since : index < this.#writes.length - (writes ?? 0),
    );
    if (seen.length === this.#writes.length) return null;
    const world = copyWorld(this.#oldest);
    for (const { effects } of seen) applyEffects(world, effects);
    return world;
  }
}
