import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { FleetDocument } from "../../../../src/generated/fleet-types.ts";
import { loadFleet } from "../../../../src/serve/fleet/load-fleet.ts";
import type { StackStatus, StackRecord } from "../../../../src/serve/records.ts";
import { MemorySources } from "../../../serve/support/memory-sources.ts";
import { SimulatedClock } from "../../../serve/support/simulated-clock.ts";
import type { Dice } from "./dice.ts";
import { type Figures, count } from "./figures.ts";
import { type Arrival, type Mood, ServeAccount, pathOf } from "./serve-account.ts";
import { type WantedStack, changedStack, filesOf, handBody, someStack, valueOf } from "./serve-desired.ts";
import { type WrittenPolicy, inOneAccount, someFleet, somePlaces, somePolicy, withPolicy } from "./serve-fleet.ts";
import { ServeObserver, type ObservedStack, keptOf } from "./serve-observer.ts";
import { ServeProcess } from "./simulated-process.ts";
import { surelyAllowed } from "./serve-truth.ts";
import type { ServeStore, StoredState } from "../../../../src/serve/store/store.ts";
import { MemoryDatabase } from "../../../serve/support/memory-store.ts";

/** After a takeover so long nothing is written. */
const quietMs = 40_000;

interface ScenarioStore {
  connect(): { readonly store: ServeStore; readonly kill: () => void; readonly cut: () => void };
  mayConnect(): boolean;
  usable(): boolean;
  use(usable: boolean): void;
  onStack(told: (record: StackRecord) => void): void;
  load(): Promise<Pick<StoredState, "accounts" | "stacks">>;
  readPlan: ServeStore["readPlan"];
  /** When an account was last taken from a holder that did not give it back; in elapsed milliseconds. */
  takenOverAt(account: string): number;
}

function ownStore(clock: SimulatedClock): ScenarioStore {
  return storeOf(new MemoryDatabase(clock, false));
}

function sharedStore(clock: SimulatedClock): ScenarioStore {
  return storeOf(new MemoryDatabase(clock));
}

function storeOf(database: MemoryDatabase): ScenarioStore {
  const reader = database.connect();
  return {
    connect: () => {
      const store = database.connect();
      return { store, kill: () => store.kill(), cut: () => store.cut() };
    },
    mayConnect: () => !database.shared || database.up,
    usable: () => database.up,
    use: (usable) => database.turn(usable),
    onStack: (told) => {
      database.onWrite = (table, record) => {
        if (table === "stack") told(record as StackRecord);
      };
    },
    load: () => reader.load(),
    readPlan: (stack) => reader.readPlan(stack),
    takenOverAt: (account) => database.takenOver.get(account) ?? -Infinity,
  };
}

const minute = 60_000;

/** Long enough that whatever waited for quiet has had it, with the longest interval of these runs. */
const calmMs = 45 * minute;
/** So long it stays calm at least: every stack is looked at again, whatever was known of it. */
const leastCalmMs = 13 * minute;

/** Runs one fleet through an eventful afternoon, then in peace, and says what was wrong. */
export async function runServe(dice: Dice, figures: Figures, processes = 1): Promise<readonly string[]> {
  const run = new ServeScenario(dice, figures, processes);
  await run.start();
  const events = dice.between(5, 25);
  for (let at = 0; at < events; at++) {
    await run.passTime(dice.pick([1_000, 20_000, minute, 3 * minute, 6 * minute]) * (0.5 + dice.next()));
    await run.somethingHappens();
  }
  await run.makePeace();
  await run.becomeCalm();
  // What is no longer left to another writer is healed, and so many heals at once can engage the brake of the account.
  for (let times = 0; times < 2 && (await run.releaseBrakes()); times += 1) await run.becomeCalm();
  const wrong = run.judge();
  await run.end();
  return wrong;
}

interface Theme {
  readonly events: readonly string[];
  /** All stacks are in one account, and are kept in this way; absent = chance decides. */
  readonly kept?: WrittenPolicy;
}

