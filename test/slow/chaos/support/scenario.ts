import type { Json, JsonObject } from "../../../../src/core/json.ts";
import { listedKinds } from "../../../../src/kinds/names.ts";
import type { Live } from "../../../../src/live/live.ts";
import type { Manifest } from "../../../../src/manifest/manifest.ts";
import { plan as makePlan } from "../../../../src/plan/make-plan.ts";
import type { PlanOptions } from "../../../../src/plan/options.ts";
import type { Plan } from "../../../../src/plan/plan-format.ts";
import { manifest } from "../../../plan/support/account.ts";
import type { Applied, Cut, Job } from "./chaotic-apply.ts";
import { permissive, someDesired } from "./desired.ts";
import type { Dice } from "./dice.ts";
import { type Figures, count } from "./figures.ts";
import { foreignBytes, meddle, ownedBy, seedForeign } from "./foreign.ts";
import { type Mischief, calm } from "./mischief.ts";
import { spoken } from "./spoken.ts";
import { type Served, lies } from "./truth.ts";

/** An account at a service with injected faults, and functions to apply to it. */
export interface Account {
  /** Properties of the service that the specification doesn't define. */
  readonly moduleEndpoints: readonly string[];
  /** Whether the service deletes a backend that an edge still names. */
  readonly dangles: boolean;
  /** Every write that reached the service, in order. */
  readonly served: readonly Served[];
  /** Violated invariants, even temporary ones. */
  readonly violations: readonly string[];
  /** Writes that reached the service before they were in the journal on disk. */
  readonly unannounced: readonly string[];
  /** Whether the response to a list or module was false. */
  readonly blinded: boolean;
  /** Whether a request was carried out after the client gave up. */
  readonly late: boolean;
  /** Whether that may still happen, or just happened. */
  readonly pending: boolean;
  /** Injects these faults from now on; null = none. */
  begin(dice: Dice | null): Promise<Mischief>;
  /** One apply, from planning to the exit code. */
  apply(job: Job): Promise<Applied>;
  /** How a run is cut short. */
  cut(dice: Dice): Cut;
  /** A manual edit in the console; throws if the service refuses. */
  console(method: string, path: string, body?: Json): JsonObject;
  lists(): Live["lists"];
  problems(): readonly string[];
  /** Waits until the service has finished all requests and is consistent. */
  quiet(): Promise<void>;
  close(): Promise<void>;
  /** Manifests in the form that this account accepts. */
  fit(desired: readonly Manifest[]): readonly Manifest[];
  /** Other secrets that must not appear anywhere. */
  readonly secrets: readonly string[];
}

const deadBackend = /refers to the HTTP response backend .* not exist/u;

/** A random world, its desired state, the injected faults, and the invariants that must hold. */
class Scenario {
  readonly #dice: Dice;
  readonly #service: Account;
  readonly #options: PlanOptions;
  readonly #figures: Figures;
  readonly #troubles: string[] = [];
  readonly #done: Applied[] = [];
  #callers = 0;
  /** The id of the resource to adopt. */
  #adopted: string | null = null;
  /** Whether more than one run wrote at the same time. */
  #crowded = false;

  constructor(account: Account, dice: Dice, figures: Figures) {
    this.#dice = dice;
    this.#figures = figures;
    this.#service = account;
    this.#options = { ...permissive, moduleEndpoints: account.moduleEndpoints };
  }

