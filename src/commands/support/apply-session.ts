import type { Client } from "../../api/client.js";
import type { Manifest } from "../../manifest/manifest.js";
import type { Plan, UnavailableSecret } from "../../plan/plan-format.js";
import type { HeldLock } from "../../lock/account-lock.js";
import type { LockKit } from "./apply-lock.js";
import type { CommandContext } from "./command-context.js";
import type { ApplyFlags } from "./command-options.js";
import type { Interrupts } from "./interrupts.js";

/** What the stages of one apply share. */
export interface ApplySession {
  readonly context: CommandContext;
  readonly flags: ApplyFlags;
  readonly client: Client;
  readonly interrupts: Interrupts;
  readonly lockKit: LockKit;
  /** The account's lock, once it is held. */
  readonly lock: HeldLock | null;
}

/** A plan that is about to be applied, and how it is made again. */
export interface PreparedPlan {
  readonly plan: Plan;
  /** The manifests that secrets are taken from. */
  readonly manifests: readonly Manifest[];
  /** The same plan from what is live now. */
  readonly planAgain: () => Promise<Plan>;
  /** The plan after applying, to verify that it is empty. */
  readonly planAfter: () => Promise<Plan>;
  /** Whether the plan is a saved one: then even an empty plan in its place is a stale one. */
  readonly isSaved: boolean;
  /** Secrets that the plan leaves as they are, because they were not available when it was saved. */
  readonly withheld: readonly UnavailableSecret[];
}
