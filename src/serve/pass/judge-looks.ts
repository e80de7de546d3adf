import type { Address } from "../../kinds/names.js";
import { type BrakeJudgement, judgeBrake, noBrake } from "../decide/brake.js";
import type { Decision } from "../decide/decision.js";
import type { BrakeLook } from "../decide/sight.js";
import { type AccountRecord, type StackMemory, newStackMemory } from "../records.js";
import type { DueStack } from "./account-pass.js";
import { decideStack } from "./decide-stack.js";
import type { Look } from "./look-at-all.js";
import type { Sight } from "./look-at-stack.js";
import type { Pass } from "./pass.js";

/**
 * What the brake says of all looks of a pass together: how many want a heal is known only after the last of them.
 * @param listed how many resources the lists have; null = they can't be read
 */
export function judgeLooks(pass: Pass, looks: readonly Look[], listed: AccountRecord["listed"] | null): BrakeJudgement {
  const { deps, input } = pass;
  const now = deps.clock.now();
  const blind = looks.find((look) => look.saw === "nothing" && look.blind);
  const message = blind?.saw === "nothing" ? blind.message : null;
  const { record: account, stacks } = input;
  const seen = looks.map((look) => brakeLookOf(pass, look, now));
  return judgeBrake({ account, stacks, looks: seen, blind: message, ...(listed === null ? {} : { listed }), now });
}

/** Decides about a later look of the same pass, with what the brake says of that look. */
export function decideUnderBrake(
  pass: Pass,
  due: DueStack,
  sight: Sight,
  at: {
    readonly account: AccountRecord;
    readonly memory: StackMemory;
    /** How many resources the lists of this look have. */
    readonly listed: AccountRecord["listed"];
    readonly now: number;
    readonly approved?: ReadonlySet<Address>;
  },
): Decision {
  const { deps, input } = pass;
  const { name } = due.target;
  const { approved = new Set(), listed, memory, now } = at;
  const account = { ...at.account, listed: pass.listed };
  const look = sightLook(pass, due, sight, now);
  const judged = judgeBrake({ account, stacks: input.stacks, looks: [look], blind: null, listed, now });
  const brake = judged.stacks.get(name)?.verdict ?? noBrake;
  const { policy } = due.target.entry;
  return decideStack(sight, { policy, memory, paused: deps.paused, brake, now, approved });
}

function brakeLookOf(pass: Pass, look: Look, now: number): BrakeLook {
  const { due } = look;
  if (look.saw === "sight") return sightLook(pass, due, look.sight, now);
  // Of a stack that rests, nothing is to be done.
  const plan = look.saw === "rest" ? { changes: [] } : null;
  const lookedAt = look.saw === "rest" ? look.listed : look.began;
  return { ...aboutStack(due), lookedAt, plan, origins: new Map(), unasked: [] };
}

function sightLook(pass: Pass, due: DueStack, sight: Sight, now: number): BrakeLook {
  const about = aboutStack(due);
  const { memory, policy } = about;
  const decision = decideStack(sight, { policy, memory, paused: pass.deps.paused, brake: noBrake, now });
  return { ...about, lookedAt: sight.began, plan: sight.plan, origins: sight.origins, unasked: decision.apply };
}

function aboutStack({ record, target, unfollowed }: DueStack) {
  return {
    stack: target.name,
    policy: target.entry.policy,
    memory: record?.memory ?? newStackMemory,
    previousLook: record?.status.lookedAt ?? null,
    blind: unfollowed?.unreachable === true ? unfollowed.message : null,
  };
}