  async run(): Promise<readonly string[]> {
    const dice = this.#dice;
    const write = this.#service.console.bind(this.#service);
    seedForeign(write, dice);
    await this.#converge(this.#desired(), "setting up");
    const before = foreignBytes(this.#service.lists(), this.#options.stack);
    let desired = dice.chance(0.2) ? this.#adopting(this.#desired()) : this.#desired();
    for (let round = dice.between(1, 3); round > 0; round -= 1) {
      if (dice.chance(0.5)) count(this.#figures.met, "edits by hand", this.#meddle());
      if (dice.chance(0.25)) desired = this.#desired();
      // If another run deletes the id, the plan correctly refuses an id that is not live.
      if (this.#adopted === null && dice.chance(0.15)) await this.#crowd(desired);
      else {
        const mischief = await this.#service.begin(dice.fork(`mischief ${round}`));
        await this.#apply(desired, mischief, dice.chance(0.4) ? null : this.#service.cut(dice));
      }
      if (dice.chance(0.3)) await this.#service.quiet();
    }
    await this.#service.quiet();
    this.#reportDuplicates(desired);
    const unseen = this.#crowded || this.#service.blinded || this.#service.late;
    const stuck = !(await this.#converge(desired, "in the end", unseen));
    const after = foreignBytes(this.#service.lists(), this.#options.stack);
    for (const [id, bytes] of before)
      if (after.get(id) !== bytes) this.#troubles.push(`${id} is not this stack's, and was touched`);
    for (const applied of this.#done) this.#judge(applied);
    this.#troubles.push(...this.#service.unannounced);
    if (!stuck) this.#judgeWorld(desired);
    return this.#troubles;
  }

  #meddle(): number {
    return meddle(
      this.#service.console.bind(this.#service),
      this.#service.lists(),
      this.#options.stack,
      this.#adopted,
      this.#dice.fork(`meddle ${this.#callers}`),
    );
  }

  /** Adopts an unowned edge. */
  #adopting(desired: readonly Manifest[]): readonly Manifest[] {
    const hostports = ["adopted.example.com:443"];
    const { id } = this.#service.console("POST", "/edges/tls", { hostports, metadata: "somebody's" });
    this.#adopted = String(id);
    count(this.#figures.met, "adoptions");
    return [...desired, manifest("TLSEdge", "adopted", { hostports, description: "ours" }, { id: String(id) })];
  }

  #desired(): readonly Manifest[] {
    return this.#service.fit(someDesired(this.#dice));
  }

  async #apply(desired: readonly Manifest[], mischief: Mischief, cut: Cut | null): Promise<Applied> {
    this.#callers += 1;
    const name = `run ${this.#callers}`;
    const dice = this.#dice.fork(name);
    const caller = { name, mischief, dice, dead: false, ended: false };
    const job = { desired, options: this.#options, caller, cut, concurrency: dice.between(1, 8) };
    const failFast = dice.chance(0.1);
    const journalEnds = mischief.kinds.length > 0 && dice.chance(0.05) ? dice.between(0, 40) : null;
    const applied = await this.#service.apply({ ...job, failFast, journalEnds });
    this.#done.push(applied);
    if (cut === null && journalEnds === null) this.#judgeLag(applied, mischief);
    this.#figures.applies += 1;
    if (cut !== null) count(this.#figures.cuts, cut.how);
    count(this.#figures.ends, applied.exit === null ? "killed" : `exit ${applied.exit}`);
    for (const { status } of applied.result?.operations ?? []) count(this.#figures.operations, status);
    if (applied.exit === 0) this.#judgeSuccess(applied, desired);
    return applied;
  }

  /** Two applies in parallel, of the same or of different manifests. */
  async #crowd(desired: readonly Manifest[]): Promise<void> {
    this.#crowded = true;
    count(this.#figures.met, "two applies at once");
    const other = this.#dice.chance(0.5) ? desired : this.#desired();
    const mischief = await this.#service.begin(this.#dice.chance(0.5) ? this.#dice.fork("crowd") : null);
    await Promise.all([this.#apply(desired, mischief, null), this.#apply(other, calm, null)]);
  }

  /**
   * One apply without any fault, which must do everything. Runs that can't see each other, or what is there, may delete
   * a backend that an edge uses. Where the edge's module can only be disabled, the service refuses even that, because
   * the backend no longer exists: a manual repair is needed.
   * @returns whether it did everything, or should have
   */
  async #converge(desired: readonly Manifest[], when: string, mayBeStuck = false): Promise<boolean> {
    const { exit, result, error, plan } = await this.#apply(desired, await this.#service.begin(null), null);
    if (exit === 0) return true;
    const open = (result?.operations ?? []).filter(({ status }) => status !== "done");
    const deaf = open.filter(
      (one) => one.status === "failed" && /backend_id names .* not found/u.test(one.error ?? ""),
    );
    if (mayBeStuck && deaf.length > 0 && this.#service.problems().some((text) => deadBackend.test(text))) {
      count(this.#figures.met, "edges left with a deleted backend by runs that could not see each other");
      return false;
    }
    const why = [
      ...(plan?.refusals ?? []).map(({ code, message }) => `${code}: ${message}`),
      ...open.map((one) => JSON.stringify(one)),
      ...(result?.warnings ?? []).map(({ code, message }) => `${code}: ${message}`),
    ];
    this.#troubles.push(`${when}: exit code ${exit} without any fault; ${error ?? why.join("; ")}`);
    return true;
  }

  #plan(desired: readonly Manifest[], more: Partial<PlanOptions> = {}): Plan {
    const names = desired.flatMap((one) => (one.kind === "HTTPSEdge" || one.kind === "HTTPSEdgeRoute" ? [] : [one]));
    const live = { lists: this.#service.lists(), unreadable: [], modules: [] };
    return makePlan(names, live, { ...this.#options, rehearse: false, ...more });
  }

  /** After exit code 0 the account must match the manifests, unless the service hid something. */
  #judgeSuccess(applied: Applied, desired: readonly Manifest[]): void {
    if (this.#service.blinded || this.#service.pending || this.#crowded) return;
    const { changes, refusals } = this.#plan(desired);
    if (changes.length === 0 && refusals.length === 0) return;
    const left = changes.map(({ address, action }) => `${action} ${address}`);
    this.#troubles.push(`${applied.caller}: exit code 0, and still to do: ${left.join(", ")}`);
  }

  /** Lists that lag behind a run's own writes, and nothing else, must not keep it from its end. */
  #judgeLag(applied: Applied, { kinds }: Mischief): void {
    if (kinds.length === 0 || kinds.some((kind) => kind !== "lagging list")) return;
    if (this.#service.blinded || this.#service.late || this.#crowded) return;
    count(this.#figures.met, "applies with lagging lists alone");
    // A service that is not settled yet may refuse an operation: that is no matter of lists.
    const allDone = applied.result?.operations.every(({ status }) => status === "done") === true;
    if (allDone && applied.exit !== 0) {
      const warnings = applied.result?.warnings.map(({ message }) => message).join("; ");
      this.#troubles.push(`${applied.caller}: exit code ${applied.exit} because lists lag: ${warnings}`);
    }
  }

  /** Duplicates must be reported with their ids, and must not exist unless the service was late or hid them. */
  #reportDuplicates(desired: readonly Manifest[]): void {
    const refusals = this.#plan(desired, { allow: [] }).refusals.filter(({ code }) => code === "duplicate-marker");
    const told = new Map(refusals.map(({ address, message }) => [address as string, message]));
    for (const [address, wires] of ownedBy(this.#service.lists(), this.#options.stack)) {
      if (wires.length < 2) continue;
      const ids = wires.map((wire) => String(wire["id"]));
      const linked = wires.some(({ metadata }) => ids.some((id) => String(metadata).includes(`"replaces":"${id}"`)));
      const message = told.get(address);
      if (message === undefined && linked) continue;
      count(this.#figures.met, "duplicates reported");
      const renamed = [...told.values()].some((text) => ids.every((id) => text.includes(id)));
      if (!renamed) this.#troubles.push(`the duplicates ${ids.join(", ")} of ${address} are not reported`);
      if (!this.#service.late && !this.#service.blinded && !this.#crowded)
        this.#troubles.push(`${address} was made ${wires.length} times: ${ids.join(", ")}`);
    }
  }

  #judge(applied: Applied): void {
    this.#troubles.push(...lies(applied, this.#service.served).map((lie) => `${applied.caller}: ${lie}`));
    this.#troubles.push(
      ...spoken(applied.shown, this.#service.secrets).map((form) => `${applied.caller} shows the ${form}`),
    );
  }

  #judgeWorld(desired: readonly Manifest[]): void {
    const owned = ownedBy(this.#service.lists(), this.#options.stack);
    const wanted = desired.filter(({ kind }) => listedKinds.some((listed) => listed === kind));
    for (const { address } of wanted)
      if (owned.get(address)?.length !== 1)
        this.#troubles.push(`${address} is there ${owned.get(address)?.length} times`);
    if (owned.size !== wanted.length) this.#troubles.push(`${owned.size} are owned, ${wanted.length} were wanted`);
    const { changes } = this.#plan(desired);
    if (changes.length > 0)
      this.#troubles.push(`still to do in the end: ${changes.map(({ address }) => address).join()}`);
    // Manual edits, stale lists and parallel runs may break references that the run can't see.
    const mayDangle = this.#service.blinded || this.#crowded || this.#service.late;
    const broken = [...(mayDangle ? [] : this.#service.violations), ...this.#service.problems()];
    this.#troubles.push(...broken.filter((text) => this.#isTold(text)));
  }

  /** --allow permits deleting a backend that a disabled module still names. Edges of others are not checked. */
  #isTold(text: string): boolean {
    return !this.#service.dangles || !deadBackend.test(text);
  }
}

/** Runs one seed; returns the problems as sentences. */
export async function runScenario(account: Account, dice: Dice, figures: Figures): Promise<readonly string[]> {
  figures.runs += 1;
  try {
    return await new Scenario(account, dice, figures).run();
  } finally {
    await account.close();
  }
}
