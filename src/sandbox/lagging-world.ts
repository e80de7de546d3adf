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
