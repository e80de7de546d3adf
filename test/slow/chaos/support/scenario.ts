import { readLock } from "../../../../src/kinds/lock-object.ts";
import { listedKinds } from "../../../../src/kinds/names.ts";
import type { Manifest } from "../../../../src/manifest/manifest.ts";
import { plan as makePlan } from "../../../../src/plan/make-plan.ts";
import type { PlanOptions } from "../../../../src/plan/plan-context.ts";
import type { Plan } from "../../../../src/plan/plan-format.ts";
import { spellings } from "../../security/support/canaries.ts";
import { manifest } from "../../../plan/support/account.ts";
import { permissive, secrets, someDesired } from "./desired.ts";
import type { Dice } from "./dice.ts";
import { type Figures, count } from "./figures.ts";
import { foreignBytes, meddle, ownedBy, seedForeign } from "./foreign.ts";
import { type Applied, type Cut, ProcessAccount } from "./process-account.ts";
import { lies } from "./truth.ts";

const { stack } = permissive;
const deadBackend = /refers to the HTTP response backend .* not exist/u;

class Scenario {
  readonly #options: PlanOptions;
  readonly #troubles: string[] = [];
  readonly #done: Applied[] = [];
  #callers = 0;
  #adopted: string | null = null;
  #crowded = false;

  constructor(
    private readonly service: ProcessAccount,
    private readonly dice: Dice,
    private readonly figures: Figures,
  ) {
    this.#options = { ...permissive, moduleEndpoints: service.moduleEndpoints };
  }

  async run(): Promise<readonly string[]> {
    const { dice, service } = this;
    seedForeign(service.console.bind(service), dice);
    await this.#converge(this.#desired(), "setting up");
    const before = foreignBytes(service.lists(), stack);
    let desired = dice.chance(0.2) ? this.#adopting(this.#desired()) : this.#desired();
    for (let round = dice.between(1, 3); round > 0; round -= 1) {
      if (dice.chance(0.5)) count(this.figures.met, "edits by hand", this.#meddle());
      if (dice.chance(0.25)) desired = this.#desired();
      // If another run deletes the id, the plan correctly refuses an id that is not live.
      if (this.#adopted === null && dice.chance(0.2)) await this.#crowd(desired);
      else {
        await service.begin(dice.fork(`mischief ${round}`));
        await this.#apply(desired, { cut: dice.chance(0.4) ? null : someCut(dice) });
      }
      if (dice.chance(0.3)) await service.quiet();
    }
    await service.quiet();
    this.#reportDuplicates(desired);
    const isStuck = !(await this.#converge(desired, "in the end", this.#unseen));
    const after = foreignBytes(service.lists(), stack);
    for (const [id, bytes] of before)
      if (after.get(id) !== bytes) this.#troubles.push(`${id} is not this stack's, and was touched`);
    for (const applied of this.#done) {
      const wrong = [...lies(applied, service.served), ...spoken(applied.shown, service.secrets)];
      this.#troubles.push(...wrong.map((what) => `${applied.caller}: ${what}`));
    }
    this.#troubles.push(...service.unannounced);
    if (!isStuck) this.#judgeWorld(desired);
    return this.#troubles;
  }

  /** Whether a run may have written without seeing what was there. */
  get #unseen(): boolean {
    return this.#crowded || this.service.blinded || this.service.late;
  }

  #meddle(): number {
    const { dice, service } = this;
    const write = service.console.bind(service);
    return meddle(write, service.lists(), stack, this.#adopted, dice.fork(`meddle ${this.#callers}`));
  }

  #adopting(desired: readonly Manifest[]): readonly Manifest[] {
    const hostports = ["adopted.example.com:443"];
    const { id } = this.service.console("POST", "/edges/tls", { hostports, metadata: "somebody's" });
    this.#adopted = String(id);
    count(this.figures.met, "adoptions");
    return [...desired, manifest("TLSEdge", "adopted", { hostports, description: "ours" }, { id: String(id) })];
  }

  #desired(): readonly Manifest[] {
    return this.service.fit(someDesired(this.dice));
  }

