import { setMaxListeners } from "node:events";
import { EdgewiseError } from "../../core/errors.js";
import type { ServeEvent } from "../serve-events.js";
import type { ServeStore } from "../store/store.js";
import { type DeliveryParts, createDeliveries } from "./deliveries.js";
import { createLeftHeals } from "./left-heals.js";
import { type NotifiedState, type TellingTerm, createTerm } from "./telling-term.js";

export type { NotifiedState } from "./telling-term.js";

/** Tells the receivers of the fleet file what changed. Nothing that the loop does waits for it. */
export interface Notifier {
  /** Takes note that something may have changed. Returns at once, and never throws. */
  onEvent(event: ServeEvent): void;
  /**
   * To be called when what other processes changed was taken over, again and again, also when that was nothing. Returns at
   * once, and never throws.
   */
  onChanges(): void;
  /** Tells what there is to tell, waits at most so many milliseconds until it is told, and ends. */
  close(graceMs: number): Promise<void>;
}

export interface NotifierOptions extends DeliveryParts {
  readonly state: NotifiedState;
  readonly store: NotifierStore;
}

type NotifierStore = Pick<
  ServeStore,
  "shared" | "isTeller" | "loadTold" | "saveTold" | "saveHeal" | "loadHeals" | "removeHeal"
>;

/** Events after which a record may be another. */
const telling = new Set<ServeEvent["event"]>(["state-changed", "account-looked", "fleet-loaded", "stack-forgotten"]);

/** Changes that come together are looked at together: how long after the first. */
const gatherMs = 200;

/**
 * Compares the records with what was told of them, whenever something may have changed. So what is told follows from what
 * is kept: nothing is told twice after a restart, and nothing is lost that still holds.
 *
 * Of several processes that use one store, one tells ({@link ServeStore.isTeller}). When another becomes that one, it
 * begins with what was kept as told, and with records that were read after that: older ones would tell anew what the one
 * before has told. What a receiver has taken is kept right after that. When the process dies in between, or another one
 * tells from then on, it is sent once more, with the same id, by which receivers can know it.
 * @throws EdgewiseError `io` when a store of this process alone can't be read; another one is tried again
 */
export async function createNotifier(options: NotifierOptions): Promise<Notifier> {
  const { clock, state, store } = options;
  const closing = new AbortController();
  // Each receiver waits with it.
  setMaxListeners(0, closing.signal);
  const deliveries = createDeliveries(options);
  const heals = createLeftHeals({ store, clock, state });
  let term: TellingTerm | null = null;
  let gathering = false;
  /** How often it was seen that another process tells, and that what others changed was taken over. */
  let losses = 0;
  let taken = 0;
  /** From which taking over on the records are younger than what the term began with. */
  let ripe = 0;
  let round: Promise<void> | null = null;
  let again = false;

  const current = (): TellingTerm | null => {
    if (store.isTeller()) return term;
    losses += 1;
    term?.end();
    term = null;
    return null;
  };
  const begin = async (): Promise<void> => {
    if (current() !== null || !store.isTeller()) return;
    const before = losses;
    const kept = await store.loadTold();
    // Another process may have told meanwhile: what was loaded is too old then.
    if (!store.isTeller() || losses !== before || closing.signal.aborted) return;
    const own = createTerm(kept, {
      state,
      store,
      deliveries,
      mayTell: () => current() === own,
      closing: closing.signal,
    });
    term = own;
    // The changes that are taken over next may have been read before.
    ripe = taken + 2;
  };
  const ripened = (): TellingTerm | null => {
    const own = current();
    return !store.shared || taken >= ripe ? own : null;
  };
  const turn = async (): Promise<void> => {
    await begin();
    await heals.save(ripened());
    await ripened()?.saveUnsaved();
    await heals.take(ripened);
  };
  /** What the store refuses is done with the next look: the loop tells that it can't be used. */
  const tolerate = (error: unknown): void => {
    if (error instanceof EdgewiseError) return;
    const message = error instanceof Error ? error.message : String(error);
    options.emit({ event: "bug", subject: "notifications", message });
  };
  const work = async (): Promise<void> => {
    while (again && !closing.signal.aborted) {
      again = false;
      await turn().catch(tolerate);
      ripened()?.look();
    }
    round = null;
  };
  const look = (): void => {
    if (!store.shared) return term?.look();
    again = true;
    round ??= work();
  };
  const gather = async (): Promise<void> => {
    gathering = true;
    await clock.sleep(gatherMs, closing.signal);
    gathering = false;
    if (!closing.signal.aborted) look();
  };
  const begun = begin();
  await (store.shared ? begun.catch(tolerate) : begun);
  look();
  return {
    onEvent(event) {
      if (closing.signal.aborted) return;
      if (event.event === "apply-started" && event.drift > 0) {
        const heal = { stack: event.stack, at: clock.now(), changes: event.drift, impact: event.impact };
        ripened()?.heal(heal);
        if (store.shared) void heals.leave(heal);
      }
      if (telling.has(event.event) && !gathering) void gather();
    },
    onChanges() {
      if (closing.signal.aborted) return;
      taken += 1;
      look();
    },
    async close(graceMs) {
      // Who passes everything once takes nothing over, and tells of what it knows.
      if (taken === 0) current()?.look();
      else ripened()?.look();
      const ended = new AbortController();
      const idle = term?.idle() ?? Promise.resolve();
      await Promise.race([idle, clock.sleep(graceMs, ended.signal)]);
      ended.abort();
      closing.abort();
    },
  };
}