const all = { commit: "security", drift: "security" } as const;
const none = { commit: "cosmetic", drift: "never" } as const;
const open = { windows: [], suspend: null, interval: "2m" };
const loose = { stacks: "100%", deletesPerDay: 1000, writers: 1000, release: [] };

const themes: readonly Theme[] = [
  { events: ["edits of many stacks", "kill"] },
  { events: ["edits of many stacks", "edit by hand", "push"] },
  { events: ["fighting writer", "push", "kill"] },
  { events: ["mood of the service", "service recovers", "edit by hand", "push"] },
  { events: ["removal", "push", "made by hand", "kill"] },
  { events: ["force push", "edit by hand", "push", "kill"] },
  { events: ["Git outage", "Git recovers", "edit by hand", "push"] },
  { events: ["made by hand", "edit by hand"], kept: { ...open, apply: all, brake: loose } },
  { events: ["edits of many stacks"], kept: { ...open, apply: all, brake: { ...loose, stacks: 2 } } },
  { events: ["fighting writer"], kept: { ...open, apply: all, brake: { ...loose, writers: 3 } } },
  { events: ["removal", "push"], kept: { ...open, apply: all, brake: { ...loose, deletesPerDay: 1 } } },
  { events: ["force push", "edit by hand", "edits of many stacks"], kept: { ...open, apply: all, brake: loose } },
  { events: ["lists fail", "service recovers", "push", "edit by hand"], kept: { ...open, apply: all, brake: loose } },
  { events: ["edit by hand", "push", "approval", "approvals of everything", "kill"], kept: { ...open, apply: none } },
  {
    events: ["edits of many stacks", "approvals of everything", "approvals withdrawn", "kill"],
    kept: { ...open, apply: none },
  },
  {
    events: ["push", "edit by hand", "mood of the service", "service recovers"],
    kept: { ...open, apply: { commit: "security", drift: "none" }, brake: loose },
  },
];

class ServeScenario {
  readonly #dice: Dice;
  readonly #figures: Figures;
  readonly #clock = new SimulatedClock();
  readonly #sources = new MemorySources(() => this.#clock.now());
  readonly #store: ScenarioStore;
  readonly #accounts = new Map<string, ServeAccount>();
  readonly #observer: ServeObserver;
  readonly #commits = new Map<string, ReadonlyMap<string, WantedStack | null>>();
  readonly #tips = new Map<string, string>();
  readonly #rewound = new Set<string>();
  readonly #fighters: (() => void)[] = [];
  readonly #cuts: (() => void)[] = [];
  readonly #theme: Theme | null;
  readonly #directory = mkdtempSync(join(tmpdir(), "edgewise-fleet-"));
  #file: FleetDocument;
  readonly #processes: ServeProcess[];
  readonly #made: ServeProcess[] = [];