  async #apply(
    desired: readonly Manifest[],
    { cut = null, locks = false }: { readonly cut?: Cut | null; readonly locks?: boolean } = {},
  ): Promise<Applied> {
    this.#callers += 1;
    const name = `run ${this.#callers}`;
    const applied = await this.service.apply({ name, desired, dice: this.dice.fork(name), cut, locks });
    this.#done.push(applied);
    this.figures.applies += 1;
    if (cut !== null) count(this.figures.cuts, cut.how);
    count(this.figures.ends, applied.exit === null ? "killed" : `exit ${applied.exit}`);
    for (const { status } of applied.result?.operations ?? []) count(this.figures.operations, status);
    if (applied.exit === 0) this.#judgeSuccess(applied, desired);
    return applied;
  }

  /** Two applies in parallel: each with the account's lock, or of different manifests, which may do anything. */
  async #crowd(desired: readonly Manifest[]): Promise<void> {
    const { dice } = this;
    const locks = dice.chance(0.6);
    count(this.figures.met, locks ? "two applies at once, with the lock" : "two applies at once");
    if (!locks) this.#crowded = true;
    const other = this.#desired();
    await this.service.begin(dice.chance(0.5) ? dice.fork("crowd") : null);
    const pair = locks ? [other, other] : [desired, dice.chance(0.5) ? desired : other];
    const both = await Promise.all(pair.map((each) => this.#apply(each, { locks })));
    if (!locks) return;
    await this.service.quiet();
    this.#reportDuplicates(other);
    for (const { id, metadata } of this.service.lists().HTTPResponseBackend)
      if (readLock({ id, metadata }) !== null && !both.some(({ shown }) => shown.includes(String(id))))
        this.#troubles.push(`the lock ${String(id)} was left, and nobody said so`);
  }

  /**
   * One apply without any fault, which must do everything. Runs that can't see each other, or what is there, may delete
   * a backend that an edge uses. Where the edge's module can only be disabled, the service refuses even that, because
   * the backend no longer exists: a manual repair is needed.
   * @returns whether it did everything, or should have
   */
  async #converge(desired: readonly Manifest[], when: string, mayBeStuck = false): Promise<boolean> {
    await this.service.begin(null);
    const { exit, result, shown } = await this.#apply(desired);
    if (exit === 0) return true;
    const open = (result?.operations ?? []).filter(({ status }) => status !== "done");
    const isDeaf = open.some(
      (one) => one.status === "failed" && /backend_id names .* not found/u.test(one.error ?? ""),
    );
    if (mayBeStuck && isDeaf && this.service.problems().some((text) => deadBackend.test(text))) {
      count(this.figures.met, "edges left with a deleted backend by runs that could not see each other");
      return false;
    }
    const why = result === null ? shown : JSON.stringify([...result.refusals, ...open, ...result.warnings]);
    this.#troubles.push(`${when}: exit code ${exit} without any fault; ${why}`);
    return true;
  }

  #plan(desired: readonly Manifest[], more: Partial<PlanOptions> = {}): Plan {
    const listed = desired.filter(({ kind }) => listedKinds.some((one) => one === kind));
    const live = { lists: this.service.lists(), unreadable: [], modules: [] };
    return makePlan(listed, live, { ...this.#options, rehearse: false, ...more });
  }

  /** After exit code 0 the account must match the manifests, unless the service hid something. */
  #judgeSuccess(applied: Applied, desired: readonly Manifest[]): void {
    if (this.#unseen) return;
    const { changes, refusals } = this.#plan(desired);
    if (changes.length === 0 && refusals.length === 0) return;
    const left = changes.map(({ address, action }) => `${action} ${address}`);
    this.#troubles.push(`${applied.caller}: exit code 0, and still to do: ${left.join(", ")}`);
  }

  /** Duplicates must be reported with their ids, and must not exist unless the service was late or hid them. */
  #reportDuplicates(desired: readonly Manifest[]): void {
    const refusals = this.#plan(desired, { allow: [] }).refusals.filter(({ code }) => code === "duplicate-marker");
    for (const [address, wires] of ownedBy(this.service.lists(), stack)) {
      if (wires.length < 2) continue;
      const ids = wires.map((wire) => String(wire["id"]));
      const isLinked = wires.some(({ metadata }) => ids.some((id) => String(metadata).includes(`"replaces":"${id}"`)));
      if (isLinked && !refusals.some((one) => one.address === address)) continue;
      count(this.figures.met, "duplicates reported");
      if (!refusals.some(({ message }) => ids.every((id) => message.includes(id))))
        this.#troubles.push(`the duplicates ${ids.join(", ")} of ${address} are not reported`);
      if (!this.#unseen) this.#troubles.push(`${address} was made ${wires.length} times: ${ids.join(", ")}`);
    }
  }

  #judgeWorld(desired: readonly Manifest[]): void {
    const owned = ownedBy(this.service.lists(), stack);
    const wanted = desired.filter(({ kind }) => listedKinds.some((listed) => listed === kind));
    for (const { address } of wanted)
      if (owned.get(address)?.length !== 1)
        this.#troubles.push(`${address} is there ${owned.get(address)?.length} times`);
    if (owned.size !== wanted.length) this.#troubles.push(`${owned.size} are owned, ${wanted.length} were wanted`);
    const { changes } = this.#plan(desired);
    if (changes.length > 0)
      this.#troubles.push(`still to do in the end: ${changes.map(({ address }) => address).join()}`);
    // --allow permits deleting a backend that a disabled module still names. Edges of others are not checked.
    const broken = this.service.problems().filter((text) => !this.service.dangles || !deadBackend.test(text));
    this.#troubles.push(...broken);
  }
}

function spoken(text: string, more: readonly string[]): readonly string[] {
  const forms = [...Object.values(secrets), ...more].flatMap((secret) => spellings(secret));
  return forms.flatMap((form) => (form.length >= 8 && text.includes(form) ? [`it shows the secret ${form}`] : []));
}

function someCut(dice: Dice): Cut {
  const how = dice.pick(["signal", "two signals", "kill", "kill"] as const);
  return dice.chance(0.7)
    ? { how, after: "writes", much: dice.between(1, 12) }
    : { how, after: "time", much: dice.between(50, 1500) };
}

export async function runScenario(dice: Dice, figures: Figures): Promise<readonly string[]> {
  figures.runs += 1;
  const account = await ProcessAccount.open(dice.fork("service"), figures);
  try {
    return await new Scenario(account, dice, figures).run();
  } finally {
    await account.close();
  }
}
