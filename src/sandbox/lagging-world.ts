import { type Effect, applyEffects } from "../model/effects.js";
import { copyWorld } from "../model/respond.js";
import type { World } from "../model/world.js";

/** A world as it was some writes ago: what lists of an eventually consistent service may still show. */
export class StaleWorld {
  readonly world: World;
  readonly #writes: (readonly Effect[])[] = [];

  /** @param lag by how many writes it is behind */
  constructor(
    world: World,
    readonly lag: number,
  ) {
    this.world = copyWorld(world);
  }

  /** Told of what each write did to the present world. */
  recordWrite(effects: readonly Effect[]): void {
    this.#writes.push(effects);
    const due = this.#writes.length > this.lag ? this.#writes.shift() : undefined;
    if (due !== undefined) applyEffects(this.world, due);
  }
}
