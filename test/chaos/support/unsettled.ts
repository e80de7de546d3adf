import type { Clock } from "../../../src/api/client.ts";
import type { Json } from "../../../src/json.ts";
import type { Effect } from "../../../src/model/effects.ts";
import type { Dice } from "./dice.ts";

/** No service takes longer than this to know what it did itself. */
const longestMs = 8_000;

/** Remembers what was just made and let go, and refuses what uses or takes it for a moment. */
export interface Unsettled {
  wrote(effects: readonly Effect[]): void;
  /** The status with which a write is refused; null = it is not. */
  refuses(method: string, path: string, body: Json | undefined): number | null;
}

/** Some services need a moment: which ones, for how long and for what is up to the dice. */
export function unsettled(clock: Clock, dice: Dice): Unsettled {
  const slow = dice.chance(0.3);
  const fresh = new Map<string, number>();
  return {
    wrote: (effects) => {
      if (!slow) return;
      for (const effect of effects) {
        if (effect.of !== "resource") continue;
        const { id, before, after } = effect;
        if (before === null) remember(id);
        const kept = new Set(portsOf(after));
        for (const port of portsOf(before)) if (!kept.has(port)) remember(port);
      }
    },
    refuses: (method, path, body) => {
      if (fresh.size === 0 || method === "GET") return null;
      const text = JSON.stringify(body ?? null);
      for (const [what, until] of fresh) {
        if (until <= clock.now()) fresh.delete(what);
        else if (text.includes(JSON.stringify(what)) || (method !== "DELETE" && path.includes(what)))
          return dice.pick([400, 404, 409]);
      }
      return null;
    },
  };

  function remember(what: string): void {
    if (dice.chance(0.4)) fresh.set(what, clock.now() + dice.between(1, longestMs));
  }
}

function portsOf(resource: { readonly [member: string]: unknown } | null): readonly string[] {
  const ports = resource?.["hostports"];
  return Array.isArray(ports) ? ports.filter((port) => typeof port === "string") : [];
}
