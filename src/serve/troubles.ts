import type { ServeEvent } from "./serve-events.js";

export const troubleKinds = ["fleet", "store", "notify", "service"] as const;

export interface Trouble {
  readonly kind: (typeof troubleKinds)[number];
  readonly message: string;
  readonly since: number;
}

export class Troubles {
  readonly #now: () => number;
  readonly #known = new Map<string, Trouble>();

  constructor(now: () => number) {
    this.#now = now;
  }

  list(): readonly Trouble[] {
    return [...this.#known.values()];
  }

  onEvent(event: ServeEvent): ServeEvent | null {
    if (event.event === "fleet-refused")
      this.#begin("fleet", "", `The fleet file is refused, and the one before stays in effect: ${event.message}`);
    else if (event.event === "store-failed")
      this.#begin("store", "", `What is shown may be as old as this: the state can't be used. ${event.message}`);
    else if (event.event === "notify-failed")
      this.#begin("notify", event.receiver, `Notifications to ${event.receiver} fail: ${event.message}`);
    else if (event.event === "fleet-loaded") this.#known.delete("fleet ");
    else if (event.event === "store-recovered") this.#known.delete("store ");
    else if (event.event === "notify-recovered") this.#known.delete(`notify ${event.receiver}`);
    else if (event.event === "request" && event.status !== 0) this.#known.delete(`service ${event.account}`);
    else if (event.event === "request") {
      const isNew = this.#begin("service", event.account, `Account ${event.account}: the service gives no answer.`);
      if (isNew) return { event: "service-silent", account: event.account };
    }
    return null;
  }

  #begin(kind: Trouble["kind"], about: string, message: string): boolean {
    const before = this.#known.get(`${kind} ${about}`);
    this.#known.set(`${kind} ${about}`, { kind, message, since: before?.since ?? this.#now() });
    return before === undefined;
  }
}
