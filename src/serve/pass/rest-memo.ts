import { createHash } from "node:crypto";
import { canonicalJson } from "../../plan/canonical-json.js";
import type { Plan } from "../../plan/plan-format.js";
import type { FleetAccount, StackTarget } from "../fleet/fleet.js";
import type { SourceCommit } from "../git/source-reader.js";
import { directoryOf } from "../git/stack-directories.js";
import type { StackSecrets } from "./pass-parts.js";
import type { SharedListing } from "./shared-listing.js";

/** After so many looks that only compared checksums, the next one plans: what nobody thought of must show up, too. */
const mostShortLooks = 9;

/** What a look that ended in sync depended on. */
interface Rest {
  readonly inputs: string;
  shortLooks: number;
}

/** What a stack is made from, beside the lists. */
export interface RestInputs {
  readonly target: StackTarget;
  readonly account: FleetAccount;
  readonly commit: SourceCommit;
  readonly secrets: StackSecrets;
}

/**
 * Stacks at rest: when everything that a look depends on is as it was at the last complete look, and that one ended in
 * sync, it need not be planned again. Only checksums are kept, and only in memory: the first look of a process plans.
 */
export class RestMemo {
  readonly plans = new KeptPlans();
  readonly #rests = new Map<string, Rest>();

  /**
   * The checksum of all inputs of a look.
   * @throws as the listing does when it can't be read
   */
  async inputsOf({ account, commit, secrets, target }: RestInputs, listing: SharedListing): Promise<string> {
    const directory = directoryOf(target.config);
    const found = (await commit.directoryIds([directory])).get(directory) ?? null;
    // A link may lead to what the directory's id says nothing about.
    const files = found === null || found.hasLinks ? commit.commit : found.id;
    const { baseUrl, moduleEndpoints, versionHeader } = account;
    const { allow, environment, place, variables } = target.entry;
    const fleet = { target: { ...target, entry: null }, allow, environment, place, variables };
    const service = { baseUrl, moduleEndpoints, versionHeader };
    return createHash("sha256")
      .update(canonicalJson({ fleet, service, files }))
      .update(`\n${secrets.stamp}\n${await listing.content()}`)
      .digest("base64");
  }

  /** Whether a stack rested with the same inputs, and may be taken to rest still. */
  isAtRest(stack: string, inputs: string): boolean {
    const rest = this.#rests.get(stack);
    if (rest?.inputs !== inputs || rest.shortLooks >= mostShortLooks) return false;
    rest.shortLooks += 1;
    return true;
  }

  /** After a look that planned, and found nothing to do. */
  rests(stack: string, inputs: string): void {
    this.#rests.set(stack, { inputs, shortLooks: 0 });
  }

  /** After a look that found something else. */
  stirs(stack: string): void {
    this.#rests.delete(stack);
  }

  /** After a pass of another process. */
  forget(stack: string): void {
    this.stirs(stack);
    this.plans.forget(stack);
  }
}

/**
 * Which plans the store has, as checksums: what waits for days is planned at every look, and is the same plan. What
 * another process saved is not known, so that the first plan is saved.
 */
export class KeptPlans {
  readonly #kept = new Map<string, string>();

  /** Saves a plan unless the store has it. */
  async keep(stack: string, plan: Plan | null, save: () => Promise<void>): Promise<void> {
    const sum = createHash("sha256").update(JSON.stringify(plan)).digest("base64");
    if (this.#kept.get(stack) === sum) return;
    this.#kept.delete(stack);
    await save();
    this.#kept.set(stack, sum);
  }

  /** The store may have lost it: it forgets the plans of stacks that it forgets. */
  forget(stack: string): void {
    this.#kept.delete(stack);
  }
}
