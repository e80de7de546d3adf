import { type Effect, applyEffects } from "../model/effects.js";
import { copyWorld } from "../model/respond.js";
import type { World } from "../model/world.js";

/** How far a read is behind; with both, the time counts. */
export interface Lag {
  /** The state before so many of the last writes; 0 = the current state. For lists alone. */
  readonly writes: number;
  /** The state of so many milliseconds ago; 0 = the current state. */
  readonly milliseconds: number;
}

export const current: Lag = { writes: 0, milliseconds: 0 };

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

/** A world as it was some time ago. It keeps the writes of the longest time that a read may be behind. */
export class PastWorld {
  /** As it was `longestMs` ago, when it was last asked. */
  readonly #oldest: World;
  readonly #writes: { readonly at: number; readonly effects: readonly Effect[] }[] = [];

  /** @param now milliseconds that never go back */
  constructor(
    world: World,
    readonly longestMs: number,
    private readonly now: () => number,
  ) {
    this.#oldest = copyWorld(world);
  }

  /** Takes over the effects of one more write to the current world. */
  recordWrite(effects: readonly Effect[]): void {
    this.#writes.push({ at: this.now(), effects });
    this.#age(this.now());
  }

  /** The world of so many milliseconds ago, at most the longest time; null when nothing was written since. */
  at(milliseconds: number): World | null {
    const now = this.now();
    this.#age(now);
    const since = now - milliseconds;
    if (this.#writes.every(({ at }) => at <= since)) return null;
    const visible = this.#writes.filter(({ at }) => at <= since);
    if (visible.length === 0) return this.#oldest;
    const world = copyWorld(this.#oldest);
    for (const { effects } of visible) applyEffects(world, effects);
    return world;
  }

  /** Takes writes that every read shows over into the oldest world. */
  #age(now: number): void {
    while (this.#writes[0] !== undefined && this.#writes[0].at <= now - this.longestMs)
      applyEffects(this.#oldest, this.#writes.shift()?.effects ?? []);
  }
}
