import { setImmediate as breathe } from "node:timers/promises";
import { ApiError } from "../../api/api-error.js";
import { EdgewiseError } from "../../core/errors.js";
import { newStackMemory } from "../records.js";
import type { DueStack } from "./account-pass.js";
import { type LoadedStack, loadStack } from "./load-stack.js";
import { type Sight, lookAtStack } from "./look-at-stack.js";
import type { Pass } from "./pass.js";
import type { SharedListing } from "./shared-listing.js";

/** What looking at one due stack gave. */
export type Look = {
  readonly due: DueStack;
  /** When it began, in milliseconds since 1970. */
  readonly began: number;
} &
  /** `loaded`: null when nothing is to be done, because thousands of stacks are as they should be. */
  (
    | { readonly saw: "sight"; readonly loaded: LoadedStack | null; readonly marker: string; readonly sight: Sight }
    /** Everything is as it was when it was last in sync; since `listed`. */
    | { readonly saw: "rest"; readonly listed: number }
    /** `blind`: live could not be read. */
    | {
        readonly saw: "nothing";
        readonly message: string;
        readonly blind: boolean;
        readonly loaded: LoadedStack | null;
      }
  );

/** Looks at the due stacks of an account, one after the other, with one listing for all. Writes nothing. */
export async function lookAtAll(pass: Pass, due: readonly DueStack[]): Promise<readonly Look[]> {
  const looks: Look[] = [];
  let listing: SharedListing | null = null;
  for (const each of due) {
    if (pass.deps.stop.aborted || pass.deps.hardStop.aborted) break;
    if (each.commit !== null) listing ??= pass.list();
    looks.push(await lookAt(each, listing, pass));
    // The service's pages, signals and other accounts get a turn.
    await breathe();
  }
  return looks;
}

async function lookAt(due: DueStack, listing: SharedListing | null, pass: Pass): Promise<Look> {
  const { account } = pass.input;
  const { memo, parts } = pass;
  const { commit, target } = due;
  const began = pass.deps.clock.now();
  const about = { due, began };
  if (due.passedByOthers === true) memo.forget(target.name);
  if (commit === null || listing === null) {
    const message = due.unfollowed?.message ?? "there is no commit to follow yet";
    return { ...about, saw: "nothing", message, blind: false, loaded: null };
  }
  let loaded: LoadedStack | null = null;
  try {
    const secrets = await parts.powers.secretsOf(target);
    const inputs = await memo.inputsOf({ account, commit, secrets, target }, listing).catch(() => null);
    const wasInSync = due.record?.status.state === "synced";
    if (inputs !== null && wasInSync && memo.isAtRest(target.name, inputs))
      return { ...about, saw: "rest", listed: listing.began };
    const granted = await loadStack({ account, commit, secrets, target, now: began }, parts.powers);
    loaded = { ...granted, judge: (plan) => pass.verdicts.judge(plan, granted, target, pass.deps.clock.now()) };
    const memory = due.record?.memory ?? newStackMemory;
    const subject = { loaded, commit: commit.commit, baseUrl: account.baseUrl, memory, lockRun: null, now: began };
    const { sides, sight } = await lookAtStack(subject, listing);
    const inSync = isInSync(sight);
    // Modules of HTTPS edges are in no list: nothing tells that they are as they were.
    const rests = inSync && sides.live.modules.length === 0;
    if (rests && inputs !== null) memo.rests(target.name, inputs);
    else memo.stirs(target.name);
    const { marker } = loaded.settings;
    return { ...about, saw: "sight", loaded: inSync ? null : loaded, marker, sight };
  } catch (error) {
    memo.stirs(target.name);
    // Whoever was told to cut everything off was not blind.
    const blind = loaded !== null && !pass.deps.hardStop.aborted && !(await isReadable(listing));
    return { ...about, saw: "nothing", message: messageOf(error), blind, loaded };
  }
}

/** Whether nothing is to be done, and nothing speaks against anything. */
export function isInSync({ plan }: Sight): boolean {
  return plan.changes.length === 0 && plan.operations.length === 0 && plan.refusals.length === 0;
}

/** Whether the account's lists can be read. One that the key may not read blinds only the stacks that need it. */
async function isReadable(listing: SharedListing): Promise<boolean> {
  try {
    await listing.liveFor([]);
    return true;
  } catch (error) {
    if (error instanceof EdgewiseError) return false;
    throw error;
  }
}

/** What went wrong, for people: an expected failure with its remedy, anything else as the bug that it is. */
export function messageOf(error: unknown): string {
  if (error instanceof EdgewiseError) {
    const remedy = (error instanceof ApiError ? remedyUnderServe(error) : null) ?? error.remedy;
    return remedy === null ? error.message : `${error.message}. ${remedy}`.replace("..", ".");
  }
  // The message of an unexpected error may hold anything, so only its name is shown.
  return `this is an error of edgewise itself (${error instanceof Error ? error.name : typeof error}): please report it. The stack is looked at again`;
}

/** What to do about an answer of the service where the fleet file says what elsewhere flags and the environment say. */
function remedyUnderServe({ status }: ApiError): string | null {
  if (status === 401 || status === 403)
    return "Check the account's `key` in the fleet file: that it belongs to this service, and what it is permitted to do";
  if (status === 429)
    return "The account reached the service's rate limit: set its `requestsPerMinute` in the fleet file to stay below it";
  return null;
}
