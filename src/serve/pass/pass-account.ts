import type { Client, TraceEvent } from "../../api/client.js";
import { EdgewiseError } from "../../core/errors.js";
import { type AccountRecord, newStackMemory } from "../records.js";
import type { AccountOutcome, AccountPassInput, PassDeps, StackOutcome } from "./account-pass.js";
import { noBrake } from "../decide/brake.js";
import { accountIdentity } from "../fleet/same-stacks.js";
import { judgeLooks } from "./judge-looks.js";
import { type Look, lookAtAll, messageOf } from "./look-at-all.js";
import { LookPages } from "./look-pages.js";
import { Pass } from "./pass.js";
import { PolicyVerdicts } from "./policy-verdicts.js";
import type { PassParts } from "./pass-parts.js";
import { RestMemo } from "./rest-memo.js";
import { settleStack } from "./settle-stack.js";

/** Passes one account. See {@link accountPasses}. */
export type PassAccount = (input: AccountPassInput, deps: PassDeps) => Promise<AccountOutcome>;

/**
 * Makes the function that passes accounts: it looks at all due stacks of one, lets the brake judge what all of them want,
 * then writes what is allowed, one stack after the other, and says what became of each. Passes of one account wait for each
 * other, under whatever names the fleet has it. Nothing that is expected to go wrong throws; a stack that a stop left out has no outcome.
 */
export function accountPasses(parts: PassParts): PassAccount {
  const turns = new InTurn();
  const memo = new RestMemo();
  const pages = new LookPages();
  const verdicts = new PolicyVerdicts(parts.evaluate);
  return (input, deps) => {
    return turns.take(accountIdentity(input.account), () => passOnce(input, deps, { parts, memo, pages, verdicts }));
  };
}

/** What passes keep between them. */
interface PassMemory {
  readonly parts: PassParts;
  readonly memo: RestMemo;
  readonly pages: LookPages;
  readonly verdicts: PolicyVerdicts;
}

async function passOnce(input: AccountPassInput, deps: PassDeps, passMemory: PassMemory): Promise<AccountOutcome> {
  const { memo, pages, parts, verdicts } = passMemory;
  const looking = pages.of(input.account);
  let client: Client;
  try {
    client = await deps.connect(input.account, {
      signal: deps.hardStop,
      trace: tell(input, deps),
      hold: deps.claim,
      pages: looking,
    });
  } catch (error) {
    return unconnected(input, deps, passMemory, messageOf(error));
  }
  const pass = new Pass(input, deps, parts, memo, verdicts, client);
  try {
    const looks = await lookAtAll(pass, input.due);
    const listed = await pass.countLooked();
    const judged = judgeLooks(pass, looks, listed);
    pass.listed = listed ?? pass.listed;
    tellBrake(input.record, judged.account, deps);
    pass.beginWriting();
    looking.end();
    const stacks: StackOutcome[] = [];
    for (const look of looks) {
      const { name } = look.due.target;
      const { verdict: brake = noBrake, memory = look.due.record?.memory ?? newStackMemory } =
        judged.stacks.get(name) ?? {};
      const outcome = await settleStack(pass, look, { account: judged.account, brake, memory });
      if (outcome !== null) stacks.push(outcome);
    }
    const blindSince =
      pass.blinded === null ? judged.account.blindSince : (judged.account.blindSince ?? deps.clock.now());
    const { lastWrite, listed: last } = pass;
    return { account: { ...judged.account, blindSince, lastWrite, listed: last }, stacks };
  } finally {
    await client.close();
  }
}

/** The key can't be read, or can't be a key: nothing can be seen, and nothing is touched. */
async function unconnected(
  input: AccountPassInput,
  deps: PassDeps,
  { parts, verdicts }: PassMemory,
  message: string,
): Promise<AccountOutcome> {
  const now = deps.clock.now();
  const closed: Client = {
    baseUrl: input.account.baseUrl,
    get: async () => neverConnected(),
    list: async () => neverConnected(),
    send: async () => neverConnected(),
    close: async () => undefined,
  };
  const pass = new Pass(input, deps, parts, new RestMemo(), verdicts, closed);
  const looks = input.due.map((due): Look => ({ due, began: now, saw: "nothing", message, blind: true, loaded: null }));
  const { account, stacks: judged } = judgeLooks(pass, looks, null);
  const stacks: StackOutcome[] = [];
  for (const look of looks) {
    const memory = judged.get(look.due.target.name)?.memory ?? look.due.record?.memory ?? newStackMemory;
    const outcome = await settleStack(pass, look, { account, brake: noBrake, memory });
    if (outcome !== null) stacks.push(outcome);
  }
  return { account, stacks };
}

function neverConnected(): never {
  throw new EdgewiseError("config", "there is no connection to the account");
}

/** Counts what is asked of the service, and what it answers; 0 = nothing. */
function tell({ account }: AccountPassInput, { emit }: PassDeps): (event: TraceEvent) => void {
  return (event) => {
    if (event.type === "answer") emit({ event: "request", account: account.name, status: event.status });
    if (event.type === "failure") emit({ event: "request", account: account.name, status: 0 });
    if (event.type === "limited") emit({ event: "rate-limited", account: account.name, pauseMs: event.pauseMs });
  };
}

function tellBrake(before: AccountRecord, { brake, name }: AccountRecord, { emit }: PassDeps): void {
  if (brake?.id === before.brake?.id) return;
  if (before.brake !== null) emit({ event: "brake-released", account: name, id: before.brake.id });
  if (brake !== null) emit({ event: "brake-engaged", account: name, id: brake.id, message: brake.message });
}

/** Lets work of one name wait for earlier work of that name, so that no two run at once. */
class InTurn {
  readonly #last = new Map<string, Promise<unknown>>();

  /** Runs the work when all earlier work of the name has ended, however it ended. */
  async take<T>(name: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(name) ?? Promise.resolve();
    const mine = before.then(work, work);
    this.#last.set(name, mine);
    try {
      return await mine;
    } finally {
      if (this.#last.get(name) === mine) this.#last.delete(name);
    }
  }
}
