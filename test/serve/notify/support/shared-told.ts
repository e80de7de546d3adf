import { EdgewiseError } from "../../../../src/errors.ts";
import type { Notification } from "../../../../src/serve/notify/notification.ts";
import { type Notifier, createNotifier } from "../../../../src/serve/notify/notifier.ts";
import type { SendOutcome } from "../../../../src/serve/notify/send-notification.ts";
import type { AccountRecord, StackRecord, StackStatus, ToldRecord } from "../../../../src/serve/records.ts";
import type { ServeEvent } from "../../../../src/serve/serve-events.ts";
import type { StoredHeal } from "../../../../src/serve/store/store.ts";
import { stackOf } from "../../http/fake-view.ts";
import { fleetOf } from "../../loop/loop-fixture.ts";
import { SimulatedClock } from "../../support/simulated-clock.ts";

/** How long a statement takes. */
const tripMs = 5;

/** One receiver took a notification. */
export interface Taken {
  readonly to: string;
  readonly by: string;
  readonly notification: Notification;
}

/** What several processes share: the records, what was told, heals, the role of the one that tells, and the receivers. */
export class SharedTold {
  readonly clock = new SimulatedClock();
  readonly rows = new Map<string, StackRecord>();
  readonly told = new Map<string, string>();
  readonly heals: StoredHeal[] = [];
  readonly taken: Taken[] = [];
  readonly processes: TellingProcess[] = [];
  readonly receivers = ["a"];
  /** The process that tells; null = none. */
  teller: string | null = null;
  /** Statements that fail; all of them if it is true. */
  broken: ReadonlySet<string> | boolean = false;
  /** What a receiver does with a request; `lost` = it takes it, and its answer is lost. */
  receive: (to: string) => "takes" | "refuses" | "lost" = () => "takes";
  /** What was taken, and nobody knew for sure when its sender died or was replaced: it may be sent again. */
  readonly doubtful = new Set<string>();
  /** How long each way of a request takes. */
  sendMs = tripMs;
  #order = 0;

  /** Makes a process the one that tells. */
  elect(name: string | null): void {
    if (this.teller !== name) this.processes.find((one) => one.name === this.teller)?.doubt();
    this.teller = name;
  }

  async start(name: string): Promise<TellingProcess> {
    const started = new TellingProcess(this, name);
    this.processes.push(started);
    await started.run();
    return started;
  }

  /** Ends all that runs. */
  async end(): Promise<void> {
    await Promise.all(this.processes.map((one) => one.stop()));
  }

  /** What was taken since the last call, for people. */
  list(to = "/run/a"): readonly string[] {
    return this.taken
      .splice(0)
      .filter((each) => each.to === to)
      .map(({ notification: { event, stack } }) => `${stack} ${event}`);
  }

