import type { Client, TraceEvent } from "../../api/client.js";
import { judgeBrake } from "../decide/brake.js";
import { failureWords } from "../serve-events.js";
import type { AccountRecord } from "../records.js";
import type { LoadStack } from "./load-stack.js";
import type { AccountOutcome, AccountPassInput, PassDeps, StackOutcome } from "../serve-deps.js";
import { brakeLookOf, lookAtAll, Pass } from "./pass.js";
import { passStack } from "./stack-pass.js";

/** All are looked at before any is written: the brake judges what all of them want. */
export async function passAccount(input: AccountPassInput, deps: PassDeps, load: LoadStack): Promise<AccountOutcome> {
  const client = await connect(input, deps);
  const pass = new Pass(input, deps, load, client);
  try {
    const looks = await lookAtAll(pass);
    const unreadable = looks.find((look) => look.saw === "nothing" && look.unreadable);
    const { account, stacks: judged } = judgeBrake({
      account: input.record,
      stacks: input.stacks,
      looks: looks.map(brakeLookOf),
      unreadable: unreadable?.saw === "nothing" ? unreadable.message : null,
      now: deps.clock.now(),
    });
    announceBrake(input.record, account, deps);
    const stacks: StackOutcome[] = [];
    for (const look of looks) {
      const judgement = judged.get(look.due.target.name);
      const outcome = judgement === undefined ? null : await passStack(pass, look, { account, ...judgement });
      if (outcome !== null) stacks.push(outcome);
    }
    return { account: pass.unreadable === null ? account : { ...account, blindAt: deps.clock.now() }, stacks };
  } finally {
    if (typeof client !== "string") await client.close();
  }
}

async function connect({ account }: AccountPassInput, deps: PassDeps): Promise<Client | string> {
  const { claim: hold, emit, hardStop: signal } = deps;
  const { name } = account;
  const trace = (event: TraceEvent): void => {
    if (event.type === "answer") emit({ event: "request", account: name, status: event.status });
    if (event.type === "failure") emit({ event: "request", account: name, status: 0 });
    if (event.type === "limited") emit({ event: "rate-limited", account: name, pauseMs: event.pauseMs });
  };
  try {
    return await deps.connect(account, { signal, trace, hold });
  } catch (error) {
    return failureWords(error);
  }
}

function announceBrake(before: AccountRecord, { brake, name }: AccountRecord, { emit }: PassDeps): void {
  if (brake?.id === before.brake?.id) return;
  if (before.brake !== null) emit({ event: "brake-released", account: name, id: before.brake.id });
  if (brake !== null) emit({ event: "brake-engaged", account: name, id: brake.id, message: brake.message });
}
