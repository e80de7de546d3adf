import { ApiError, isRefusal } from "../api/api-error.js";
import { EdgewiseError } from "../core/errors.js";
import { readFirstPages } from "../live/read-live.js";
import type { Fleet, FleetAccount, FleetPlace, StackTarget } from "./fleet/fleet.js";
import { wordsOf } from "./serve-events.js";
import { followSource } from "./follow-source.js";
import type { ServeDeps } from "./serve-deps.js";
import { type ServeState, loadServeState } from "./serve-state.js";
import type { SourceCommit } from "./git/source-reader.js";

export interface CheckDeps extends ServeDeps {
  readonly checkStack: (target: StackTarget, commit: SourceCommit) => Promise<unknown>;
}

export interface FleetFinding {
  readonly subject: "source" | "account" | "stack";
  readonly name: string;
  readonly place: FleetPlace;
  readonly message: string;
}

export interface FleetCheck {
  readonly sources: number;
  readonly accounts: number;
  readonly stacks: number;
  readonly findings: readonly FleetFinding[];
}

export async function checkFleet(fleet: Fleet, deps: CheckDeps, stop: AbortSignal): Promise<FleetCheck> {
  const quiet = { ...deps, emit: () => undefined };
  const state = await loadServeState(fleet, quiet);
  const accounts = Promise.all([...fleet.accounts.values()].map((account) => checkAccount(account, deps)));
  for (const source of fleet.sources.values()) await followSource(state, source, stop);
  return {
    sources: fleet.sources.size,
    accounts: fleet.accounts.size,
    stacks: state.targets.size,
    findings: [...findingsOfSources(state, deps), ...(await accounts).flat(), ...(await findingsOfStacks(state, deps))],
  };
}

function findingsOfSources({ fleet, sources }: ServeState, { mask }: CheckDeps): readonly FleetFinding[] {
  return [...fleet.sources.values()].flatMap(({ name, place }) => {
    const problem = sources.get(name)?.record?.problem ?? null;
    return problem === null ? [] : [{ subject: "source" as const, name, place, message: mask(problem.message) }];
  });
}

/** A collection that the key may not read is no problem, unless it may read none. */
async function checkAccount(
  account: FleetAccount,
  { connect, clock, mask }: CheckDeps,
): Promise<readonly FleetFinding[]> {
  const { name, place } = account;
  const finding = (message: string): FleetFinding => ({ subject: "account", name, place, message: mask(message) });
  try {
    const client = await connect(account, {});
    try {
      const pages = await readFirstPages(client, () => clock.now());
      const failed = pages.flatMap(({ error }) => (error === null ? [] : [error]));
      const grave = failed.filter((error) => !(error instanceof ApiError && isRefusal(error)));
      const [first] = failed.length === pages.length ? failed : grave;
      return first === undefined ? [] : [finding(`${account.baseUrl} can't be read: ${wordsOf(first)}`)];
    } finally {
      await client.close();
    }
  } catch (error) {
    if (!(error instanceof EdgewiseError)) throw error;
    return [finding(wordsOf(error))];
  }
}

async function findingsOfStacks(state: ServeState, deps: CheckDeps): Promise<readonly FleetFinding[]> {
  const findings: FleetFinding[] = [];
  for (const [name, target] of state.targets) {
    const { place } = target.entry;
    const refusal = state.refusals.get(name);
    const commit = state.sources.get(target.entry.source)?.commit ?? null;
    const messages =
      refusal !== undefined
        ? [refusal]
        : commit === null || !state.canLook(target)
          ? []
          : await checkStack(target, commit, deps);
    for (const message of messages) findings.push({ subject: "stack", name, place, message: deps.mask(message) });
  }
  return findings;
}

async function checkStack(target: StackTarget, commit: SourceCommit, deps: CheckDeps): Promise<readonly string[]> {
  try {
    await deps.checkStack(target, commit);
    return [];
  } catch (error) {
    if (error instanceof EdgewiseError) return [wordsOf(error)];
    throw error;
  }
}