  leave(heal: Omit<StoredHeal, "id">): void {
    this.heals.push({ ...heal, id: String((this.#order += 1)).padStart(9, "0") });
  }
}

/** A process: its own memory of the records, which it renews every second, and its notifier. */
export class TellingProcess {
  readonly events: ServeEvent[] = [];
  readonly stacks = new Map<string, StackRecord>();
  readonly accounts = new Map<string, AccountRecord>();
  readonly name: string;
  /** It hears nothing of what others change. */
  isDeaf = false;
  readonly #shared: SharedTold;
  readonly #ended = new AbortController();
  #notifier: Notifier | null = null;
  /** What receivers took and is not kept: by subject. */
  readonly #unsure = new Map<string, string>();

  constructor(shared: SharedTold, name: string) {
    this.#shared = shared;
    this.name = name;
  }

  get notifier(): Notifier {
    if (this.#notifier === null) throw new Error("it was not started");
    return this.#notifier;
  }

  get isDead(): boolean {
    return this.#ended.signal.aborted;
  }

  async run(): Promise<void> {
    const { clock, receivers, rows } = this.#shared;
    for (const [name, record] of rows) this.stacks.set(name, record);
    const fleet = fleetOf([], { notify: receivers.map((name) => ({ url: { file: `/run/${name}` }, on: [...all] })) });
    this.#notifier = await createNotifier({
      state: { fleet, stacks: this.stacks, accounts: this.accounts },
      store: this.#store(),
      clock,
      random: () => 0.5,
      readUrl: async (source) => ("file" in source ? source.file : ""),
      send: (to, notification) => this.#send(to, notification),
      emit: (event) => void this.events.push(event),
    });
    void this.#renew();
  }

  /** It finds a stack so, and saves that. */
  async find(stack: string, status: Partial<StackStatus>): Promise<void> {
    const { record } = stackOf(stack, { lookedAt: this.#shared.clock.now(), ...status });
    this.stacks.set(stack, record);
    await this.#shared.clock.sleep(tripMs);
    if (this.isDead) return;
    this.#shared.rows.set(stack, record);
    this.notifier.onEvent({ event: "account-looked", account: "main", stacks: 1, ms: 1 });
  }

  /** It is about to put back drift. */
  heal(stack: string): void {
    const about = { stack, commit: "c", operations: 1, impact: "cosmetic", drift: 1 } as const;
    this.notifier.onEvent({ event: "apply-started", ...about });
  }

  /** It dies: nothing of it goes on, and what it sent is on its way. */
  kill(): void {
    this.doubt();
    this.#ended.abort();
    if (this.#shared.teller === this.name) this.#shared.teller = null;
  }

  async stop(): Promise<void> {
    const isDead = this.isDead;
    this.#ended.abort();
    if (!isDead) await this.notifier.close(0);
  }

  /** What it sent and did not keep may be sent again by others. */
  doubt(): void {
    for (const key of this.#unsure.keys()) this.#shared.doubtful.add(key);
    this.#unsure.clear();
  }

  async #renew(): Promise<void> {
    const { clock, rows } = this.#shared;
    while (!this.isDead) {
      const read = [...rows];
      await clock.sleep(tripMs);
      if (this.isDead) return;
      if (this.#shared.broken !== true && !this.isDeaf) {
        for (const [name, record] of read) {
          const known = this.stacks.get(name);
          if (known === undefined || (known.status.lookedAt ?? 0) <= (record.status.lookedAt ?? 0))
            this.stacks.set(name, record);
        }
        this.notifier.onChanges();
      }
      await clock.sleep(1000, this.#ended.signal);
    }
  }

  #store(): Parameters<typeof createNotifier>[0]["store"] {
    const shared = this.#shared;
    const run = async <T>(what: string, work: () => T): Promise<T> => {
      await shared.clock.sleep(tripMs);
      if (this.isDead) return new Promise<never>(() => undefined);
      const isBroken = typeof shared.broken === "boolean" ? shared.broken : shared.broken.has(what);
      if (isBroken) throw new EdgewiseError("io", "the database does not answer");
      return work();
    };
    return {
      shared: true,
      isTeller: () => !this.isDead && shared.teller === this.name,
      loadTold: () =>
        run("loadTold", () => new Map([...shared.told].map(([name, text]) => [name, JSON.parse(text) as ToldRecord]))),
      saveTold: (record) => {
        const text = JSON.stringify(record);
        const covered = [...this.#unsure].filter(([, subject]) => subject === record.name).map(([key]) => key);
        return run("saveTold", () => {
          shared.told.set(record.name, text);
          for (const key of covered) this.#unsure.delete(key);
        });
      },
      saveHeal: (heal) => run("saveHeal", () => shared.leave(heal)),
      loadHeals: () => run("loadHeals", () => [...shared.heals]),
      removeHeal: (id) =>
        run("removeHeal", () => {
          const at = shared.heals.findIndex((heal) => heal.id === id);
          if (at >= 0) shared.heals.splice(at, 1);
        }),
    };
  }

  async #send(to: string, notification: Notification): Promise<SendOutcome> {
    const { clock, receive, sendMs, taken } = this.#shared;
    await clock.sleep(sendMs);
    if (this.isDead) return new Promise<never>(() => undefined);
    const answer = receive(to);
    const key = `${to} ${notification.id}`;
    if (answer !== "refuses") taken.push({ to, by: this.name, notification });
    if (answer === "lost") this.#shared.doubtful.add(key);
    // It is no longer the one that tells: another one may send it, too.
    else if (answer === "takes" && this.#shared.teller !== this.name) this.#shared.doubtful.add(key);
    else if (answer === "takes") this.#unsure.set(key, notification.stack ?? `account:${notification.account}`);
    await clock.sleep(sendMs);
    if (this.isDead) return new Promise<never>(() => undefined);
    return answer === "takes" ? { ok: true } : { ok: false, message: "it answers 500", passes: true, pauseMs: null };
  }
}

const all = ["drift", "waiting", "failed", "recovered", "braked", "orphaned"] as const;
