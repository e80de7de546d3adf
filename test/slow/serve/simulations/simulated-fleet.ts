import { accountPasses } from "../../../../src/serve/account/pass-account.ts";
import { shownState } from "../../../../src/serve/decisions/schedule.ts";
import type { Fleet, StackPolicy } from "../../../../src/serve/fleet/fleet.ts";
import type { AccountRecord, StackStatus } from "../../../../src/serve/records.ts";
import type { ServeLoop } from "../../../../src/serve/serve-loop.ts";
import { SimulatedAccount } from "../../../serve/account/support/simulated-account.ts";
import { simpleParts } from "../../../serve/account/support/stage.ts";
import { LoopStage, entryOf, fleetOf } from "../../../serve/loop/loop-fixture.ts";

const collection = "/backends/http_response";

/** How a fleet begins. */
export interface FleetBeginnings {
  readonly stacks: number;
  /** How many backends each stack has. */
  readonly backends?: number;
  readonly policy: StackPolicy;
}

/**
 * The loop over one source and one account, in virtual time: stacks `s0`, `s1`, … with HTTP response backends `b0`, `b1`,
 * …, whose descriptions people edit.
 */
export class SimulatedFleet {
  readonly account: SimulatedAccount;
  readonly sources;
  /** One look at one stack after the other, as they were recorded. */
  readonly looks: (Pick<StackStatus, "state" | "reason" | "message"> & { readonly stack: string })[] = [];
  readonly #stage = new LoopStage();
  readonly #begun: FleetBeginnings;
  #policy: StackPolicy;
  #loop: ServeLoop | null = null;

  constructor(begun: FleetBeginnings) {
    this.#begun = begun;
    this.#policy = begun.policy;
    this.account = new SimulatedAccount(this.#stage.clock);
    this.sources = this.#stage.sources;
    this.sources.push("edge", Object.fromEntries(this.names().flatMap((name) => this.#filesOf(name))));
    const passAccount = accountPasses(simpleParts);
    this.#stage.deps = { ...this.#stage.deps, connect: this.account.connect };
    this.#stage.pass = async (input, deps) => {
      const outcome = await passAccount(input, deps);
      for (const { record } of outcome.stacks) {
        const { message, reason, state } = record.status;
        this.looks.push({ stack: record.name, state, reason, message });
      }
      return outcome;
    };
  }

  get accountRecord(): AccountRecord | undefined {
    return this.#loop?.state.accounts.get("main");
  }

  names(): readonly string[] {
    return Array.from({ length: this.#begun.stacks }, (_, at) => `s${at}`);
  }

  /** Another policy in the fleet file. */
  async changePolicy(policy: StackPolicy): Promise<void> {
    this.#policy = policy;
    await this.#loop?.changeFleet(this.#fleet());
  }

  /** Something happens so many milliseconds from now. */
  after(ms: number, what: () => void): void {
    void this.#stage.clock.sleep(ms).then(what);
  }

  /** Something happens again and again, so many times. */
  every(ms: number, what: () => void, times: number): void {
    if (times === 0) return;
    this.after(ms, () => {
      what();
      this.every(ms, what, times - 1);
    });
  }

  /** Somebody changes the description of a backend by hand. */
  editByHand(stack: string, backend = "b0", description = "by hand"): void {
    this.account.byHand("PATCH", this.pathOf(stack, backend), { description });
  }

  /** Where a stack's backend is. */
  pathOf(stack: string, backend: string): string {
    const found = this.#owned(stack).find(({ metadata }) => String(metadata).includes(`"${backend}"`));
    if (found === undefined) throw new Error(`${stack} has no ${backend}`);
    return `${collection}/${String(found["id"])}`;
  }

  /** The descriptions of a stack that are live, by nothing but order. */
  descriptions(stack: string): readonly string[] {
    return this.#owned(stack).map(({ description }) => String(description));
  }

  /** How a stack is shown now. */
  shown(stack: string): string {
    const status = this.#loop?.state.stacks.get(stack)?.status;
    if (status === undefined) return "unknown";
    const state = shownState(status, this.#policy.intervalMs, this.#stage.clock.now());
    return state === "waiting" ? `waiting: ${status.reason}` : state;
  }

  /** Lets the loop run for so long. */
  async run(ms: number): Promise<void> {
    this.#loop ??= (await this.#stage.start(this.#fleet())).loop;
    await this.#stage.after(ms);
  }

  #owned(stack: string) {
    return this.account
      .lists()
      .HTTPResponseBackend.filter(({ metadata }) => String(metadata).includes(`"stack":"${stack}"`));
  }

  #fleet(): Fleet {
    return fleetOf(this.names().map((name) => entryOf(name, { policy: this.#policy })));
  }

  #filesOf(name: string): readonly (readonly [path: string, text: string])[] {
    const head = "apiVersion: edgewise/v1\nkind:";
    const config = `${head} Config\nstack: ${name}\nmanifests: [manifests/]\n`;
    const backends = Array.from({ length: this.#begun.backends ?? 2 }, (_, at) => {
      const text = `${head} HTTPResponseBackend\nmetadata: {name: b${at}}\nspec: {description: of ${name}, status_code: 503}\n`;
      return [`${name}/manifests/b${at}.yaml`, text] as const;
    });
    return [[`${name}/edgewise.yaml`, config], ...backends];
  }
}
