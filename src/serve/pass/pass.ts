import type { Client } from "../../api/client.js";
import { EdgewiseError } from "../../core/errors.js";
import type { AccountPassInput, DueStack, PassDeps } from "../serve-deps.js";
import { ListHealth } from "./list-health.js";
import type { LoadStack } from "./load-stack.js";

/** So long the lists of a verification serve the next stack's write. */
const freshMs = 5000;

export class Pass {
  /** Why nothing is written: live can't be read, or the lists can't be believed. */
  unreadable: string | null = null;
  readonly #client: Client | null;
  #latest: ListHealth | null = null;

  constructor(
    readonly input: AccountPassInput,
    readonly deps: PassDeps,
    readonly load: LoadStack,
    client: Client | string,
  ) {
    this.#client = typeof client === "string" ? null : client;
    if (typeof client === "string") this.unreadable = client;
  }

  get client(): Client {
    const client = this.#client;
    if (client === null) throw new EdgewiseError("config", this.unreadable ?? "there is no connection to the account");
    return {
      ...client,
      send: (request) => {
        this.#latest = null;
        return client.send(request);
      },
    };
  }

  list(): ListHealth {
    this.#latest = new ListHealth(this.client, this.deps.clock.now());
    return this.#latest;
  }

  beginWriting(): void {
    this.#latest = null;
  }

  /** Lists for a write or a verification: begun under the account's lock and after its last write. */
  listForWriting(anew: boolean): ListHealth {
    const latest = this.#latest;
    const isFresh = latest !== null && !anew && latest.began >= this.deps.clock.now() - freshMs;
    return isFresh ? latest : this.list();
  }

  whyNotWritten({ unfollowed }: DueStack): string | null {
    const { clock, dryRun, paused, stop } = this.deps;
    const { quietUntil } = this.deps.claim;
    if (dryRun) return "a dry run writes nothing";
    if (clock.now() < quietUntil)
      return `a pass was cut off while it wrote to the account, and what it sent may still arrive: nothing is written before ${new Date(quietUntil).toISOString()}`;
    if (this.unreadable !== null) return `live can't be read any more (${this.unreadable})`;
    if (stop.aborted) return "the loop is stopping";
    return paused || unfollowed?.rewound === true || unfollowed?.unreachable === true
      ? "nothing may be written now"
      : null;
  }
}
