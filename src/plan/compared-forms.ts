import type { Address } from "../kinds/names.js";
import { NormalForms } from "../kinds/normal-form.js";
import type { Live } from "../live/live.js";
import type { Manifest } from "../manifest/manifest.js";
import { type AccountIndex, GrowingAccount, type LiveResource } from "./account-index.js";
import type { PlanOptions } from "./options.js";
import type { ProposedState } from "./proposed-state.js";

/** What a reference by name named, and the live resource that it stood for. */
export interface Resolution {
  readonly address: Address;
  readonly target: LiveResource;
}

/** A manifest that was found unchanged ahead of the plan. */
export interface Settled {
  /** As the plan would propose it. */
  readonly state: ProposedState;
  /** What its references by name stood for. If one stands for something else now, the state is void. */
  readonly resolved: readonly Resolution[];
}

/**
 * Normal forms that also remember the account as far as it was indexed, and which manifests are unchanged, as far as that
 * was found out ahead of the plan. What is different is compared again by the plan, and not kept here.
 */
export class ComparedForms extends NormalForms {
  readonly #stacks: ReadonlySet<string>;
  readonly #stack: string;
  readonly #moduleEndpoints: readonly string[];
  readonly #settled = new Map<Address, Settled>();
  #growing: GrowingAccount;
  /** Finished indexes, by the lists that they are of: no longer kept than these. */
  #finished = new WeakMap<Live["lists"], AccountIndex>();

  constructor({
    moduleEndpoints,
    previousStacks,
    stack,
  }: Pick<PlanOptions, "moduleEndpoints" | "previousStacks" | "stack">) {
    super();
    this.#stack = stack;
    this.#stacks = new Set([stack, ...previousStacks]);
    this.#moduleEndpoints = moduleEndpoints;
    this.#growing = new GrowingAccount(this.#stacks, this);
  }

  /** The account, while its lists are on their way. */
  get growing(): GrowingAccount {
    return this.#growing;
  }

  /** Remembers a manifest that is unchanged. */
  settle(settled: Settled): void {
    this.#settled.set(settled.state.match.address, settled);
  }

  /** What was remembered of a manifest and this very resource, if the plan would compare them in the same way. */
  settled(
    manifest: Manifest,
    current: LiveResource,
    { moduleEndpoints, stack }: Pick<PlanOptions, "moduleEndpoints" | "stack">,
  ): Settled | null {
    if (moduleEndpoints !== this.#moduleEndpoints || stack !== this.#stack) return null;
    const kept = this.#settled.get(manifest.address);
    if (kept === undefined) return null;
    const { match } = kept.state;
    return match.manifest === manifest && match.current === current ? kept : null;
  }

  /** The index of some lists, if what was indexed ahead is of them and of the same stacks; else null. */
  accountOf(lists: Live["lists"], stacks: ReadonlySet<string>): AccountIndex | null {
    if (stacks.size !== this.#stacks.size || ![...stacks].every((stack) => this.#stacks.has(stack))) return null;
    const finished = this.#finished.get(lists);
    if (finished !== undefined) return finished;
    const growing = this.#growing;
    // Whatever comes now is of other lists.
    this.#growing = new GrowingAccount(this.#stacks, this);
    if (!growing.begins(lists)) return null;
    const account = growing.complete(lists);
    this.#finished.set(lists, account);
    return account;
  }

  override forgetWires(): void {
    super.forgetWires();
    this.#settled.clear();
    this.#growing = new GrowingAccount(this.#stacks, this);
    this.#finished = new WeakMap();
  }
}
