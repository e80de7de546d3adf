import type { StackState, WaitReason } from "../../records.js";

/** What a state or a reason to wait means, and what to do about it; docs/serve/states.md shows the same. */
export interface StateAdvice {
  readonly means: string;
  readonly todo: string;
}

export const stateAdvice: { readonly [S in Exclude<StackState, "waiting">]: StateAdvice } = {
  failed: {
    means: "the last pass did not succeed, or the stack can't be looked at",
    todo: "read its message, and correct the commit, the fleet file or the key. It is tried again soon, by itself",
  },
  refused: {
    means: "a guard stopped the whole plan, or only the deletion of what another stack still refers to",
    todo: "do what its message says: correct the commit, or let the operator allow it in the fleet file, where that is possible",
  },
  unknown: {
    means: "it was never looked at, or not for three intervals",
    todo: "see in the log whether its source and its account can be reached",
  },
  orphaned: {
    means: "nothing describes it any more; nothing of it is deleted",
    todo: "describe it again. If it is gone on purpose, list it under forgotten: in the fleet file; only edgewise destroy empties it",
  },
  pending: { means: "what differs is allowed, and on its way", todo: "nothing. With --dry-run it stays so" },
  synced: { means: "live matches Git", todo: "nothing" },
};

export const waitAdvice: { readonly [R in WaitReason]: StateAdvice } = {
  approval: {
    means: "the change is worse than what is done unasked",
    todo: "read its plan and approve it with a signed tag, or correct the commit",
  },
  window: { means: "it is outside of its windows", todo: "nothing: it goes on when the next one opens" },
  suspended: {
    means: "the operator suspended it",
    todo: "nothing until the suspension ends. The operator can end it in the fleet file",
  },
  paused: { means: "the operator paused the whole fleet", todo: "let the operator set pause: false in the fleet file" },
  brake: {
    means: "too much changed by itself at once, or somebody else keeps writing the same field",
    todo: "find out who changes it. It goes on when the cause was gone for an interval, or when the operator releases the brake by its id",
  },
  locked: {
    means: "somebody else holds the lock of the account",
    todo: "wait until they have finished: it looks again within a minute. A lock that was left behind is removed by edgewise unlock",
  },
  rewound: {
    means: "the branch no longer descends from the commit that was followed",
    todo: "see who forced it. To follow it, list its tip under accept:, or pin: a commit, in the fleet file",
  },
};

export function adviceFor(state: StackState, reason: WaitReason | null): StateAdvice {
  if (state !== "waiting") return stateAdvice[state];
  return reason === null ? { means: "it waits", todo: "read its message" } : waitAdvice[reason];
}
