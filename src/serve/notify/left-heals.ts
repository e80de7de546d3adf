import type { Clock } from "../../api/client.js";
import type { ServeStore } from "../store/store.js";
import type { NotifiedState, PutBack, TellingTerm } from "./telling-term.js";

/** Heals that processes leave in the store to the one that tells. */
export interface LeftHeals {
  /** Leaves one to the process that tells, also to this one. Never throws. */
  leave(heal: PutBack): Promise<void>;
  /** Leaves those that could not be left. @throws when they still can't be */
  save(term: TellingTerm | null): Promise<void>;
  /** Tells those that were left, and removes those that were told. @throws when the store can't be used */
  take(teller: () => TellingTerm | null): Promise<void>;
}

interface LeftHealsParts {
  readonly store: Pick<ServeStore, "saveHeal" | "loadHeals" | "removeHeal">;
  readonly clock: Clock;
  readonly state: NotifiedState;
}

/** While the store can't be written, no more heals than this are held in memory. */
const mostUnsaved = 10_000;

/** So long a heal of a stack that is not known here is left, because it may be about to be. */
const unknownMs = 3_600_000;

/**
 * The one that tells leaves its own heals, too, and tells them at once: when it dies before, the next one finds them. What a
 * receiver was told of last is kept with what it was told: so nobody tells him of it again before it is removed.
 */
export function createLeftHeals({ clock, state, store }: LeftHealsParts): LeftHeals {
  let unsaved: readonly PutBack[] = [];
  return {
    async leave(heal) {
      try {
        await store.saveHeal(heal);
      } catch {
        unsaved = [...unsaved, heal].slice(-mostUnsaved);
      }
    },
    async save(term) {
      while (true) {
        const [heal] = unsaved;
        if (heal === undefined) return;
        if (!(term?.isDone(heal) ?? false)) await store.saveHeal(heal);
        unsaved = unsaved.filter((one) => one !== heal);
      }
    },
    async take(teller) {
      if (teller() === null) return;
      for (const heal of await store.loadHeals()) {
        const term = teller();
        if (term === null) return;
        const isOld = !state.stacks.has(heal.stack) && clock.now() - heal.at > unknownMs;
        term.heal(heal);
        if (isOld || term.isDone(heal)) await store.removeHeal(heal.id);
      }
    },
  };
}
