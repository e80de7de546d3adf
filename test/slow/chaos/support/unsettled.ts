import type { Clock } from "../../../../src/api/client.ts";
import type { Json } from "../../../../src/core/json.ts";
import type { Effect } from "../../../../src/model/effects.ts";
import type { Dice } from "./dice.ts";

/** The longest time that a service takes to become consistent. */
const longestMs = 8_000;

/** Remembers recent creates and releases, and refuses requests that use or take them for a moment. */
export interface Unsettled {
  wrote(effects: readonly Effect[]): void;
  /** The status that refuses a write; null = it is accepted. */
  refuses(method: string, path: string, body: Json | undefined): number | null;
}

/** Some services need a moment to become consistent; which ones, how long and for what is random. */
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
