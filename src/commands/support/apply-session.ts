import { randomUUID } from "node:crypto";
import type { Client, ClientOptions } from "../../api/client.js";
import type { HeldLock, LockOwner } from "../../lock/account-lock.js";
import type { Manifest } from "../../manifest/manifest.js";
import type { Plan, UnavailableSecret } from "../../plan/plan-format.js";
import { type CommandContext, requireStack } from "./command-context.js";
import type { ApplyFlags } from "./command-options.js";
import type { Interrupts } from "./interrupts.js";
import { type Planned, planAgain } from "./planning.js";
import { whoRuns } from "./who-runs.js";

/** What the stages of one apply share. */
export interface ApplySession {
  readonly context: CommandContext;
  readonly flags: ApplyFlags;
  readonly client: Client;
  readonly interrupts: Interrupts;
  /** Makes another client for the same service, with some options changed. */
  readonly connect: (changes: Partial<ClientOptions>) => Client;
  readonly owner: LockOwner;
  /** The account's lock, once it is held. */
  readonly lock: HeldLock | null;
}

/** Whose lock a run takes. What it says is data in the service that others read: every known secret is masked. */
export function lockOwner(context: CommandContext): LockOwner {
  const { io } = context;
  return { stack: requireStack(context), run: randomUUID(), by: io.redactor.redact(whoRuns(io.env)) };
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
  /** Secrets that a saved plan leaves as they are, because they were not available when it was saved; null = it is new. */
  readonly withheld: readonly UnavailableSecret[] | null;
}

/** A plan that was just made, to be applied. */
export function preparePlan(
  { plan, manifests, desired, options }: Planned,
  { context, client }: ApplySession,
  withheld: PreparedPlan["withheld"] = null,
): PreparedPlan {
  return {
    plan,
    manifests,
    withheld,
    planAgain: async () => planAgain(context, client, desired, options),
    // With every secret that can be read here: one that the plan leaves alone may differ from what is live.
    planAfter: async () => planAgain(context, client, manifests, { ...options, rehearse: false, again: true }),
  };
}
