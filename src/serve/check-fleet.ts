import { ApiError, isRefusal } from "../api/api-error.js";
import { EdgewiseError } from "../core/errors.js";
import { readFirstPages } from "../live/read-live.js";
import type { Fleet, FleetAccount, FleetPlace, StackTarget } from "./fleet/fleet.js";
import { followSource } from "./follow-source.js";
import type { SourceCommit } from "./git/source-reader.js";
import type { ServeDeps } from "./serve-deps.js";
import { wordsOf } from "./serve-events.js";
import { loadServeState } from "./serve-state.js";

export interface CheckDeps extends ServeDeps {
  readonly checkStack: (target: StackTarget, commit: SourceCommit) => Promise<unknown>;
}

type FleetFinding = Readonly<{
  subject: "source" | "account" | "stack";
  name: string;
  place: FleetPlace;
  message: string;
}>;

export async function checkFleet(fleet: Fleet, deps: CheckDeps, stop: AbortSignal) {
  const state = await loadServeState(fleet, { ...deps, emit: () => undefined });
  const findings: FleetFinding[] = [];
  const add = (subject: FleetFinding["subject"], name: string, place: FleetPlace, message: string | null): void => {
    if (message !== null) findings.push({ subject, name, place, message: deps.mask(message) });
  };
  for (const source of fleet.sources.values()) await followSource(state, source, stop);
  for (const { name, place } of fleet.sources.values())
    add("source", name, place, state.sources.get(name)?.record?.problem?.message ?? null);
  for (const account of fleet.accounts.values())
    add("account", account.name, account.place, await attempt(() => checkAccount(account, deps)));
  for (const [name, target] of state.targets) {
    const { place, source } = target.entry;
    const commit = state.sources.get(source)?.commit ?? null;
    const refusal = state.refusals.get(name) ?? null;
    const isChecked = commit !== null && state.canLook(target);
    const message = isChecked ? await attempt(() => deps.checkStack(target, commit)) : null;
    add("stack", name, place, refusal ?? message);
  }
  return { sources: fleet.sources.size, accounts: fleet.accounts.size, stacks: state.targets.size, findings };
}

async function attempt(work: () => Promise<unknown>): Promise<string | null> {
  try {
    await work();
    return null;
  } catch (error) {
    if (error instanceof EdgewiseError) return wordsOf(error);
    throw error;
  }
}

/** A collection that the key may not read is no problem, unless it may read none. */
async function checkAccount(account: FleetAccount, { connect, clock }: CheckDeps): Promise<void> {
  const client = await connect(account, {});
  try {
    const pages = await readFirstPages(client, () => clock.now());
    const failed = pages.flatMap(({ error }) => (error === null ? [] : [error]));
    const grave = failed.filter((error) => !(error instanceof ApiError && isRefusal(error)));
    const [first] = failed.length === pages.length ? failed : grave;
    if (first !== undefined) throw new EdgewiseError("api", `${account.baseUrl} can't be read: ${wordsOf(first)}`);
  } finally {
    await client.close();
  }
}