  constructor(dice: Dice, figures: Figures, processes: number) {
    this.#dice = dice;
    this.#store = processes === 1 ? ownStore(this.#clock) : sharedStore(this.#clock);
    this.#figures = figures;
    this.#theme = dice.chance(0.66) ? dice.pick(themes) : null;
    const kept = this.#theme?.kept;
    const places = kept === undefined ? somePlaces(dice) : inOneAccount(somePlaces(dice));
    const file = someFleet(places, dice);
    this.#file = kept === undefined ? file : withPolicy(file, () => kept);
    this.#write("key", "ak_C4n4ry/7+9==~Lk");
    this.#write("approvers", "ann@example.com ssh-ed25519 AAAA\n");
    this.#observer = new ServeObserver(this.#clock, this.#accounts);
    for (const name of Object.keys(this.#file.accounts)) {
      const account = new ServeAccount(name, this.#clock, dice.fork(name), figures);
      account.onArrival = (arrival) => {
        this.#judgeTakeover(arrival);
        this.#observer.onArrival(arrival);
      };
      this.#accounts.set(name, account);
    }
    for (const place of places) {
      const wanted = [{ from: 0, value: someStack(place.marker, dice) }];
      this.#observer.stacks.set(place.name, { ...place, wanted, kept: [], changedAt: 0, deletes: 0, told: "" });
    }
    for (const source of Object.keys(this.#file.sources)) this.#push(source, new Map());
    this.#store.onStack((record) => {
      this.#observer.onTold(record, this.#commits);
      if (this.#store.usable()) this.#observer.approvals.onKept(record);
    });
    this.#processes = Array.from({ length: processes }, (_, index) => this.#newProcess(index));
  }

  async start(): Promise<void> {
    await this.#changeFleet(this.#file);
    await Promise.all(this.#processes.map((process) => process.start()));
  }

  async end(): Promise<void> {
    await Promise.all(this.#processes.map((process) => process.terminate(30_000)));
    for (const process of this.#made) await process.close();
    rmSync(this.#directory, { recursive: true, force: true });
  }

  get #process(): ServeProcess {
    const [first] = this.#processes;
    const living = this.#processes.find(({ dead }) => !dead) ?? first;
    if (living === undefined) throw new RangeError("there is no process");
    return living;
  }

  get #victim(): ServeProcess {
    return this.#processes.length === 1 ? this.#process : this.#dice.pick(this.#processes);
  }

  #judgeTakeover({ account, late, method, path }: Arrival): void {
    const at = this.#store.takenOverAt(account);
    const { elapsed } = this.#clock;
    if (!late && elapsed - at < quietMs && this.#observer.shiftedAt < at)
      this.#observer.wrong.push(`${method} ${path} of ${account} ${elapsed - at} ms after it was taken over`);
  }

  /** Time passes; who fights, fights every minute; who was killed is started again. */
  async passTime(ms: number): Promise<void> {
    const end = this.#clock.elapsed + ms;
    while (this.#clock.elapsed < end) {
      await this.#clock.sleep(Math.min(minute, end - this.#clock.elapsed));
      for (const fight of this.#fighters) fight();
      await this.#restartDead();
    }
  }

  /** Time passes until all is well, and at most so long that it must be. */
  async becomeCalm(): Promise<void> {
    const end = this.#clock.elapsed + calmMs;
    await this.passTime(leastCalmMs);
    while (this.#clock.elapsed < end && !this.#isWell) await this.passTime(5 * minute);
  }

  get #isWell(): boolean {
    const accounts = [...(this.#process.loop?.state.accounts.values() ?? [])];
    return accounts.every(({ brake }) => brake === null) && this.#wrongInTheEnd().length === 0;
  }

  async somethingHappens(): Promise<void> {
    const dice = this.#dice;
    const events: readonly (readonly [string, () => unknown])[] = [
      ["push", () => this.#pushSome()],
      ["push", () => this.#pushSome()],
      ["edit by hand", () => this.#editSome(1)],
      ["edit by hand", () => this.#editSome(1)],
      ["edits of many stacks", () => this.#editSome(dice.between(2, 20))],
      ["made by hand", () => this.#makeByHand()],
      ["invalid push", () => this.#pushInvalid()],
      ["force push", () => this.#forcePush()],
      ["directory removed", () => this.#removeSome()],
      ["fighting writer", () => this.#beginFight()],
      ["end of fights", () => this.#fighters.splice(0)],
      ["mood of the service", () => this.#changeMood()],
      ["mood of the service", () => this.#changeMood()],
      ["lists fail", () => this.#failLists()],
      ["service recovers", () => this.#calmDown()],
      ["Git outage", () => this.#breakGit()],
      ["Git recovers", () => this.#mendGit()],
      ["clock set", () => this.#setClock()],
      ["kill", () => this.#victim.killAfter(dice.pick([0, 1, 3, 10, 40, 100]) + dice.between(0, 5) / 2)],
      ["kill", () => this.#victim.killAfter(dice.between(0, 60))],
      ["SIGTERM", () => this.#victim.terminate(30_000)],
      ["pause", () => this.#changeFleet({ ...this.#file, pause: true })],
      ["end of pause", () => this.#changeFleet({ ...this.#file, pause: false })],
      ["other policies", () => this.#changeFleet(withPolicy(this.#file, () => somePolicy(dice)))],
      ["suspension", () => this.#suspend()],
      ["store fails", () => this.#breakStore()],
      ["removal", () => this.#removeResources()],
      ...(this.#processes.length === 1 ? [] : [["connection cut", () => this.#cutSome()] as const]),
      ["approval", () => this.#approveSome(0.5)],
      ["approvals of everything", () => this.#approveSome(1)],
      ["approvals withdrawn", () => this.#observer.approvals.revoke()],
    ];
    const [what, happen] = dice.pick(events.filter(([name]) => this.#theme?.events.includes(name) ?? true));
    count(this.#figures.met, what);
    await happen();
  }

  async makePeace(): Promise<void> {
    this.#fighters.splice(0);
    this.#calmDown();
    this.#mendGit();
    this.#store.use(true);
    await this.#restartDead();
    for (const process of this.#processes) process.killAfter(Infinity);
    for (const source of this.#tips.keys()) {
      const wasRewound = this.#rewound.delete(source);
      this.#push(source, new Map(this.#stacksOf(source).flatMap((one) => this.#repaired(one))));
      if (wasRewound) await this.#accept(source, this.#tips.get(source) ?? "");
    }
    const calm = withPolicy(this.#file, () => ({ windows: [], suspend: null }));
    await this.#changeFleet({ ...calm, pause: false });
  }

  async releaseBrakes(): Promise<boolean> {
    const { accounts, stacks } = await this.#store.load();
    const braked = [...accounts.values()].flatMap(({ brake }) => (brake === null ? [] : [brake.id]));
    const told = [...stacks.values()].flatMap(({ status }) => status.message.match(/writers-[0-9a-f]{12}/gu) ?? []);
    const ids = [...braked, ...told];
    count(this.#figures.met, "brakes released by the operator", ids.length);
    if (ids.length === 0) return false;
    await this.#changeFleet(withPolicy(this.#file, ({ brake }) => ({ brake: { ...brake, release: ids } })));
    return true;
  }

  judge(): readonly string[] {
    for (const stack of this.#observer.stacks.values()) {
      const status = this.#statusOf(stack);
      if (stack.wanted.at(-1)?.value === null || status === null) continue;
      count(this.#figures.ends, status.reason === null ? status.state : `${status.state}: ${status.reason}`);
    }
    return [...this.#observer.wrong, ...this.#wrongInTheEnd()];
  }

  #wrongInTheEnd(): readonly string[] {
    const problems = [...this.#accounts.values()].flatMap((account) =>
      account.problems().map((one) => `${account.name}: ${one}`),
    );
    const stacks = [...this.#observer.stacks.values()].flatMap((stack) => {
      const status = this.#statusOf(stack);
      const about = `${status?.state ?? "no record"}${status?.reason ? `: ${status.reason}` : ""}, "${status?.message ?? ""}"`;
      return this.#wrongOf(stack).map((what) => `in the end ${stack.name} (${about}) ${what}`);
    });
    return [...problems, ...stacks];
  }

  #wrongOf(stack: ObservedStack): readonly string[] {
    const status = this.#statusOf(stack);
    if (stack.wanted.at(-1)?.value === null)
      return status !== null && status.state !== "orphaned" ? ["is not orphaned"] : [];
    if (status === null || status.lookedAt === null) return ["was never looked at"];
    const policy = stack.kept.at(-1)?.value.policy;
    if (policy === undefined) return [];
    const wrong: string[] = [];
    const age = this.#clock.now() - status.lookedAt;
    if (age > policy.intervalMs * 1.1 + minute || age < 0) wrong.push(`was looked at ${Math.round(age / 1000)} s ago`);
    const found = this.#observer.differences(stack);
    const text = found.map(({ address }) => address).join(", ");
    // Lists that lied for longer than two looks: what is there twice by then is for people to sort out.
    if (status.state === "refused" && status.message.startsWith("duplicate-marker")) return wrong;
    if ((found.length === 0) !== (status.state === "synced"))
      wrong.push(`while ${text === "" ? "nothing" : text} differs`);
    if (status.state !== "waiting" && status.state !== "refused" && status.state !== "synced") wrong.push("is no end");
    if (status.state !== "waiting") return wrong;
    const sure = found.every((change) => surelyAllowed(change, policy));
    if (sure || status.reason !== "approval") wrong.push(`waits, although ${text} may be applied`);
    return wrong;
  }

  #statusOf({ name }: ObservedStack): StackStatus | null {
    return this.#process.loop?.state.stacks.get(name)?.status ?? null;
  }

  #stacksOf(source: string): readonly ObservedStack[] {
    return [...this.#observer.stacks.values()].filter((one) => one.source === source);
  }

  #lastValid(stack: ObservedStack): WantedStack {
    return stack.wanted.findLast(({ value }) => value !== null)?.value ?? {};
  }

  #push(source: string, changes: ReadonlyMap<string, WantedStack | null | "invalid">, rewind = false): void {
    const files: Record<string, string> = {};
    const says = new Map<string, WantedStack | null>();
    for (const stack of this.#stacksOf(source)) {
      const change = changes.get(stack.name);
      const is = change === undefined ? (stack.wanted.at(-1)?.value ?? null) : change;
      const wanted = is === "invalid" ? null : is;
      if (wanted !== null || is === "invalid")
        Object.assign(files, filesOf(stack.directory, stack.marker, wanted ?? this.#lastValid(stack)));
      if (is === "invalid") files[`${stack.directory}/m/all.yaml`] = "kind: [\n";
      says.set(stack.name, wanted);
    }
    const tip = rewind ? this.#sources.rewind(source, files) : this.#sources.push(source, files);
    this.#tips.set(source, tip);
    this.#commits.set(tip, says);
    if (rewind) this.#rewound.add(source);
    for (const stack of this.#stacksOf(source)) {
      const value = this.#rewound.has(source) ? null : (says.get(stack.name) ?? null);
      if (stack.wanted.at(-1)?.value === value) continue;
      stack.wanted.push({ from: this.#clock.elapsed, value });
    }
  }

  #pushSome(): void {
    const source = this.#dice.pick([...this.#tips.keys()]);
    if (this.#rewound.has(source)) return;
    const some = this.#dice.some(this.#stacksOf(source), this.#dice.pick([0.1, 0.3, 1]));
    this.#push(
      source,
      new Map(some.map((one) => [one.name, changedStack(one.marker, this.#lastValid(one), this.#dice)])),
    );
  }

  #pushInvalid(): void {
    const one = this.#dice.pick([...this.#observer.stacks.values()]);
    if (!this.#rewound.has(one.source)) this.#push(one.source, new Map([[one.name, "invalid"]]));
  }

  #removeSome(): void {
    const one = this.#dice.pick([...this.#observer.stacks.values()]);
    if (!this.#rewound.has(one.source)) this.#push(one.source, new Map([[one.name, null]]));
  }

  #removeResources(): void {
    const source = this.#dice.pick([...this.#tips.keys()]);
    if (this.#rewound.has(source)) return;
    const some = this.#dice.some(this.#stacksOf(source), 0.5).map((one) => {
      const kept = Object.entries(this.#lastValid(one)).filter(
        ([name]) => name.endsWith("/b0") || this.#dice.chance(0.5),
      );
      return [one.name, Object.fromEntries(kept)] as const;
    });
    this.#push(source, new Map(some));
  }

  #forcePush(): void {
    const source = this.#dice.pick([...this.#tips.keys()]);
    this.#push(source, new Map(this.#stacksOf(source).map((one) => [one.name, this.#lastValid(one)])), true);
  }

  async #accept(source: string, tip: string): Promise<void> {
    const known = this.#file.sources[source];
    if (known === undefined) return;
    const accepted = { ...known, accept: [...(known.accept ?? []), tip] };
    await this.#changeFleet({ ...this.#file, sources: { ...this.#file.sources, [source]: accepted } });
  }

  /** Removed directories stay removed in half of the cases; everything else is valid again. */
  #repaired(stack: ObservedStack): readonly (readonly [string, WantedStack])[] {
    if (stack.wanted.at(-1)?.value !== null) return [];
    return [[stack.name, this.#lastValid(stack)]];
  }

  #editSome(most: number): void {
    const stacks = [...this.#observer.stacks.values()];
    for (let at = 0; at < most; at++) this.#editByHand(this.#dice.pick(stacks));
  }

  #editByHand(stack: ObservedStack, only: string | null = null): void {
    const dice = this.#dice;
    const account = this.#accounts.get(stack.account);
    const live = account?.owned() ?? [];
    const own = live.filter((one) => one.stack === stack.marker && (only === null || one.address === only));
    if (own.length === 0 || account === undefined) return;
    const one = dice.pick(own);
    const path = pathOf(one.wire, live) ?? "";
    const field =
      only !== null
        ? "description"
        : dice.pick(
            one.address.startsWith("TLS") ? ["description", "min_version"] : ["description", "status_code", "body"],
          );
    const isDelete = only === null && dice.chance(0.15);
    const done = isDelete
      ? account.byHand("DELETE", path)
      : account.byHand("PATCH", path, handBody(field, valueOf(field, dice)));
    if (!done) return;
    stack.changedAt = this.#clock.elapsed;
  }

  /** Somebody makes a resource that says it is a stack's: nothing deletes it unasked. */
  #makeByHand(): void {
    const stack = this.#dice.pick([...this.#observer.stacks.values()]);
    const metadata = JSON.stringify({ edgewise: { stack: stack.marker, name: `hand${this.#dice.between(0, 999)}` } });
    const body = { description: "by hand", status_code: 200, body: "by hand", metadata };
    this.#accounts.get(stack.account)?.byHand("POST", "/backends/http_response", body);
    stack.changedAt = this.#clock.elapsed;
  }

  #beginFight(): void {
    const stack = this.#dice.pick([...this.#observer.stacks.values()]);
    const pace = this.#dice.pick([0.2, 0.5, 1]);
    this.#fighters.push(() => {
      if (this.#dice.chance(pace)) this.#editByHand(stack, "HTTPResponseBackend/b0");
    });
  }

  #changeMood(): void {
    const dice = this.#dice;
    const account = dice.pick([...this.#accounts.values()]);
    // Whose lists lied already has lied for as long.
    const since = account.mood.of === "hides" ? account.mood.since : this.#clock.elapsed;
    account.mood = dice.pick<Mood>([
      { of: "refuses", status: 500, probability: dice.pick([0.1, 0.5, 1]), path: null },
      { of: "refuses", status: 429, probability: dice.pick([0.1, 0.5]), path: null },
      { of: "refuses", status: 403, probability: 1, path: dice.pick([null, "/edges/tls", "/backends/http_response"]) },
      { of: "refuses", status: dice.pick([400, 409]), probability: 0.2, path: null },
      { of: "hangs", probability: dice.pick([0.05, 0.3]) },
      { of: "loses answers", probability: dice.pick([0.1, 0.5]) },
      { of: "talks nonsense", body: dice.pick(["<html>", "{}", "[]", "null", '{"backends":null}']) },
      { of: "hides", share: dice.pick([0.5, 1]), since },
      { of: "lags", ms: dice.pick([500, 3_000, 8_000]) },
    ]);
  }

  async #approveSome(share: number): Promise<void> {
    const { state } = this.#process.loop ?? {};
    if (state === undefined || this.#process.dead || !this.#store.mayConnect()) return;
    for (const { name, status } of this.#dice.some([...state.stacks.values()], share)) {
      const account = this.#observer.stacks.get(name)?.account ?? "";
      const plan = await this.#store.readPlan(name);
      const wanted = this.#commits.get(plan?.commit ?? "")?.get(name) ?? null;
      // While it is passed, the plan and the digest may be of two looks.
      const isShown = status.digest !== null && !state.passing.has(account);
      if (isShown && status.digest !== null && plan !== null && wanted !== null)
        this.#observer.approvals.approve(name, status.digest, { plan, wanted });
    }
  }

  #failLists(): void {
    const path = this.#dice.pick(["/edges/tls", "/backends/http_response"]);
    const status = this.#dice.pick([403, 500]);
    for (const account of this.#accounts.values())
      account.mood = { of: "refuses", status, probability: this.#dice.pick([0.5, 1]), path };
  }

  #calmDown(): void {
    for (const account of this.#accounts.values()) account.mood = { of: "calm" };
  }

  #breakGit(): void {
    this.#sources.break(this.#dice.pick([...this.#tips.keys()]), "no route to host");
  }

  #mendGit(): void {
    for (const source of this.#tips.keys()) this.#sources.break(source, null);
  }

  #setClock(): void {
    this.#clock.shift(this.#dice.pick([-3, -1, -0.1, 0.1, 1, 3]) * 60 * minute * this.#dice.next());
    this.#observer.shiftedAt = this.#clock.elapsed;
  }

  async #suspend(): Promise<void> {
    const until = new Date(this.#clock.now() + 30 * minute).toISOString();
    await this.#changeFleet(withPolicy(this.#file, () => ({ suspend: { until, reason: "audit" } })));
  }

  #cutSome(): void {
    this.#dice.pick(this.#cuts)();
  }

  #breakStore(): void {
    this.#store.use(false);
    if (this.#processes.length > 1)
      this.#observer.gone = { from: this.#clock.elapsed, to: this.#clock.elapsed + 5 * minute };
    void this.#clock.sleep(5 * minute).then(() => this.#store.use(true));
  }

  #write(name: string, text: string): void {
    writeFileSync(join(this.#directory, name), text, { mode: 0o600 });
  }

  async #changeFleet(file: FleetDocument): Promise<void> {
    this.#file = file;
    this.#write("fleet.yaml", JSON.stringify(file));
    const at = { file: "fleet.yaml", cwd: this.#directory, env: {} };
    const fleet = await this.#clock.held(() => loadFleet(at));
    for (const stack of this.#observer.stacks.values()) {
      const value = keptOf(fleet, stack.name);
      if (value !== null) stack.kept.push({ from: this.#clock.elapsed, value });
    }
    await Promise.all(this.#processes.filter(({ dead }) => !dead).map((process) => process.reload()));
  }

  #newProcess(index: number): ServeProcess {
    const dice = this.#dice.fork(`process ${this.#clock.elapsed}${index === 0 ? "" : ` ${index}`}`);
    const emit = ({ event, ...rest }: { readonly event: string }): void => {
      if (event === "apply-ended") this.#figures.applies += 1;
      if (event === "account-looked")
        for (const record of made.loop?.state.stacks.values() ?? []) this.#observer.onTold(record, this.#commits);
      if (event === "bug") this.#observer.wrong.push(`a bug: ${JSON.stringify(rest)}`);
      if (event === "brake-engaged" || event === "brake-released" || event === "approval-spent")
        count(this.#figures.met, event);
    };
    const { cut, kill, store } = this.#store.connect();
    this.#cuts[index] = cut;
    const made = new ServeProcess({
      directory: this.#directory,
      clock: this.#clock,
      store,
      onKill: kill,
      reader: this.#sources,
      approvals: this.#observer.approvals.reader,
      accounts: this.#accounts,
      emit,
      dice,
    });
    this.#made.push(made);
    return made;
  }

  async #restartDead(): Promise<void> {
    for (const [index, { dead }] of this.#processes.entries()) {
      if (!dead || !this.#store.mayConnect()) continue;
      this.#figures.restarts += 1;
      await this.#clock.sleep(this.#dice.pick([100, 1_000, 5_000]));
      const made = this.#newProcess(index);
      this.#processes[index] = made;
      await made.start();
    }
  }
}
